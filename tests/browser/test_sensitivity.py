"""The sensitivity page in a browser: from a point of a chart to the stage, the scrubber, and its file offline."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from mdcore import Experiment
from mdcore.margins.distribution import STATISTICS
from mdcore.sweep import axis_params, spaced
from tests.browser.conftest import Open, Visit
from tests.browser.desk import profile
from tests.browser.forms import choose, one_chart, press_in_chart, rest
from tests.browser.stage import SHOWN, Stage

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

PHONE = {"width": 390, "height": 844}
NO_SCROLLING = "document.querySelector('[data-testid=stMain]').scrollHeight <= innerHeight"
DRAWN = "at => document.querySelector('[data-testid=scrubber]').dataset.drawn === at"


def open_sensitivity(visit: Visit, **options: bool) -> Page:
    """Open the page by the link in the navigation, and wait for the whole sweep."""
    page = visit(**options).page
    page.get_by_role("link", name="Sensitivity").click()
    one_chart(page)
    page.wait_for_function("location.search.includes('view.x=ldm.lambda1')")
    complete(page)
    return page


def complete(page: Page) -> None:
    """Wait until all points are drawn: the files of a sweep are offered below its last picture."""
    expect(page.get_by_role("button", name="Export")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    rest(page)


def drawn(root: Locator) -> dict[str, float]:
    return json.loads(root.get_attribute("data-drawn") or "{}")


def check_frame(page: Page, experiment: Experiment) -> None:
    """Assert that the statistics on screen are those of single runs at the value on screen."""
    root = page.get_by_test_id("scrubber")
    ((key, value),) = drawn(root).items()
    method, name = key.split(".")
    runs = experiment.with_param(method, name, value).run()
    cells = root.get_by_test_id("stat").evaluate_all(SHOWN)
    assert cells
    for method, part, statistic, shown in cells:
        margins = getattr(runs[method], part)
        assert statistic in STATISTICS
        assert float(shown or "nan") == pytest.approx(getattr(margins, statistic), rel=1e-6)


def follow(page: Page) -> Stage:
    """Return the stage in the tab that the link opens."""
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open the stage at LDM: λ₁ =").click()
    stage = Stage(opened.value)
    stage.settle()
    return stage


def test_a_laptop_shows_curves_and_form_whole_and_a_point_opens_the_stage_there(visit: Visit) -> None:
    page = open_sensitivity(visit)
    expect(page.get_by_role("button", name="Export")).to_be_visible()
    page.wait_for_function(NO_SCROLLING)
    press_in_chart(page, page.locator(".js-plotly-plot .scatterlayer .trace").last.locator(".point").nth(20))
    expect(page.get_by_role("link", name="Open the stage at")).to_be_in_viewport(ratio=1)
    page.wait_for_function(NO_SCROLLING)
    stage = follow(page)
    experiment = Experiment.from_query(str(page.evaluate("location.search")))
    assert stage.drawn["ldm.lambda1"] == spaced(axis_params(experiment)["ldm.lambda1"], 41)[20]
    stage.check_numbers()


def test_a_cell_of_a_heatmap_opens_the_stage_there(visit: Visit) -> None:
    page = open_sensitivity(visit)
    for number, value in (("repeats", "1"), ("points", "9")):
        page.get_by_role("spinbutton", name=number).fill(value)
        page.get_by_role("spinbutton", name=number).press("Enter")
    page.wait_for_function("location.search.includes('view.xn=9')")
    choose(page, "parameter on y", "LDM: C")
    page.wait_for_function("location.search.includes('view.y=ldm.C')")
    expect(page.get_by_role("radio", name="Heatmap")).to_be_visible()
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    press_in_chart(page, page.locator(".js-plotly-plot .nsewdrag"), 0.3, 0.4)
    stage = follow(page)
    params = axis_params(Experiment.from_query(str(page.evaluate("location.search"))))
    assert stage.drawn["ldm.lambda1"] in spaced(params["ldm.lambda1"], 9)[1:5]
    assert stage.drawn["ldm.C"] in spaced(params["ldm.C"], 41)[15:35]
    stage.check_numbers()


def test_the_browsers_back_and_forward_bring_the_picture_of_the_address(visit: Visit) -> None:
    page = open_sensitivity(visit)

    def shown(name: str, key: str) -> None:
        expect(page.get_by_role("radio", name=name)).to_have_count(1)  # the old one never appears beside the new one
        expect(page.get_by_role("radio", name=name, checked=True)).to_have_count(1)
        page.wait_for_function("key => location.search.includes(key)", arg=f"view.show={key}")

    for name, key in (("Ranking", "ranking"), ("Table", "table")):
        page.get_by_role("radio", name=name).click()
        shown(name, key)
    page.go_back()
    shown("Ranking", "ranking")
    page.go_back()
    shown("Curves", "curves")
    page.go_forward()
    shown("Ranking", "ranking")
    page.get_by_role("radio", name="Objective").click()
    shown("Objective", "terms")
    expect(page.locator(".gtitle").filter(has_text="LDM's objective")).to_be_visible()
    one_chart(page)  # a chart of an earlier picture stays until the run has ended
    page.set_viewport_size(PHONE)
    expect(page.locator(".modebar"), "buttons would lie on the chart's title").to_be_hidden()


def test_the_numbers_of_a_sweep_can_be_taken_away(open_page: Open) -> None:
    page = open_page("sensitivity?data=moons&n=60&methods=svm,ldm&view.x=ldm.lambda1&view.xn=3&view.show=table")
    complete(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    rows = pd.read_csv(download.value.path())
    assert list(rows.columns[:3]) == ["ldm.lambda1", "method", "seed"]
    assert set(rows["method"]) == {"svm", "ldm"}
    assert rows["test.accuracy"].between(0, 1).all()


def test_a_sweep_goes_on_while_another_page_is_shown(visit: Visit) -> None:
    page = open_sensitivity(visit)
    page.get_by_role("spinbutton", name="repeats").fill("30")
    page.get_by_role("spinbutton", name="repeats").press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.get_by_role("link", name="Playground").click()
    expect(page.get_by_test_id("stage")).to_be_visible()
    page.get_by_role("link", name="Sensitivity").click()
    expect(page.get_by_role("spinbutton", name="repeats")).to_have_value("30")
    one_chart(page)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)


def test_a_sweep_can_be_cancelled_and_begun_again(visit: Visit) -> None:
    page = open_sensitivity(visit)
    page.get_by_role("spinbutton", name="repeats").fill("100")
    page.get_by_role("spinbutton", name="repeats").press("Enter")
    page.get_by_role("button", name="Compute all points").click()
    expect(page.get_by_text("of 8,200 fits")).to_be_visible()  # from now on the button is no longer that of the preview
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled after")).to_be_visible()
    page.get_by_role("button", name="Start again").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()


def test_a_path_is_scrubbed_without_the_server_and_kept_as_a_file(
    visit: Visit, browser: Browser, tmp_path: Path
) -> None:
    page = open_sensitivity(visit, own=True)
    page.get_by_role("radio", name="Path scrubber").click()
    root = page.get_by_test_id("scrubber")
    expect(root).to_have_attribute("data-drawn", '{"ldm.lambda1":0}')
    check_places(page)
    bar = page.locator(".ml-scrub-bar")
    assert bar.locator("input").evaluate("one => one.offsetWidth / one.parentElement.offsetWidth") > 0.5
    experiment = Experiment.from_query(str(page.evaluate("location.search")))
    sent: list[str] = []
    page.on("websocket", lambda socket: sent.append(socket.url))
    page.on("request", lambda request: sent.append(request.url))
    scrub(page, experiment)
    assert not sent, "scrubbing asks the server"

    with page.expect_download() as download:
        page.get_by_role("button", name="Save as one HTML file").click()
    file = tmp_path / "path.html"
    download.value.save_as(file)
    context = profile(browser, offline=True)
    offline = context.new_page()
    faults: list[str] = []
    offline.on("pageerror", lambda error: faults.append(str(error)))
    offline.on("console", lambda message: message.type == "error" and faults.append(message.text))
    offline.goto(file.as_uri())
    scrub(offline, experiment)
    context.close()
    assert not faults


def check_places(page: Page) -> None:
    """Assert that bar, boundaries, legend, charts and table are below one another, and that the bar stays in view while
    the rest scrolls."""
    root = page.get_by_test_id("scrubber")
    page.wait_for_function("document.querySelector('.ml-scrub-bar').clientHeight < 80")
    places = root.evaluate(
        "root => [...root.children].filter(part => part.clientWidth > 1).map(part => part.getBoundingClientRect())"
    )
    assert len(places) == 5
    expect(root.get_by_role("button", name="Help for Symbols in the pictures")).to_be_visible()
    assert {place["x"] for place in places} == {places[0]["x"]}
    assert all(above["bottom"] <= below["top"] for above, below in pairwise(places))
    root.get_by_test_id("stat").last.scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Play")).to_be_in_viewport(ratio=1)
    expect(page.get_by_test_id("histogram")).to_be_in_viewport(ratio=1)


def scrub(page: Page, experiment: Experiment) -> None:
    """Go through the frames by keyboard, by dragging and by playing; pictures and numbers follow."""
    root, slider = page.get_by_test_id("scrubber"), page.get_by_test_id("scrub")
    expect(root).to_have_attribute("data-drawn", '{"ldm.lambda1":0}')
    canvas = root.locator("[data-testid=boundary][data-method=ldm] canvas").first
    first = canvas.evaluate("canvas => canvas.toDataURL()")
    check_frame(page, experiment)
    slider.press("End")
    page.wait_for_function(DRAWN, arg='{"ldm.lambda1":1024}')
    assert canvas.evaluate("canvas => canvas.toDataURL()") != first
    check_frame(page, experiment)
    slider.press("ArrowLeft")
    page.wait_for_function(
        "JSON.parse(document.querySelector('[data-testid=scrubber]').dataset.drawn)['ldm.lambda1'] < 1024"
    )
    check_frame(page, experiment)
    box = slider.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_function("document.querySelector('[data-testid=scrub]').value === '20'")
    expect(slider).to_have_attribute("aria-valuetext", re.compile("^λ₁ = [0-9.]+, 21 of 41$"))
    check_frame(page, experiment)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("Number(document.querySelector('[data-testid=scrub]').value) > 23")
    page.get_by_role("button", name="Stop").click()
    slider.press("Home")
    page.wait_for_function(DRAWN, arg='{"ldm.lambda1":0}')
    assert canvas.evaluate("canvas => canvas.toDataURL()") == first
