"""The online page in a browser: a stream, forwards and backwards."""

from __future__ import annotations

import math
import re
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import expect

from mdcore import Experiment
from mdcore.experiment.race import clock, standings
from mdcore.serving.stage_pages.online import ONLINE
from tests.browser.conftest import Look, Visit
from tests.browser.desk import LAPTOP
from tests.browser.stage import Stage
from tests.browser.test_access import (
    PHONE,
    PROJECTOR,
    TEXT_ON_GROUND,
    covered,
    faint,
    in_window,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

CHARTS = ("race", "cumulative", "weights", "balls", "counts")


def open_online(visit: Visit, query: str = "", **options: object) -> Stage:
    return visit(query, path="online", **options)


def counts(stage: Stage) -> dict[tuple[str, str], float]:
    cells = stage.page.get_by_test_id("count").evaluate_all(
        "cells => cells.map(({dataset: {method, count, value}}) => [method, count, value])"
    )
    return {(method, count): float(value) if value else math.nan for method, count, value in cells}


def check_race(stage: Stage) -> Experiment:
    """Assert that every number on screen is that of the experiment in the URL."""
    experiment = stage.check_numbers()
    learners = standings(experiment, experiment.run())
    expected = {}
    for learner in learners:
        key, limit = learner.method.key, learner.limit.margin
        expected |= {
            (key, "updates"): learner.updates,
            (key, "mistakes"): learner.mistakes,
            (key, "margin"): learner.margin,
            (key, "share"): math.nan if limit is None else learner.margin / limit,
            (key, "bound"): math.nan if learner.bound is None else learner.bound.value,
        }
    assert counts(stage) == pytest.approx(expected, rel=1e-9, abs=1e-12, nan_ok=True)
    return experiment


def step_to(stage: Stage, button: str) -> int:
    before = stage.settle()["step"]
    stage.button(button).click()
    stage.page.wait_for_function(
        "before => JSON.parse(document.querySelector('[data-testid=stage]').dataset.drawn).step !== before", arg=before
    )
    return int(stage.settle()["step"])


def pictures(stage: Stage) -> list[str]:
    """Return the pixels of the panels and the charts."""
    views = [stage.panel("pumma"), stage.panel("romma"), *map(stage.page.get_by_test_id, CHARTS[:4])]
    return [stage.pixels(stage.picture(view)) for view in views]


def test_it_opens_in_the_middle_of_a_race_that_needs_no_scrolling(visit: Visit) -> None:
    stage = open_online(visit)
    assert check_race(stage) == Experiment.from_query(ONLINE.query)
    for view in (stage.panel("pumma"), stage.panel("romma"), *map(stage.page.get_by_test_id, CHARTS)):
        expect(view).to_be_in_viewport(ratio=1)
    for control in (stage.slider("step"), stage.button("Play"), stage.slider("pumma.p"), stage.slider("romma.delta")):
        expect(control).to_be_in_viewport(ratio=1)
    expect(stage.chip("ALMA_p")).to_be_visible()
    expect(stage.chip("MICRA")).to_be_visible()
    expect(stage.root).to_contain_text("Example 16 (pass 1, row 24, class 1): PUMMA")


def test_it_is_reached_by_the_navigation(visit: Visit) -> None:
    stage = visit("data=moons&n=60&methods=svm")
    stage.page.get_by_role("link", name="Online").click()
    stage.page.wait_for_url(re.compile("/online"))
    expect(stage.slider("step")).to_be_visible()
    assert check_race(stage) == Experiment.from_query(ONLINE.query)


def test_steps_go_by_example_and_by_update_and_back_to_the_same_picture(visit: Visit) -> None:
    stage = open_online(visit)
    experiment = check_race(stage)
    first, before = stage.settle()["step"], pictures(stage)
    now = clock(experiment, standings(experiment, experiment.run()))
    assert now is not None
    assert step_to(stage, "One example forward") == first + 1
    check_race(stage)
    assert step_to(stage, "One example back") == first
    assert pictures(stage) == before
    assert step_to(stage, "Forward to the next update") == now.next
    check_race(stage)
    assert pictures(stage) != before
    assert step_to(stage, "Back to the previous update") == now.previous
    assert step_to(stage, "To the start: no example seen") == 0
    expect(stage.root).to_contain_text("No example has been seen")
    assert not any(counts(stage)[key, "updates"] for key in ("pumma", "romma"))
    assert step_to(stage, "To the end: no further updates") == now.end
    check_race(stage)
    for name in ("One example forward", "Forward to the next update"):
        expect(stage.button(name)).to_have_attribute("aria-disabled", "true")
    expect(stage.root).to_contain_text("PUMMA has ended after 126 examples with 11 updates")


def test_play_goes_from_update_to_update_until_the_end(visit: Visit) -> None:
    stage = open_online(visit, f"{ONLINE.query}&step=3".replace("&step=16", "").replace("pumma,romma", "pumma,micra"))
    recorded = stage.record_pictures()
    stage.button("Play").click()
    stage.page.wait_for_function("new Set(window.pictures.map(drawn => drawn.step)).size >= 5")
    stage.page.keyboard.press("Escape")
    expect(stage.button("Play")).to_have_attribute("aria-pressed", "false")
    steps = [picture["step"] for picture in recorded()]
    assert steps == sorted(steps)
    experiment = check_race(stage)
    traces = [experiment.trace(key) for key in experiment.methods]
    made = {trace.step_of(k) for trace in traces for k in range(1, trace.updates + 1)}
    assert set(steps) <= made
    stage.root.get_by_role("combobox", name="Speed of play").select_option("all")
    end = max(trace.end for trace in traces)
    stage.type_number("step", str(end - 60))  # the whole stream takes 15 s
    stage.settle()
    stage.button("Play").click()
    stage.page.wait_for_function(f"window.pictures.at(-1).step === {end}")
    expect(stage.button("Play")).to_have_attribute("aria-pressed", "false")
    check_race(stage)


def test_an_address_is_the_state_after_a_reload(visit: Visit) -> None:
    stage = open_online(visit, "data=blobs&n=50&seed=3&noise=0.3&methods=pumma,alma&pumma.p=4&step=23")
    experiment = check_race(stage)
    assert (experiment.methods, experiment.step, experiment.kernel.name) == (("pumma", "alma"), 23, "linear")
    stage.slider("step").press("ArrowRight")
    assert stage.settle()["step"] == 24
    stage.check_numbers()
    stage.page.reload()
    assert stage.settle()["step"] == 24
    assert check_race(stage).step == 24
    stage.page.go_back()
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"step":23'))


def test_the_slider_and_its_twin_are_the_same_control(visit: Visit) -> None:
    stage = open_online(visit)
    for key, step in (("ArrowRight", 17), ("ArrowLeft", 16), ("PageUp", 20), ("PageDown", 14), ("Home", 0)):
        stage.slider("step").press(key)
        expect(stage.root).to_have_attribute("data-drawn", re.compile(f'"step":{step}[,}}]'))
    stage.slider("step").press("End")
    assert stage.settle()["step"] == 3234
    stage.type_number("step", "100")
    assert stage.settle()["step"] == 100
    expect(stage.slider("step")).to_have_attribute("aria-valuetext", "examples seen = 100")
    check_race(stage)
    stage.type_number("step", "-3")
    expect(stage.field("step")).to_have_attribute("aria-invalid", "true")
    expect(stage.field("step")).to_have_accessible_description(re.compile(r"an integer in \[0, ∞\)"))
    assert stage.settle()["step"] == 100


def test_a_press_in_the_race_goes_to_that_time(visit: Visit) -> None:
    stage = open_online(visit)
    race = stage.page.get_by_test_id("race")
    stage.click(stage.at(race, 0.6, 0.5))
    stage.page.wait_for_function(
        "!document.querySelector('[data-testid=stage]').dataset.drawn.includes('\"step\":16,')"
    )
    middle = stage.settle()["step"]
    assert 30 < middle < 1000
    check_race(stage)
    stage.drag(stage.at(race, 0.6, 0.5), stage.at(race, 0.3, 0.5))
    assert stage.settle()["step"] < middle
    stage.root.get_by_role("radio", name="Against the updates").click()
    assert stage.settings["view.race"] == "updates"


def test_a_moved_parameter_races_again_from_the_same_time(visit: Visit) -> None:
    stage = open_online(visit)
    name = stage.picture(stage.page.get_by_test_id("balls"))
    expect(name).to_have_attribute("aria-label", re.compile(r"in the norm of p = 2, weights in that of q = 2;"))
    stage.type_number("pumma.p", "8")
    assert stage.settle()["step"] == 16
    check_race(stage)
    expect(name).to_have_attribute("aria-label", re.compile(r"in the norm of p = 8, weights in that of q = 1\.14;"))
    race = stage.picture(stage.page.get_by_test_id("race"))
    expect(race).to_have_attribute("aria-label", re.compile(r"^Margin so far, after 16 of \d+ examples\. PUMMA -?0\."))


QUERIES = (
    "data=threshold&n=100&features=30&r=2&methods=pumma,alma&pumma.p=6.8&alma.p=6.8&step=120",
    "data=moons&n=60&kernel=rbf&gamma=1&methods=pumma,romma,alma,micra&pumma.soft=0.5&step=77",
    "data=moons&n=40&noise=0.4&methods=pumma&step=1000000",
    "methods=svm,pumma&step=9",
)


def test_numbers_are_those_of_the_experiment(look: Look) -> None:
    stage = look(QUERIES[0], path="online")
    for query in QUERIES:
        stage.go(query)
        check_race(stage)
        if "noise=0.4" in query:
            expect(stage.root).to_contain_text("may not be separable")
            race = stage.picture(stage.page.get_by_test_id("race"))
            expect(race).to_have_attribute(
                "aria-label", re.compile("not separable at working precision: there is no largest margin")
            )


def test_without_an_online_learner_the_page_says_what_to_do(visit: Visit) -> None:
    stage = open_online(visit, "methods=svm")
    expect(stage.slider("step")).to_have_count(0)
    race = stage.picture(stage.page.get_by_test_id("race"))
    expect(race).to_have_attribute("aria-label", re.compile("No online learner of two classes is shown"))
    stage.chip("PUMMA").click()
    stage.settle()
    expect(stage.slider("step")).to_be_visible()
    check_race(stage)


def test_a_bad_step_is_refused_with_the_reason(visit: Visit) -> None:
    stage = open_online(visit, "step=soon")
    expect(stage.root).to_have_attribute("data-error", re.compile(r"step must be an integer in \[0, ∞\)"))


def test_the_stream_is_gone_through_from_the_keyboard(visit: Visit) -> None:
    stage = open_online(visit)
    keyboard = stage.page.keyboard
    stage.button("Forward to the next update").focus()
    keyboard.press("Enter")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"step":20'))
    stage.slider("step").focus()
    keyboard.press("ArrowLeft")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"step":19'))
    expect(stage.root.locator("p[aria-live=polite]")).to_contain_text("Example 19 (pass 1")
    help_button = stage.button("Help for Margin so far")
    help_button.focus()
    keyboard.press("Enter")
    expect(stage.root.get_by_role("dialog", name="Margin so far")).to_contain_text("largest margin of any hyperplane")
    keyboard.press("Escape")
    check_race(stage)


def test_text_can_be_read(look: Look) -> None:
    stage = look("methods=pumma,romma,alma,micra&step=20", path="online")
    for scheme in ("light", "dark"):
        stage.wear(scheme)
        texts = stage.page.evaluate(TEXT_ON_GROUND)
        assert len(texts) > 100
        assert not faint(texts), scheme


def named(stage: Stage) -> list[str]:
    """Return controls and pictures without an accessible name."""
    return stage.page.evaluate("""() => [...document.querySelectorAll(
      '[data-testid=stage] :is(button, input, select, [role=img], [role=region], [role=group], [role=radiogroup])')]
      .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim())).map((e) => e.outerHTML)""")


def test_everything_has_a_name(look: Look) -> None:
    stage = look(path="online")
    assert named(stage) == []
    for chart in CHARTS[:4]:
        name = stage.picture(stage.page.get_by_test_id(chart)).get_attribute("aria-label") or ""
        assert len(name) > 40
    ids = stage.page.evaluate("[...document.querySelectorAll('[data-testid=stage] [id]')].map((e) => e.id)")
    assert len(ids) == len(set(ids))


def test_nothing_lies_on_a_control(look: Look) -> None:
    stage = look(path="online")
    for methods in ("pumma", "pumma,romma", "pumma,romma,alma,micra"):
        stage.go(f"methods={methods}&step=12")
        for viewport in (LAPTOP, PHONE):
            stage.resize(viewport)
            assert covered(stage) == [], (methods, viewport)


# The positions of visible elements.
BOXES = """all => all.filter((one) => one.checkVisibility({visibilityProperty: true}))
  .map((one) => one.getBoundingClientRect()).filter(({width, height}) => width && height)
  .map(({left, top, right, bottom}) => [left, top, right, bottom])"""


@pytest.mark.parametrize(
    ("view", "viewports"),
    [("", (LAPTOP, PROJECTOR, PHONE)), ("&view.projector=1", (PROJECTOR,))],
    ids=["desk", "room"],
)
def test_no_chart_lies_on_another(look: Look, view: str, viewports: tuple[dict[str, int], ...]) -> None:
    stage = look(path="online")
    for methods in ("pumma", "pumma,romma", "pumma,romma,alma", "pumma,romma,alma,micra"):
        stage.go(f"methods={methods}&step=12{view}")
        for viewport in viewports:
            stage.resize(viewport)
            check_charts_apart(stage)
            sentence = stage.root.locator(".ml-sentence")
            if not view or methods.count(",") < 2:
                assert sentence.evaluate("sentence => sentence.scrollHeight - sentence.clientHeight") <= 1, "it is cut"
            assert stage.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]


def check_charts_apart(stage: Stage) -> None:
    boxes = stage.root.locator(".ml-chart, .ml-table-frame, .ml-panel, .ml-sentence").evaluate_all(BOXES)
    assert len(boxes) >= 6
    for (left, top, right, bottom), other in combinations(boxes, 2):
        wide, high = min(right, other[2]) - max(left, other[0]), min(bottom, other[3]) - max(top, other[1])
        assert max(0.0, wide) * max(0.0, high) < 1.0


def test_pins_find_room_in_the_tables(look: Look) -> None:
    stage = look("methods=pumma,romma&step=12", path="online")
    stage.button("Pin").click()
    stage.button("One example forward").click()
    stage.settle()
    expect(stage.button("Remove pin 1")).to_be_visible()
    check_charts_apart(stage)


def test_a_phone_scrolls_down_only_and_reaches_everything(visit: Visit) -> None:
    stage = open_online(visit, viewport=PHONE, has_touch=True)
    for control in (stage.slider("step"), stage.field("step"), stage.button("Play"), stage.slider("pumma.p")):
        assert in_window(stage, control)
    for view in (stage.panel("pumma"), *map(stage.page.get_by_test_id, CHARTS)):
        assert in_window(stage, view)
    stage.button("One example forward").tap()
    assert stage.settle()["step"] == 17
    check_race(stage)


def test_a_projector_shows_the_race_in_large_type(look: Look) -> None:
    stage = look("view.projector=1", path="online", viewport=PROJECTOR)
    for view in (stage.panel("pumma"), *map(stage.page.get_by_test_id, ("race", "counts"))):
        expect(view).to_be_in_viewport(ratio=1)
    for below in map(stage.page.get_by_test_id, ("weights", "balls", "cumulative")):
        expect(below).to_be_visible()
    check_race(stage)


def test_the_papers_experiment_runs_below_the_stage_and_leaves_it_alone(visit: Visit) -> None:
    stage = open_online(visit, "step=9")
    page = stage.page
    for label, value in (
        ("examples", "40"),
        ("variables n", "10"),
        ("relevant k", "5"),
        ("samples", "1"),
        ("epochs", "50"),
    ):
        page.get_by_label(label, exact=True).fill(value)
        page.get_by_label(label, exact=True).press("Enter")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("All 10 of 10 runs made.")).to_be_visible()
    expect(page.locator(".js-plotly-plot")).to_have_count(2)
    expect(page.get_by_text("40 examples, 10 variables, k = 5, 1 sample from seed 0")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    assert download.value.suggested_filename == "learning.csv"
    rows = pd.read_csv(download.value.path())
    assert list(rows.columns[:4]) == ["learner", "p", "r", "epoch"]
    page.get_by_role("button", name="Export").last.click()
    for label, name in [("Python script", "learning.py"), ("Interactive figures (HTML)", "learning.html")]:
        with page.expect_download() as download:
            page.get_by_role("button", name=label).last.click()
        assert download.value.suggested_filename == name
    assert Path(download.value.path()).read_text(encoding="utf-8").count("plotly-graph-div") >= 2
    assert len(rows.groupby(["learner", "p", "r"])) == 10
    assert check_race(stage).step == 9


def test_on_a_phone_every_column_of_the_race_has_its_head(visit: Visit) -> None:
    stage = visit(path="online", viewport={"width": 390, "height": 844})
    table = stage.page.locator(".ml-counts table")
    cells = table.locator("tbody tr").first.locator("th:visible, td:visible")
    expect(table.locator("thead th:visible")).to_have_count(cells.count())
    expect(table.get_by_text("of largest")).to_be_visible()
