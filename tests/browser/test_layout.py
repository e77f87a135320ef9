"""In every window the two charts of margins are large, and nothing overflows sideways."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Look, Visit

WINDOWS = ((1280, 720), (1280, 800), (1920, 1080), (390, 844))
LEAST = 0.35  # of the height of the window
HEIGHTS = """() => [...document.querySelectorAll('[data-testid=histogram], [data-testid=cumulative]')]
  .map(view => view.getBoundingClientRect().height / innerHeight)"""
SIDEWAYS = """() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth"""
PLAYGROUND = ("methods=ldm", "methods=svm,ldm", "methods=svm,ldm,odm", "methods=svm,ldm,odm,msvmav")


@pytest.mark.parametrize(
    ("path", "queries", "charts"),
    [
        ("", (*PLAYGROUND, *(f"{query}&view.projector=1" for query in PLAYGROUND)), 2),
        ("multiclass", ("", "methods=mcodm,mcsvm,ova,ovo&view.projector=1"), 2),
        ("online", ("", "methods=pumma"), 1),
    ],
)
def test_the_margins_have_a_third_of_every_window(look: Look, path: str, queries: tuple[str, ...], charts: int) -> None:
    stage = look(path=path)
    for query in queries:
        stage.go(query)
        for width, height in WINDOWS:
            stage.resize({"width": width, "height": height})
            heights = stage.page.evaluate(HEIGHTS)
            assert len(heights) == charts
            assert min(heights) >= LEAST, (query, width, height)
            assert stage.page.evaluate(SIDEWAYS) <= 0, (query, width, height)


def test_on_a_projector_the_first_look_has_both_charts_whole(look: Look) -> None:
    stage = look(viewport={"width": 1280, "height": 720})
    for query in PLAYGROUND:
        stage.go(f"{query}&view.projector=1")
        for name in ("histogram", "cumulative"):
            box = stage.page.get_by_test_id(name).bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= 720 + 8, (query, name)


OUTSIDE = """() => document.querySelector('[data-testid=stMain]').scrollHeight - innerHeight"""
WIDER_THAN_THEIR_CELLS = """() => [...document.querySelectorAll('.ml-table :is(td, thead th)')]
  .filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.innerText)"""


@pytest.mark.parametrize("methods", ["ldm", "svm,ldm", "svm,ldm,odm,msvmav"])
def test_a_laptop_shows_all_differences_from_a_pin_without_scrolling(visit: Visit, methods: str) -> None:
    """Every row of the table has a second line, and the sentence has as much to say as it can."""
    opening = "data=moons&n=300&noise=0.25&outliers=6&seed=0&kernel=rbf"
    stage = visit(f"{opening}&gamma=4&methods={methods}&svm.C=100&ldm.lambda1=512&ldm.lambda2=512")
    stage.button("Pin").click()
    stage.announced("Pinned.")
    stage.settle()
    for param, value in (("noise", "0.35"), ("ldm.lambda2", "64"), ("ldm.C", "1")):
        stage.type_number(param, value)
        stage.settle()
    expect(stage.page.locator("[data-testid=stat] [data-pin]").last).to_be_visible()
    assert stage.page.evaluate(OUTSIDE) <= 0
    assert stage.page.evaluate(WIDER_THAN_THEIR_CELLS) == []


def test_on_a_projector_pictures_beside_the_race_grow_with_the_type_and_heads_do_not_touch(look: Look) -> None:
    stage = look(path="online")
    balls = stage.page.get_by_test_id("balls")
    small = balls.bounding_box()
    for methods in ("pumma,romma", "pumma,romma,alma", "pumma,romma,alma,micra"):
        stage.go(f"methods={methods}&view.projector=1")
        large = balls.bounding_box()
        assert small is not None
        assert large is not None
        assert large["height"] >= 1.2 * small["height"]
        assert stage.page.evaluate(WIDER_THAN_THEIR_CELLS) == []


def test_the_signs_of_many_rows_take_one_line_as_those_of_few_do(look: Look) -> None:
    stage = look("data=moons&n=300&methods=svm,ldm&kernel=rbf&gamma=1")
    legend = stage.root.locator(".ml-legend-line")
    few = legend.bounding_box()
    decided = "within=5600,svm-landmarks-256,ldm-landmarks-256"
    stage.go(f"data=moons&n=8000&methods=svm,ldm&kernel=rbf&gamma=1&{decided}")
    expect(legend).to_contain_text("many examples; dark middle: errors")
    many = legend.bounding_box()
    assert few is not None
    assert many is not None
    assert many["height"] == few["height"]
    expect(stage.root.locator("caption")).to_contain_text("5,600 train, 2,400 test")
    for method in ("svm", "ldm"):
        expect(stage.panel(method).locator("xpath=ancestor::section[1]")).to_contain_text(re.compile(r"\d+ landmarks"))
