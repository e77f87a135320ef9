"""The URL holds the whole state: share, reload, go back; two tabs are independent."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from mdcore import Experiment
from mdcore.experiment.query import OPENING
from tests.browser.conftest import Open, Visit
from tests.browser.stage import Stage

SMALL = "data=moons&n=80&noise=0.2&seed=1&gamma=1&methods=svm,ldm&svm.C=1"


def busy_state(stage: Stage) -> None:
    """Return a state with a bit of everything that the URL can hold."""
    stage.type_number("svm.C", "3")
    stage.settle()
    stage.button("Pin").click()
    stage.settle()
    stage.chip("ODM").click()
    stage.settle()
    stage.take_tool("Add example of class 1")
    stage.click(stage.at(stage.panel("svm"), 0.5, 0.2))
    stage.settle()
    stage.root.get_by_role("radio", name="Functional margins").click()
    stage.settle()
    stage.root.get_by_role("radio", name="Show train").click()
    stage.take_tool("Inspect")
    stage.page.mouse.move(0, 0)


def test_a_shared_address_and_a_reload_show_the_same_picture(visit: Visit) -> None:
    stage = visit(SMALL)
    busy_state(stage)
    experiment, numbers, query = stage.check_numbers(), stage.numbers(), stage.query
    pictures = [stage.pixels(canvas) for canvas in stage.page.get_by_role("img").all()]
    stage.button("Copy the URL of this state").click()
    expect(stage.root.get_by_role("alert")).to_contain_text("copied")
    shared = urlsplit(stage.page.evaluate("navigator.clipboard.readText()")).query
    assert Experiment.from_query(shared) == experiment

    stage.page.reload()
    elsewhere = visit(shared)
    for other in (stage, elsewhere):
        assert other.check_numbers() == experiment
        assert other.numbers() == numbers
        assert other.query == query
        expect(other.root.get_by_role("radio", name="Show train")).to_have_attribute("aria-checked", "true")
        expect(other.page.get_by_role("img")).to_have_count(len(pictures))
        assert [other.pixels(canvas) for canvas in other.page.get_by_role("img").all()] == pictures


def test_back_and_forward(visit: Visit) -> None:
    stage = visit(SMALL)
    values = ["1", "2", "4"]
    for value in values[1:]:
        stage.type_number("svm.C", value)
        stage.settle()
    for step, value in (("go_back", 2), ("go_back", 1), ("go_forward", 2), ("go_forward", 4), ("go_back", 2)):
        getattr(stage.page, step)()
        expect(stage.root).to_have_attribute("data-drawn", re.compile(f'"svm.C":{value},'))
        assert stage.check_numbers().settings("svm")["C"] == value
    stage.type_number("svm.C", "8")
    stage.settle()
    expect(stage.button("Redo (Ctrl+Shift+Z)")).to_have_attribute("aria-disabled", "true")
    stage.page.go_back()
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"svm.C":2,'))


def test_a_drag_is_one_step_back(visit: Visit) -> None:
    stage = visit(SMALL)
    slider = stage.slider("svm.C")
    stage.drag(stage.at(slider, 0.5, 0.5), stage.at(slider, 0.9, 0.5), steps=30)
    assert stage.settle()["svm.C"] > 8
    stage.button("Undo (Ctrl+Z)").click()
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"svm.C":1,'))
    stage.check_numbers()
    expect(stage.button("Undo (Ctrl+Z)")).to_have_attribute("aria-disabled", "true")


def test_two_tabs_do_not_influence_each_other(visit: Visit) -> None:
    one = visit(SMALL)
    two = visit("data=circles&n=60&methods=odm", context=one.page.context)
    one.type_number("svm.C", "2")
    two.type_number("odm.theta", "0.25")
    assert one.check_numbers().data.source == "moons"
    assert two.check_numbers().data.source == "circles"
    for step in range(5):
        one.slider("svm.C").press("ArrowRight")
        two.slider("odm.lam").press("ArrowLeft")
        if step == 2:
            two.page.reload()
            two.settle()
    assert one.check_numbers().settings("svm")["C"] == pytest.approx(2**2.25, rel=1e-9)
    assert two.check_numbers().settings("odm")["theta"] == 0.25
    assert set(two.drawn) & {"svm.C", "ldm.C"} == set()


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("data=moons&svm.C=-1", "C must be a number in (0, ∞]; got -1"),
        ("data=moons&n=60&edits=d_99", "99"),
        ("data=breast-cancer&view.pin1=data%3Dnowhere", "Pin 1 cannot be read"),
        ("view.split=neither", "view.split must be one of both, train, test"),
    ],
)
def test_a_bad_address_shows_the_reason_and_the_opening_picture(visit: Visit, query: str, reason: str) -> None:
    stage = visit(query)
    expect(stage.root).to_have_attribute("data-error", re.compile(re.escape(reason)))
    expect(stage.root.get_by_role("alert")).to_contain_text(reason)
    assert stage.check_numbers() == Experiment.from_query(OPENING)
    stage.slider("svm.C").press("ArrowRight")
    stage.settle()
    assert stage.root.get_attribute("data-error") is None
    expect(stage.root.get_by_role("alert")).to_be_hidden()


AT_REST = """([path, keys]) => location.pathname === path && (!keys || location.search.length > 1)
  && document.querySelector("[data-testid=stApp]").dataset.testScriptState === "notRunning" """
PAGES = {  # path; an element that is visible once it is loaded; whether its URL holds its state
    "Playground": ("/", "[data-testid=stage][data-busy=false]", True),
    "Sensitivity": ("/sensitivity", ".js-plotly-plot", True),
    "Compare": ("/compare", ".st-key-headline", True),
    "Multi-class": ("/multiclass", "[data-testid=stage][data-busy=false]", True),
    "Online": ("/online", "[data-testid=stage][data-busy=false]", True),
    "Methods": ("/methods", "h2:has-text('SVM')", False),
}


def arrive(page: Page, name: str) -> str:
    """Wait until a page is loaded and idle, and return its URL."""
    path, sight, keys = PAGES[name]
    expect(page.get_by_role("heading", level=1, name=name, exact=True)).to_be_attached()  # not the previous page's
    page.wait_for_function(AT_REST, arg=[path, keys])
    expect(page.locator(sight).first).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    page.wait_for_function(AT_REST, arg=[path, keys])
    return page.url


def enter(page: Page, name: str) -> str:
    """Go to a page by its link; end the comparison with which Compare opens, which would take a minute."""
    page.get_by_role("link", name=name, exact=True).click()
    if name == "Compare":
        page.get_by_role("button", name="Cancel").click()
    return arrive(page, name)


def test_each_page_entered_is_one_step_back_and_one_forward(open_page: Open) -> None:
    first, *others = PAGES
    page = open_page()
    addresses = [arrive(page, first), *(enter(page, name) for name in others)]
    there = list(zip(PAGES, addresses, strict=True))
    for name, address in there[-2::-1]:
        page.go_back()
        assert arrive(page, name) == address
    for name, address in there[1:]:
        page.go_forward()
        assert arrive(page, name) == address


# Repeat a step that the browser cancelled because the page added an entry meanwhile.
STORM = """async (steps) => {
  let place = navigation.currentEntry.index;
  for (const step of steps) {
    const entry = navigation.entries()[place += step];
    while (navigation.currentEntry.key !== entry.key) {
      if (!navigation.entries().includes(entry)) throw new Error(`${entry.url} has gone from the history`);
      await navigation.traverseTo(entry.key).committed.catch(() => {});
    }
  }
}"""


def test_a_storm_of_back_and_forward_ends_on_the_page_of_its_address(open_page: Open) -> None:
    """Each step follows as soon as the previous one is in the URL, before any page is loaded."""
    page = open_page("?data=circles&n=70&seed=3&methods=svm,odm&svm.C=2")
    walk = ["Playground", "Methods", "Compare", "Sensitivity"]
    addresses = [arrive(page, walk[0]), *(enter(page, name) for name in walk[1:])]
    page.evaluate(STORM, [-1, -1, -1, 1, 1, 1, -1, 1, -1, -1, 1, -1, -1, 1, 1])
    assert arrive(page, "Compare") == addresses[2]


PUSH = "() => { history.pushState({}, '', '/compare?n=7'); return location.pathname; }"


def test_the_answer_of_a_page_that_was_left_adds_nothing_to_the_history(visit: Visit) -> None:
    stage = visit(SMALL)
    enter(stage.page, "Methods")
    stage.page.go_back()
    stage.settle()
    assert stage.page.evaluate(PUSH) == "/"
    stage.page.keyboard.press("Shift")
    assert stage.page.evaluate(PUSH) == "/compare"


def test_back_from_another_page_is_the_picture_that_was_left(visit: Visit) -> None:
    stage = visit()
    stage.type_number("svm.C", "3")
    numbers = stage.check_numbers() and stage.numbers()
    enter(stage.page, "Methods")
    stage.page.go_back()
    stage.settle()
    assert stage.check_numbers().settings("svm")["C"] == 3
    assert stage.numbers() == numbers


def test_a_page_that_has_fallen_to_nothing_is_loaded_again(visit: Visit) -> None:
    """This happens when the responses of two pages cross: Streamlit's page then goes blank."""
    stage = visit()
    stage.type_number("svm.C", "3")
    numbers = stage.check_numbers() and stage.numbers()
    with stage.page.expect_event("load"):
        stage.page.evaluate("document.getElementById('root').replaceChildren()")
    stage.settle()
    assert stage.check_numbers().settings("svm")["C"] == 3
    assert stage.numbers() == numbers


def test_an_address_that_means_nothing_is_refused_on_the_way_back_too(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.page.evaluate("history.pushState(null, '', '/?banana=1')")
    enter(stage.page, "Methods")
    stage.page.go_back()
    stage.settle()
    expect(stage.root.get_by_role("alert")).to_contain_text("Unknown key 'banana'")
    assert stage.check_numbers() == Experiment.from_query(OPENING)


def test_a_project_file_brings_the_state_back(visit: Visit, tmp_path: Path) -> None:
    stage = visit(SMALL)
    busy_state(stage)
    experiment, numbers = stage.check_numbers(), stage.numbers()
    stage.button("Export").click()
    with stage.page.expect_download() as download:
        stage.button("Project file (JSON)").click()
    project = tmp_path / download.value.suggested_filename
    download.value.save_as(project)
    assert Experiment.from_query(json.loads(project.read_text())["query"]) == experiment

    other = visit("data=circles&n=60")
    other.button("Export").click()
    with other.page.expect_file_chooser() as chooser:
        other.button("Open a project file …").click()
    chooser.value.set_files(project)
    expect(other.root).to_have_attribute("data-drawn", re.compile('"svm.C":3,'))
    assert other.check_numbers() == experiment
    assert other.numbers() == numbers

    project.write_text("no project")
    other.button("Export").click()
    with other.page.expect_file_chooser() as chooser:
        other.button("Open a project file …").click()
    chooser.value.set_files(project)
    expect(other.root.get_by_role("alert")).to_contain_text("not a project file")
    assert other.numbers() == numbers


def test_the_views_are_saved_as_a_picture(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.button("Export").click()
    with stage.page.expect_download() as download:
        stage.button("Picture of the views (PNG)").click()
    png = download.value.path().read_bytes()
    assert png.startswith(b"\x89PNG")
    assert len(png) > 50_000
    stage.button("Export").click()
    with stage.page.expect_download() as download:
        stage.button("Picture of the views (SVG)").click()
    svg = download.value.path().read_text(encoding="utf-8")
    for told in (
        stage.page.get_by_test_id("sentence").inner_text()[:40],
        "rbf kernel, γ = 1",
        "How many are at most t?",
    ):
        assert told in svg.replace("&#39;", "'")
