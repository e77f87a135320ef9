"""Exports of every page with a stage, in one visit each, opened or executed: they agree with the screen."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import expect

from mdcore import Experiment
from mdcore.data import own_source, propose, read_table
from mdcore.margins.distribution import MarginDistribution
from mdcore.serving.stage.project_file import packed
from tests.browser.conftest import Visit
from tests.browser.stage import Stage
from tests.executing import check_same_code, executed, numbers_of
from tests.test_own import content

EXACT = 1e-9
PIXELS = 2  # PNG pixels per unit of the drawing
IMAGE = "{http://www.w3.org/2000/svg}image"
OWN = "own table"
PAGES = {
    "playground": ("", "data=moons&n=60&methods=svm,ldm&gamma=1"),
    "multiclass": ("multiclass", ""),
    "online": ("online", ""),
    "lecture": ("lecture", "step=2&phase=reveal"),
    OWN: ("", "data=moons&n=40&methods=svm"),
}
DRAWN = "() => [...document.querySelectorAll('.js-plotly-plot')].at(-1)._fullData.map(({x}) => [...x ?? []])"


def taken(stage: Stage, label: str, folder: Path) -> Path:
    stage.button("Export").click()
    with stage.page.expect_download() as download:
        stage.button(label).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def with_own_table(stage: Stage, folder: Path) -> None:
    """Open a project file with a table, whose file is in the folder of the scripts."""
    (folder / "patients.csv").write_bytes(content())
    table = read_table(content(), "patients.csv")
    experiment = Experiment.on(own_source(table, propose(table, "ill")))
    assert experiment.data.own is not None
    query = f"data={experiment.data.own.key}&methods=svm,ldm&gamma=0.5&seed=3&test=0.4"
    read = Experiment.from_query(query, [experiment.data.own])
    project = {"format": "margin-lab-project", "version": 1, "query": read.to_query()}
    project["table"] = packed(read.data, experiment.data.own)
    file = folder / "project.json"
    file.write_text(json.dumps(project), encoding="utf-8")
    stage.root.get_by_label("Project file", exact=True).set_input_files(file)
    expect(stage.choice("data")).to_have_value(re.compile("^own:"))
    stage.settle()


@pytest.mark.parametrize("name", PAGES)
def test_every_export_says_what_the_screen_says(visit: Visit, tmp_path: Path, name: str) -> None:
    path, query = PAGES[name]
    stage = visit(query, path=path, own=True)
    if name == OWN:
        with_own_table(stage, tmp_path)
    shown = {key: value for key, value in stage.numbers().items() if np.isfinite(value)}
    assert len(shown) >= 10

    script = taken(stage, "Python script", tmp_path).read_text(encoding="utf-8")
    printed = numbers_of(executed(script, tmp_path))
    assert {key: printed[key] for key in shown} == pytest.approx(shown, rel=0, abs=EXACT)
    check_same_code(taken(stage, "Notebook", tmp_path).read_text(encoding="utf-8"), script)

    margins = check_margins(taken(stage, "Margins of every example (CSV)", tmp_path), shown)
    check_interactive(stage, taken(stage, "Interactive figures (HTML)", tmp_path), margins)
    drawing = taken(stage, "Picture of the views (SVG)", tmp_path)
    check_pictures(stage, drawing, taken(stage, "Picture of the views (PNG)", tmp_path))


def check_margins(path: Path, shown: dict[tuple[str, str, str], float]) -> list[list[float]]:
    """Check the statistics of the training margins against the screen; return the margins, a list for each method."""
    rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))
    columns = [column for column in rows[0] if " margin (" in column]
    keys = list(dict.fromkeys(method for method, _, _ in shown))
    assert len(columns) == len(keys)
    for key, column in zip(keys, columns, strict=True):
        for part in ("train", "test"):
            own = MarginDistribution(np.array([float(row[column]) for row in rows if row["part"] == part]))
            for statistic in ("mean", "variance", "semivariance", "min", "accuracy"):
                if (key, part, statistic) in shown:
                    assert getattr(own, statistic) == pytest.approx(shown[key, part, statistic], rel=0, abs=EXACT)
    return [[float(row[column]) for row in rows if row["part"] == "train"] for column in columns]


def check_interactive(stage: Stage, path: Path, margins: list[list[float]]) -> None:
    """Assert that the last figure, opened without a server, is drawn from the same margins."""
    page = stage.page.context.new_page()
    page.goto(path.as_uri())
    expect(page.locator(".js-plotly-plot .main-svg").last).to_be_visible()
    places = [set(np.round(x, 9)) for x in page.evaluate(DRAWN)]
    page.close()
    for own in margins:
        assert any(set(np.round(own, 9)) <= place for place in places)


def check_pictures(stage: Stage, drawing: Path, pixels: Path) -> None:
    """Assert that both files have every visible panel and chart, not empty, and that the PNG has the stated size."""
    root = ElementTree.parse(drawing).getroot()
    box = ["x", "y", "width", "height"]
    pictures = [[float(image.get(side, "nan")) for side in box] for image in root.iter(IMAGE)]
    pictures = [picture for picture in pictures if picture[2] > 100]
    seen = stage.root.locator("[data-testid=boundary]:visible, [data-testid=cumulative]:visible").count()
    assert len(pictures) >= seen > 1
    image = Image.open(pixels).convert("RGB")
    assert image.size == tuple(PIXELS * int(root.get(side, "0")) for side in ("width", "height"))
    ground = image.getpixel((0, 0))
    for x, y, width, height in pictures:
        part = np.asarray(image.crop([round(PIXELS * edge) for edge in (x, y, x + width, y + height)]))
        assert np.mean(np.any(part != ground, axis=2)) > 0.01
