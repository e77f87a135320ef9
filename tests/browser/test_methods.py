"""The choice of methods, and the badges of their solvers."""

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
    stage.button("Method").click()
    further = stage.root.get_by_role("dialog", name="Further methods").get_by_role("button", name="LinearLDM")
    expect(further).to_have_attribute("aria-disabled", "true")
    further.click(force=True)
    stage.announced("At most four methods: switch one off first.")
    assert stage.check_numbers().methods == ("svm", "ldm", "odm", "msvmav")

    for name, count in (("LDM", 3), ("MSVM_Av", 2), ("ODM", 1)):
        stage.chip(name).click()
        stage.settle()
        expect(stage.page.locator(".ml-panel")).to_have_count(count)
    stage.chip("SVM").click(force=True)
    stage.announced("At least one method must stay on.")
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
    stage = visit(f"{SMALL}&methods=svm,fmm&fmm.max_iter=2")
    runs = stage.check_numbers().run()
    assert not runs["fmm"].model.converged_, "the test needs a harder case"
    expect(badge(stage, "FMM")).to_contain_text("not converged")
    svm = runs["svm"].model
    expect(badge(stage, "SVM")).not_to_contain_text("not converged")
    expect(stage.root.get_by_role("region", name="SVM", exact=True)).to_contain_text(
        f"{len(svm.support_)} {METHODS['svm'].support}"
    )
    expect(badge(stage, "SVM")).to_have_attribute("title", re.compile(rf"\n{svm.n_iter_} iterations\n"))


def test_every_panel_says_what_its_axes_are(visit: Visit) -> None:
    """With more than two features each panel has its own axes, also if its solver has not converged or has a note."""
    stage = visit("data=breast-cancer&methods=ldm,fmm,mdo&kernel=rbf&fmm.max_iter=2")
    statuses = stage.page.locator(".ml-panel").evaluate_all("all => all.map(panel => panel.dataset.status)")
    assert "unconverged" in statuses, "the test needs a harder case"
    notes = stage.page.locator(".ml-panel .ml-note").all_text_contents()
    assert all("x is the exact distance" in note for note in notes), notes
    assert "MDO is linear" in notes[2]


def test_a_method_of_the_menu_is_shown_and_goes_again(visit: Visit) -> None:
    stage = visit(f"{SMALL}&methods=svm")
    stage.button("Method").click()
    stage.root.get_by_role("dialog", name="Further methods").get_by_role("button", name="LinearLDM").click()
    stage.settle()
    assert stage.check_numbers().methods == ("svm", "linearldm")
    stage.chip("LinearLDM").click()
    stage.settle()
    assert stage.check_numbers().methods == ("svm",)


def test_support_vectors_are_marked_on_request(visit: Visit) -> None:
    stage = visit(f"{SMALL}&methods=svm,odm")
    button = stage.root.get_by_role("button", name=re.compile("^Mark "))
    pictures = [stage.picture(stage.panel(key)) for key in ("svm", "odm")]
    before = [stage.pixels(picture) for picture in pictures]
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    stage.page.wait_for_function("location.search.includes('view.sv=1')")
    button.evaluate("() => new Promise(requestAnimationFrame)")
    assert all(stage.pixels(picture) != old for picture, old in zip(pictures, before, strict=True))


def test_margins_on_the_functional_scale(visit: Visit) -> None:
    stage = visit(f"{SMALL}&methods=svm,ldm")
    geometric = stage.numbers()
    stage.root.get_by_role("radio", name="Functional margins").click()
    assert stage.check_numbers().scale == "functional"
    assert stage.numbers()["svm", "train", "mean"] != geometric["svm", "train", "mean"]
    stage.root.get_by_role("radio", name="Geometric margins").click()
    stage.settle()
    assert stage.numbers() == geometric
