"""Controls for the data, their split and scaling, and the kernel."""

from __future__ import annotations

import math
import re

from playwright.sync_api import expect

from mdcore import Experiment
from tests.browser.conftest import Visit

SMALL = "data=moons&n=80&noise=0.2&seed=1&gamma=1&methods=svm,ldm"


def test_a_new_sample_is_the_same_recipe_with_another_seed(visit: Visit) -> None:
    stage = visit(f"{SMALL}&edits=d_3")
    before = stage.check_numbers()
    stage.page.evaluate("Math.random = () => 0.25")  # the only random behaviour of the page
    stage.button("New sample").click()
    expect(stage.root).not_to_have_attribute("data-drawn", re.compile('"seed":1,'))
    after = stage.check_numbers()
    assert after.data.seed != before.data.seed
    assert after.data.edits == (), "rows of another sample are other points"
    assert dict(after.data.options)["noise"] == 0.2
    assert (after.data.source, after.methods) == (before.data.source, before.methods)


def test_reset_keeps_the_seed_and_drops_what_was_changed(visit: Visit) -> None:
    stage = visit(f"{SMALL}&edits=d_3&outliers=4")
    stage.button("Reset", exact=True).click()
    stage.settle()
    experiment = stage.check_numbers()
    assert experiment.data.seed == 1
    assert experiment.data.edits == ()
    assert experiment.data.options == Experiment.from_query("data=moons&seed=1").data.options


def test_another_source(visit: Visit) -> None:
    stage = visit(SMALL)
    moons = stage.check_numbers() and stage.numbers()
    for source in ("circles", "one-outlier", "threshold", "breast-cancer"):
        stage.choice("data").select_option(source)
        expect(stage.page.locator("select[data-param=data]")).to_have_value(source)
        experiment = stage.check_numbers()
        assert experiment.data.source == source
        assert experiment.data.seed == 1
        assert stage.numbers() != moons
        stage.page.go_back()
        expect(stage.choice("data")).to_have_value("moons")
        stage.check_numbers()
        assert stage.numbers() == moons


def test_a_source_brings_its_scaling_and_width_and_the_moons_are_found_as_they_were(visit: Visit) -> None:
    stage = visit(f"{SMALL}&edits=d_3")
    moons = stage.check_numbers()
    stage.choice("data").select_option("breast-cancer")
    stage.settle()
    cancer = stage.check_numbers()
    assert (cancer.data.scaling, cancer.kernel.gamma) == ("standard", "scale")
    expect(stage.page.locator(".ml-sentence")).to_contain_text("scaling none → standard, γ 1 → scale")
    stage.choice("scaling").select_option("unit")
    stage.settle()
    stage.choice("data").select_option("wine")
    stage.settle()
    assert stage.check_numbers().data.scaling == "unit", "chosen by hand"
    stage.choice("data").select_option("moons")
    stage.settle()
    assert stage.check_numbers() == moons


def test_classes_of_a_source_with_three(visit: Visit) -> None:
    stage = visit(SMALL)
    for keep in ("setosa,versicolor", "versicolor,virginica"):
        stage.go(f"data=iris&keep={keep}&methods=svm,ldm")
        for name in keep.split(","):
            expect(stage.root.get_by_text(f"class {name}").first).to_be_visible()
        stage.check_numbers()


def test_three_classes_are_too_many_for_these_methods_and_two_are_not(visit: Visit) -> None:
    stage = visit(SMALL)
    stage.choice("data").select_option("iris")
    stage.settle()
    assert len(stage.check_numbers().prepare().dataset.classes) == 2, "a source is shown with what can be shown"
    stage.choice("keep").select_option("all")
    stage.settle()
    for key in ("svm", "ldm"):
        expect(stage.picture(stage.panel(key))).to_have_attribute("aria-label", re.compile("no picture.*data have 3"))
    assert all(math.isnan(number) for number in stage.numbers().values())
    stage.choice("keep").select_option("versicolor,virginica")
    stage.settle()
    stage.check_numbers()


def test_scaling_kernel_gamma_split_and_bias(visit: Visit) -> None:
    stage = visit(SMALL)
    for scaling in ("unit", "standard"):
        stage.choice("scaling").select_option(scaling)
        stage.settle()
        assert stage.check_numbers().data.scaling == scaling
    for kernel in ("poly", "laplacian", "linear", "rbf"):
        stage.choice("kernel").select_option(kernel)
        stage.settle()
        assert stage.check_numbers().kernel.name == kernel
    words = stage.page.locator("select[data-words=gamma]")
    for word, gamma in (("scale", "scale"), ("distance", "distance"), ("", 1)):
        words.select_option(word)
        stage.settle()
        assert stage.check_numbers().kernel.gamma == gamma
    stage.type_number("test", "0.5")
    stage.settle()
    assert stage.check_numbers().data.test == 0.5
    stage.root.get_by_role("switch", name="bias").uncheck()
    stage.settle()
    assert stage.check_numbers().kernel.bias is False


def test_a_change_that_cannot_be_drawn_says_so_and_the_picture_stays(visit: Visit) -> None:
    stage = visit("data=moons&n=8&noise=0.1&test=0.5&seed=1&methods=svm")
    before = stage.numbers()
    stage.type_number("test", "0.99")
    stage.settle()
    expect(stage.root).to_have_attribute("data-error", re.compile("test"))
    expect(stage.root.get_by_role("alert")).to_be_visible()
    expect(stage.field("test")).to_have_attribute("aria-invalid", "true")
    assert stage.numbers() == before
    stage.type_number("test", "0.25")
    stage.settle()
    assert stage.root.get_attribute("data-error") is None
    stage.check_numbers()
