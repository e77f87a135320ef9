"""Exported pictures of Plotly charts: hostile names are plain text, and a missing chart gives a message."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open, Visit
from tests.browser.forms import one_chart, rest
from tests.browser.test_own import compare, upload

CLASSES = ("<svg onload=f()>", "]]> & <b>x</svg>")  # short enough to stand whole beside a confusion matrix
COLUMNS = ("<script>attack()</script>", "<a href='javascript:attack()'>b &amp; c</a>")
DRAWN_BY = {"svg", "g", "rect", "path", "text", "tspan", "defs", "clipPath", "style", "image", "line", "circle", "use"}
GRADIENTS = {"linearGradient", "radialGradient", "stop", "pattern"}


def content() -> bytes:
    rng = np.random.default_rng(3)
    made = io.StringIO()
    rows = csv.writer(made)
    rows.writerow([*COLUMNS, "target"])
    for i in range(60):
        rows.writerow([*(f"{value + 2 * (i % 2):.3f}" for value in rng.normal(size=2)), CLASSES[i % 2]])
    return made.getvalue().encode()


def drawing(page: Page, folder: Path) -> ElementTree.Element:
    rest(page)
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture of the charts (SVG)").click()
    path = folder / "charts.svg"
    download.value.save_as(path)
    page.keyboard.press("Escape")
    return ElementTree.parse(path).getroot()


def check(root: ElementTree.Element) -> str:
    """Assert that the picture has drawing elements only, without active content, and return its text."""

    def local(name: str) -> str:
        return name.rpartition("}")[2]

    assert {local(one.tag) for one in root.iter()} <= DRAWN_BY | GRADIENTS
    attributes = [(local(name), value) for one in root.iter() for name, value in one.attrib.items()]
    assert not [name for name, _ in attributes if name.lower().startswith("on")]
    links = [value for name, value in attributes if name == "href"]
    assert all(value.startswith(("#", "data:image/png")) for value in links)
    return " ".join(" ".join("".join(one.itertext()) for one in root.iter() if local(one.tag) == "text").split())


@pytest.fixture
def compared(visit: Visit) -> Page:
    page = visit("data=moons&n=60&methods=svm&gamma=1").page
    page.evaluate("() => { window.attack = window.f = () => { throw new Error('attacked'); }; }")
    upload(page, content(), "<img src=x onerror=attack()>.csv")
    compare(page)
    return page


def test_hostile_names_are_text_in_the_pictures_of_charts(compared: Page, tmp_path: Path) -> None:
    compared.get_by_role("radio", name="Where does it fail?").click()
    expect(compared.locator(".js-plotly-plot .main-svg").last).to_be_visible()
    said = check(drawing(compared, tmp_path))
    for name in CLASSES:
        assert name in said
    compared.get_by_role("radio", name="Why?").click()
    one_chart(compared)
    expect(compared.locator(".js-plotly-plot .ytick")).to_have_count(len(COLUMNS))
    said = check(drawing(compared, tmp_path))
    for name in COLUMNS:
        assert name in said


def test_without_a_chart_the_picture_says_so(open_page: Open) -> None:
    page = open_page("sensitivity?data=moons&n=60&methods=svm&view.x=svm.C&view.xn=2&view.repeats=1&view.show=table")
    page.get_by_role("button", name="Export").click()
    page.get_by_role("button", name="Picture of the charts (PNG)").click()
    expect(page.get_by_role("status").filter(has_text=re.compile("^There is no chart yet"))).to_be_visible()
