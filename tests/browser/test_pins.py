"""Pinned states and recent settings."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from mdcore import Experiment
from tests.browser.conftest import Visit
from tests.browser.stage import statistics

SMALL = "data=moons&n=80&noise=0.2&seed=1&gamma=1&methods=svm,ldm&ldm.lambda1=1"


def test_a_pin_stays_as_a_ghost_with_the_differences_of_every_statistic(visit: Visit) -> None:
    stage = visit(SMALL)
    pinned = statistics(Experiment.from_query(SMALL).run())
    stage.button("Pin").click()
    stage.announced("Pinned.")
    stage.settle()
    stage.type_number("ldm.lambda1", "256")
    now = statistics(stage.check_numbers().run())
    for (method, part, stat), value in now.items():
        cell = stage.page.locator(f'[data-testid=stat][data-method={method}][data-split={part}][data-stat="{stat}"]')
        title = cell.locator("[data-pin='1']").get_attribute("title") or ""
        change = float(title.split()[0].replace("−", "-"))
        assert change == pytest.approx(value - pinned[method, part, stat], rel=1e-5, abs=1e-12)
    with_ghost = stage.pixels(stage.picture(stage.panel("ldm")))

    pin = stage.root.get_by_role("listitem").filter(has_text="LDM λ₁ = 1")
    expect(pin).to_be_visible()
    stage.button("Remove pin 1").click()
    stage.settle()
    expect(pin).to_have_count(0)
    expect(stage.page.locator("[data-testid=stat] [data-pin]")).to_have_count(0)
    assert stage.pixels(stage.picture(stage.panel("ldm"))) != with_ghost


def test_back_to_a_pin(visit: Visit) -> None:
    stage = visit(SMALL)
    before = stage.numbers()
    stage.button("Pin").click()
    stage.settle()
    stage.type_number("ldm.lambda1", "256")
    stage.chip("SVM").click()
    stage.settle()
    stage.root.get_by_title("Back to pin 1").click()
    stage.check_numbers()
    assert stage.numbers() == before
    assert "view.pin1" in stage.settings


def test_three_pins_at_most_each_with_its_own_numbers(visit: Visit) -> None:
    stage = visit(SMALL)
    for value in ("2", "4", "8"):
        stage.button("Pin").click()
        stage.settle()
        stage.type_number("ldm.lambda1", value)
        stage.settle()
    expect(stage.button("Pin")).to_have_attribute("aria-disabled", "true")
    mean = stage.page.locator("[data-testid=stat][data-method=ldm][data-split=train][data-stat=mean]")
    now = float(mean.get_attribute("data-value") or "")
    for number, value in enumerate((1, 2, 4), start=1):
        pinned = Experiment.from_query(SMALL).with_param("ldm", "lambda1", value).run_method("ldm").train.mean
        title = mean.locator(f"[data-pin='{number}']").get_attribute("title") or ""
        assert float(title.split()[0].replace("−", "-")) == pytest.approx(now - pinned, rel=1e-5)


def test_between_the_spaces_of_two_kernels_only_accuracies_have_a_difference(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.button("Pin").click()
    stage.settle()
    stage.type_number("gamma", "4")
    stage.settle()
    cell = "[data-testid=stat][data-method=ldm][data-split=train][data-stat={}] [data-pin='1'][data-moved=true]"
    expect(stage.page.locator(cell.format("mean"))).to_have_count(0)
    stage.root.get_by_role("radio", name="Functional margins").click()
    stage.settle()
    expect(stage.page.locator(cell.format("mean"))).to_have_count(1)


def test_a_setting_tried_before_is_found_again(visit: Visit) -> None:
    stage = visit(SMALL)
    before = stage.numbers()
    stage.type_number("svm.C", "2")
    stage.settle()
    stage.choice("kernel").select_option("linear")
    stage.settle()
    stage.chip("ODM").click()
    stage.settle()
    stage.button("Recent settings").click()
    expect(stage.root.get_by_role("dialog", name="Recent settings").get_by_role("button")).to_have_text(
        ["SVM, LDM, ODM", "kernel = linear", "SVM C = 2", "opening state"]
    )
    stage.button("opening state").click()
    stage.check_numbers()
    assert stage.numbers() == before
