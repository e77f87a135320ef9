"""Which methods are shown, and what each says of its own answer."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from mdcore import METHODS, Experiment
from tests.browser.conftest import Visit
from tests.browser.stage import Stage

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SMALL = "data=moons&n=80&noise=0.3&seed=1&gamma=1"


def badge(stage: Stage, name: str) -> Locator:
    return stage.root.get_by_role("region", name=name, exact=True).locator(".ml-badge")


def test_methods_are_switched_on_and_off_up_to_four(visit: Visit) -> None:
    stage = visit(f"{SMALL}&methods=svm,ldm&ldm.lambda1=4")
    for name, count in (("ODM", 3), ("MSVM_Av", 4)):
        stage.chip(name).click()
        stage.settle()
        expect(stage.page.get_by_test_id("boundary")).to_have_count(count)
    expect(stage.chip("LinearLDM")).to_have_attribute("aria-disabled", "true")
    stage.chip("LinearLDM").click(force=True)
    stage.announced("Four methods at most; switch one off first.")
    assert stage.check_numbers().methods == ("svm", "ldm", "odm", "msvmav")

    for name in ("LDM", "MSVM_Av", "ODM"):
        stage.chip(name).click()
        stage.settle()
    stage.chip("SVM").click(force=True)
    stage.announced("One method stays.")
    assert stage.check_numbers().methods == ("svm",)
    stage.chip("LDM").click()
    assert stage.settle()["ldm.lambda1"] == 4, "a method comes back as it was left"
    stage.check_numbers()


def test_a_method_that_cannot_run_says_why_and_keeps_its_place(visit: Visit) -> None:
    stage = visit(f"{SMALL}&methods=svm,ldm&kernel=linear&svm.C=inf")
    expect(badge(stage, "SVM")).to_contain_text("cannot run")
    why = re.compile("SVM: no picture. .*hard margin")
    expect(stage.picture(stage.panel("svm"))).to_have_attribute("aria-label", why)
    order = stage.page.get_by_test_id("boundary").evaluate_all("all => all.map(panel => panel.dataset.method)")
    assert order == ["svm", "ldm"]
    ldm = Experiment.from_query(stage.query).run_method("ldm")
    shown = stage.numbers()
    assert shown["ldm", "train", "mean"] == pytest.approx(ldm.train.mean, rel=1e-9)
    assert shown["svm", "train", "mean"] != shown["svm", "train", "mean"], "a number is shown where there is none"
    stage.type_number("svm.C", "10")
    stage.check_numbers()
    expect(badge(stage, "SVM")).not_to_contain_text("cannot run")


def test_the_badge_tells_what_the_solver_knows(visit: Visit) -> None:
    stage = visit(f"{SMALL}&methods=svm,msvmav&msvmav.alpha=100&msvmav.beta=100")
    runs = stage.check_numbers().run()
    assert not runs["msvmav"].model.converged_, "the test needs a harder case"
    expect(badge(stage, "MSVM_Av")).to_contain_text("not converged")
    svm = runs["svm"].model
    expect(badge(stage, "SVM")).not_to_contain_text("not converged")
    expect(badge(stage, "SVM")).to_contain_text(f"{len(svm.support_)} SV")
    expect(badge(stage, "SVM")).to_have_attribute("title", re.compile(rf"\n{svm.n_iter_} iterations\n"))


def test_support_vectors_are_marked_on_request(visit: Visit) -> None:
    stage = visit(f"{SMALL}&methods=svm,odm")
    before = stage.pixels(stage.picture(stage.panel("svm")))
    expect(stage.root.get_by_text(METHODS["odm"].support)).to_have_count(0)
    stage.button("Mark support vectors, or the examples outside a method's band").click()
    expect(stage.root.get_by_text(METHODS["odm"].support).first).to_be_visible()
    assert stage.pixels(stage.picture(stage.panel("svm"))) != before
    assert stage.settings["view.sv"] == "1"


def test_margins_on_the_functional_scale(visit: Visit) -> None:
    stage = visit(f"{SMALL}&methods=svm,ldm")
    geometric = stage.numbers()
    stage.root.get_by_role("radio", name="Functional margins").click()
    assert stage.check_numbers().scale == "functional"
    assert stage.numbers()["svm", "train", "mean"] != geometric["svm", "train", "mean"]
    stage.root.get_by_role("radio", name="Geometric margins").click()
    stage.settle()
    assert stage.numbers() == geometric
