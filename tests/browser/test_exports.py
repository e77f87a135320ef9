"""Exports of the pages with Plotly charts, downloaded, opened and executed: they agree with the screen."""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qsl
from xml.etree import ElementTree

import nbformat
import pytest
from nbclient import NotebookClient
from playwright.sync_api import Browser, Page, TimeoutError, expect

from mdcore.__main__ import main
from mdcore.papers.protocol import protocol
from tests.browser.conftest import Open
from tests.browser.forms import rest, tries
from tests.browser.server import Server, serve
from tests.executing import check_same_code, code_of, executed
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[2]
EXACT = 1e-9
SWEEP = "data=moons&n=60&seed=2&gamma=1&methods=svm,ldm&view.x=ldm.lambda1&view.xn=3&view.repeats=2"
TABLE = "paper=mcodm-2017&table=2&datasets=iris&methods=ova&splits=2"
COMPARISON = "data=moons&n=60&methods=svm,ldm&view.compared=svm,ldm&view.repeats=2&view.parameters=defaults"


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Start a server with a computed table; test_tables_page runs one from the page."""
    store = tmp_path_factory.mktemp("store") / "tables.db"
    asked = [part for pair in parse_qsl(TABLE) for part in (f"--{pair[0]}", pair[1])]
    assert main(["tables", *asked, "--store", str(store), "--jobs", "1"]) == 0
    with serve(MARGIN_LAB_STORE=str(store), MARGIN_LAB_DATA="") as server:
        yield server


def taken(page: Page, label: str, folder: Path) -> Path:
    """Download an item of the export menu; a menu that a late run of the page has closed is opened again."""
    rest(page)
    item = page.get_by_role("button", name=label, exact=True)
    with page.expect_download() as download:
        for wait in tries():
            if not item.is_visible():
                page.get_by_role("button", name="Export").click()
            try:
                item.click(timeout=wait)
                break
            except TimeoutError:
                page.keyboard.press("Escape")
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def printed_in_a_kernel(path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=int(PATIENCE), resources={"metadata": {"path": str(path.parent)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    assert any("application/vnd.plotly.v1+json" in output.get("data", {}) for output in outputs)
    return "".join(output["text"] for output in outputs if output.get("name") == "stdout")


def check_pictures(page: Page, folder: Path) -> None:
    """Assert that both formats contain every chart on screen, with its text."""
    page.locator(".js-plotly-plot .xtitle:visible").first.wait_for()
    drawing = taken(page, "Picture of the charts (SVG)", folder)
    words = " ".join(ElementTree.parse(drawing).getroot().itertext())
    shown = page.locator(".js-plotly-plot .xtitle:visible").all_text_contents()
    assert shown
    assert all(text in words for text in shown)
    pixels = taken(page, "Picture of the charts (PNG)", folder).read_bytes()
    assert pixels.startswith(b"\x89PNG")
    assert len(pixels) > 10_000


def check_page(page: Page, path: Path, charts: int) -> None:
    other = page.context.new_page()
    asked: list[str] = []
    other.on("request", lambda request: asked.append(request.url))
    other.goto(path.as_uri())
    expect(other.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    assert other.locator(".js-plotly-plot").count() == charts
    assert [url for url in asked if url.startswith("http")] == []
    other.close()


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def same(text: str, number: object) -> bool:
    found, given = float(text or "nan"), float(str(number))
    return math.isnan(found) == math.isnan(given) and not abs(found - given) > EXACT


def test_a_sweep_is_taken_away(open_page: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = open_page(f"sensitivity?{SWEEP}", own=True)
    page.get_by_role("button", name="Export").wait_for()
    table = rows(taken(page, "Every number (CSV)", tmp_path))
    assert len(table) == 2 * 3 * 2
    script = executed(taken(page, "Python script", tmp_path).read_text(encoding="utf-8"), tmp_path)
    notebook = printed_in_a_kernel(taken(page, "Notebook", tmp_path), monkeypatch)
    for printed in (script, notebook):
        records = [eval(line, {"nan": math.nan, "inf": math.inf}) for line in printed.splitlines()]
        for record, row in zip(records, table, strict=True):
            assert record["method"] == row["method"]
            numbers = {key: value for key, value in record.items() if key not in ("method", "converged", "seconds")}
            assert all(same(row[key], value) for key, value in numbers.items())
    assert (tmp_path / "picture.html").stat().st_size > 1000
    check_pictures(page, tmp_path)
    check_page(page, taken(page, "Interactive figure (HTML)", tmp_path), charts=1)


def test_the_effect_of_a_parameter_is_taken_away(open_page: Open, tmp_path: Path) -> None:
    page = open_page("methods?method=ldm", own=True)
    page.get_by_role("button", name="Export").wait_for()
    margins = rows(taken(page, "Margins of every example (CSV)", tmp_path))
    code = taken(page, "Python script", tmp_path).read_text(encoding="utf-8")
    check_same_code(taken(page, "Notebook", tmp_path).read_text(encoding="utf-8"), code)
    script = executed(code, tmp_path)
    printed = {tuple(line.split("; ")[:3]): float(line.split("; ")[3]) for line in script.splitlines()}
    settings = {row["setting"] for row in margins}
    assert len(settings) == 3
    for setting in settings:
        for part in ("train", "test"):
            own = [float(r["margin (geometric)"]) for r in margins if (r["setting"], r["part"]) == (setting, part)]
            assert printed[setting, part, "mean"] == pytest.approx(sum(own) / len(own), abs=EXACT)
            assert printed[setting, part, "min"] == min(own)
    assert all(page.get_by_text(setting).count() for setting in settings)
    check_pictures(page, tmp_path)
    check_page(page, taken(page, "Interactive figure (HTML)", tmp_path), charts=1)


def test_a_table_is_taken_away(browser: Browser, own_server: Server, tmp_path: Path) -> None:
    page = browser.new_context(accept_downloads=True, bypass_csp=True).new_page()
    page.goto(f"{own_server.address}/tables?{TABLE}")
    page.get_by_role("button", name="Export").wait_for()
    table = rows(taken(page, "Every number of the table (CSV)", tmp_path))
    code = taken(page, "Python script", tmp_path).read_text(encoding="utf-8")
    check_same_code(taken(page, "Notebook", tmp_path).read_text(encoding="utf-8"), code)
    printed = executed(code, tmp_path)
    again = list(csv.DictReader(io.StringIO(printed[printed.index("paper,table") :])))
    assert len(again) == len(table) == 1
    assert all(again[0][key] == value for key, value in table[0].items())
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="Margins", exact=True).click()
    check_pictures(page, tmp_path)
    check_page(page, taken(page, "Interactive figures (HTML)", tmp_path), charts=1)
    margins = rows(taken(page, "Margins of every example (CSV)", tmp_path))
    wrong = [float(row["margin (paper)"]) <= 0 for row in margins if row["part"] == "test"]
    assert 1 - sum(wrong) / len(wrong) == pytest.approx(
        float(table[0]["mean"]) / protocol("mcodm-2017", 2).unit, abs=EXACT
    )
    page.context.close()


def test_a_comparison_is_taken_away(open_page: Open, tmp_path: Path) -> None:
    page = open_page(f"compare?{COMPARISON}", own=True)
    page.get_by_role("button", name="Export").wait_for()
    panels = " ".join(ElementTree.parse(taken(page, "Picture of the charts (SVG)", tmp_path)).getroot().itertext())
    assert all(name in panels for name in ("SVM", "LDM"))
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="Where does it fail?").click()
    check_pictures(page, tmp_path)
    page.keyboard.press("Escape")
    page.get_by_role("radio", name="Take it away").click()
    script, notebook = (
        executed(read(taken_openly(page, label, tmp_path).read_text(encoding="utf-8")), tmp_path)
        for label, read in (("Script (Python)", str), ("Notebook", code_of))
    )
    assert notebook == script
    with zipfile.ZipFile(taken_openly(page, "Tables (CSV)", tmp_path)) as archive:
        scores = list(csv.DictReader(io.StringIO(archive.read("scores.csv").decode("utf-8-sig"))))
    printed = [float(number) for number in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", script)]
    for row in scores:
        assert any(abs(float(row["accuracy"]) - number) <= EXACT for number in printed)


def taken_openly(page: Page, label: str, folder: Path) -> Path:
    rest(page)
    with page.expect_download() as download:
        page.get_by_role("button", name=label, exact=True).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path
