"""The Compare page in a real browser: jobs continue while another page is open, and results lead to the stage."""

from __future__ import annotations

import re

from playwright.sync_api import ElementHandle, expect

from tests.browser.conftest import Open, Visit
from tests.browser.desk import LAPTOP
from tests.browser.forms import rest

PHONE = {"width": 390, "height": 844}
FEW = "data=moons&n=60&seed=1&methods=svm,ldm&view.compared=svm,ldm&view.parameters=defaults"


def test_work_goes_on_on_another_page_and_cancel_keeps_what_is_done(open_page: Open) -> None:
    page = open_page(f"compare?{FEW}&view.repeats=2")
    page.get_by_text("papers' grids", exact=True).click()
    number = page.get_by_role("spinbutton", name="Splits", exact=True)
    number.fill("300")
    number.press("Enter")
    expect(page.get_by_text(re.compile(r"of [\d,]{6,} fits"))).to_be_visible()
    page.get_by_role("link", name="Playground").click()
    expect(page.locator("[data-testid=stage]")).to_have_attribute("data-drawn", re.compile("svm.C"))
    page.get_by_role("link", name="Compare").click()
    expect(page.locator(".board tr[data-method=svm]")).to_be_visible()
    expect(page.locator(".st-key-headline")).to_contain_text("So far, ")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(re.compile(r"Stopped after \d+ of \d+ results"))).to_be_visible()


def test_from_the_stage_to_a_comparison_and_back_with_the_same_data_and_parameters(visit: Visit) -> None:
    stage = visit("data=circles&n=70&seed=3&methods=svm,odm&svm.C=2&odm.lam=16&kernel=rbf&gamma=2")
    page = stage.page
    page.get_by_role("link", name="Compare").click()
    page.get_by_text("as given", exact=True).click()
    page.get_by_text(re.compile("^More: ")).click()
    expect(page.get_by_text("SVM: C = 2. ODM: λ = 16")).to_be_visible()
    page.get_by_role("button", name="Open on the stage").click()
    drawn = page.locator("[data-testid=stage]")
    expect(drawn).to_have_attribute("data-drawn", re.compile(r'"svm.C": ?2\b'))
    expect(drawn).to_have_attribute("data-drawn", re.compile(r'"odm.lam": ?16\b'))
    expect(page).to_have_url(re.compile("data=circles&n=70"))


def test_the_page_opens_with_an_answer_and_a_picture_of_the_data_on_request(open_page: Open) -> None:
    page = open_page(f"compare?{FEW}&view.repeats=3")
    expect(page.locator(".st-key-headline")).to_contain_text(re.compile("Two methods, |is best, |No method is"))
    rows = page.locator(".board tbody tr[data-method]")
    expect(rows).to_have_count(3)
    expect(rows.first.locator("circle.dot")).to_have_count(3)
    expect(page.locator(".panels svg")).to_have_count(2)
    page.get_by_role("radio", name="What are the data?").click()
    expect(page.locator(".picture .columns figure")).to_have_count(2)
    page.get_by_role("radio", name="What are the data?").click()
    expect(page.locator(".picture")).to_have_count(0)


def test_a_method_is_switched_by_the_keyboard_and_the_answer_follows(open_page: Open) -> None:
    page = open_page(f"compare?{FEW}&view.repeats=2")
    rows = page.locator(".board tbody tr[data-method]")
    expect(rows).to_have_count(3)
    page.get_by_role("checkbox", name="LDM").focus()
    page.keyboard.press("Space")
    expect(rows).to_have_count(2)
    expect(page.locator(".board tr[data-method=ldm]")).to_have_count(0)


def test_on_a_phone_nothing_of_the_answer_is_beyond_the_edge(open_page: Open) -> None:
    page = open_page(f"compare?{FEW}&view.repeats=2", viewport=PHONE)
    expect(page.get_by_role("radio", name="Take it away")).to_be_visible()
    rest(page)
    row = page.locator(".board tr[data-method=ldm]")
    for part in (".name", ".mean", ".dots svg", ".gap", ".time"):
        row.locator(part).scroll_into_view_if_needed()
        expect(row.locator(part)).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= PHONE["width"]
    page.get_by_role("radio", name="Is it real?").click()
    blocks = page.locator(".stacked > li")
    expect(blocks.first).to_be_visible()
    rest(page)
    for word in ("Accuracy", "Balanced accuracy", "F1", "AUC", "Fit, s"):
        cell = blocks.first.get_by_text(word, exact=True)
        cell.scroll_into_view_if_needed()
        expect(cell).to_be_in_viewport(ratio=1)
    expect(page.get_by_test_id("stDataFrame").first).to_be_hidden()
    page.set_viewport_size(LAPTOP)
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    expect(blocks.first).to_be_hidden()


def drawn(plot: ElementHandle) -> str:
    return str(plot.evaluate("plot => plot.querySelector('canvas').toDataURL()"))


def test_price_and_threshold_move_the_pictures_while_they_are_dragged(open_page: Open) -> None:
    one = "data=moons&n=80&noise=0.4&seed=1&methods=svm&view.compared=svm&view.parameters=defaults"
    page = open_page(f"compare?{one}&view.repeats=3&view.held_out=1")
    page.get_by_text("What if errors cost differently?").click()
    sentence, counts = page.get_by_text("cost of a test row"), page.get_by_test_id("stTable")
    sliders = page.get_by_test_id("page-sliders")
    expect(sliders).to_contain_text("Chosen for this cost, on held-out rows of the training part.")
    rest(page)
    plots = page.get_by_test_id("live-plot")
    expect(plots).to_have_count(3)
    first = plots.element_handles()
    for name in ("ratio", "threshold"):
        slider = sliders.locator(f"input[type=range][data-param={name}]")
        slider.scroll_into_view_if_needed()
        before = sentence.inner_text(), counts.inner_text()
        pictures = [drawn(plot) for plot in first]
        box = slider.bounding_box()
        assert box is not None
        middle = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + box["width"] / 2, middle)
        page.mouse.down()
        for share in (0.4, 0.3, 0.2, 0.1):
            page.mouse.move(box["x"] + box["width"] * share, middle)
        expect(sentence).not_to_have_text(before[0])
        expect(counts).not_to_have_text(before[1], use_inner_text=True)
        for plot, picture in zip(first, pictures, strict=True):
            page.wait_for_function(
                "([plot, before]) => plot.querySelector('canvas').toDataURL() !== before", arg=[plot, picture]
            )
            assert plot.evaluate("plot => plot.isConnected"), "drawn again in place"
        page.mouse.up()
    expect(sliders).to_contain_text("Set by hand.")
    sliders.get_by_role("button", name="Back to the threshold chosen for this cost").click()
    expect(sliders).to_contain_text("Chosen for this cost")
    price = sliders.get_by_role("spinbutton", name="in false alarms, value")
    price.fill("40")
    price.press("Enter")
    expect(sliders).to_contain_text("A number from 0.0313 to 32.")
    price.fill("1")
    price.press("Enter")
    expect(price).to_have_attribute("aria-invalid", "false")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as taken:
        page.get_by_role("button", name="Picture of the charts (SVG)").click()
    assert taken.value.path().read_text().count("<image ") == 3
