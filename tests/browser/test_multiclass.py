"""The multi-class page in a browser: its numbers, one more class, a single class, and every size of window."""

from __future__ import annotations

import json
import re
from functools import partial

import pytest
from playwright.sync_api import Locator, expect

from mdcore import Experiment
from mdcore.margins.distribution import STATISTICS
from mdcore.serving.stage_pages.multiclass import MULTICLASS
from tests.browser.conftest import Look, Visit
from tests.browser.desk import LAPTOP
from tests.browser.stage import Stage, statistics
from tests.browser.test_access import TEXT_ON_GROUND, covered, faint

SMALL = "data=blobs-k&each=20&classes=4&noise=0.5&seed=1&gamma=1&methods=mcodm,mcsvm,ova"
CHARTS = ("histogram", "cumulative", "more_classes", "classes", "growth", "outer", "bound")
PHONE = {"width": 390, "height": 844}
PROJECTOR = {"width": 1280, "height": 720}


@pytest.fixture
def open_classes(visit: Visit) -> Visit:
    return partial(visit, path="multiclass")


def words(stage: Stage, chart: str) -> str:
    return stage.picture(stage.page.get_by_test_id(chart)).get_attribute("aria-label") or ""


def says(stage: Stage, chart: str, pattern: str) -> None:
    """Wait until a chart says something: those of other numbers of classes are computed after the picture."""
    expect(stage.picture(stage.page.get_by_test_id(chart))).to_have_attribute("aria-label", re.compile(pattern))


def choice(stage: Stage, name: str) -> Locator:
    return stage.root.get_by_role("radio", name=name, exact=True)


def check_numbers(stage: Stage) -> Experiment:
    stage.settle()
    experiment = Experiment.from_query(stage.query, opening=MULTICLASS.query)
    assert stage.numbers() == pytest.approx(statistics(experiment.run()), rel=1e-9, abs=1e-9, nan_ok=True)
    return experiment


def test_it_opens_on_mcodm_beside_two_others_with_all_charts(open_classes: Visit) -> None:
    stage = open_classes()
    assert check_numbers(stage) == Experiment.from_query(MULTICLASS.query)
    for chart in CHARTS:
        expect(stage.page.get_by_test_id(chart)).to_be_visible()
    for name in ("mcODM", "mcSVM", "ovaSVM", "ovoSVM", "ecocSVM"):
        expect(stage.chip(name)).to_be_visible()
    for shown in (stage.slider("classes"), stage.panel("mcodm"), *map(stage.page.get_by_test_id, CHARTS[:3])):
        expect(shown).to_be_in_viewport(ratio=0.9)
    run = Experiment.from_query(stage.query).run()["mcodm"]
    path = run.model.path_
    assert f"after {len(path) - 1} outer steps, converged" in words(stage, "outer")
    assert words(stage, "outer").endswith(f"{path[-1]:.5g}.")
    says(stage, "bound", r"complexity 77\.3; sum 77\.6, vacuous")
    says(stage, "more_classes", "2 classes: mcODM mean")


def test_it_is_reached_from_the_playground_and_left_again(visit: Visit) -> None:
    stage = visit("data=moons&n=60&methods=svm,odm")
    stage.page.get_by_role("link", name="Multi-class").click()
    expect(stage.page.get_by_test_id("more_classes")).to_be_visible()
    assert check_numbers(stage).methods == ("mcodm", "mcsvm", "ova")
    stage.page.get_by_role("link", name="Playground").click()
    expect(stage.page.get_by_test_id("more_classes")).to_have_count(0)
    stage.check_numbers()


def test_one_more_class_moves_everything(open_classes: Visit) -> None:
    stage = open_classes(SMALL)
    charts = ("histogram", "cumulative", "more_classes", "classes", "growth", "outer", "bound")
    before = {chart: stage.pixels(stage.picture(stage.page.get_by_test_id(chart))) for chart in charts}
    regions = stage.pixels(stage.picture(stage.panel("mcodm")))
    stage.slider("classes").focus()
    stage.page.keyboard.press("ArrowRight")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"classes":5,'))
    experiment = check_numbers(stage)
    assert dict(experiment.data.options)["classes"] == 5
    says(stage, "growth", "(5 classes.*){6}")
    assert stage.pixels(stage.picture(stage.panel("mcodm"))) != regions
    for chart, picture in before.items():
        assert stage.pixels(stage.picture(stage.page.get_by_test_id(chart))) != picture, chart
    expect(choice(stage, "Margins of class 4")).to_be_visible()


def test_one_class_alone_has_its_own_numbers(open_classes: Visit) -> None:
    stage = open_classes(SMALL)
    whole = stage.pixels(stage.picture(stage.page.get_by_test_id("cumulative")))
    choice(stage, "Margins of class 2").click()
    stage.page.wait_for_function("location.search.includes('view.class=2')")
    runs = Experiment.from_query(stage.query).run()
    own = {
        (key, part, name): getattr(run.by_class(part)[2], name)
        for key, run in runs.items()
        for part in ("train", "test")
        for name in STATISTICS
    }
    expect(stage.root.locator("caption")).to_contain_text("class 2 · 14 train, 6 test")
    assert stage.numbers() == pytest.approx(own, rel=1e-9, abs=1e-9)
    assert "margins of class 2" in words(stage, "histogram")
    assert stage.pixels(stage.picture(stage.page.get_by_test_id("cumulative"))) != whole
    expect(stage.page.get_by_test_id("threshold")).to_have_attribute("aria-valuetext", re.compile("mcODM train"))

    stage.page.reload()
    stage.settle()
    expect(choice(stage, "Margins of class 2")).to_have_attribute("aria-checked", "true")
    assert stage.numbers() == pytest.approx(own, rel=1e-9, abs=1e-9)
    choice(stage, "Margins of class 2").press("ArrowLeft")
    expect(choice(stage, "Margins of class 1")).to_have_attribute("aria-checked", "true")
    choice(stage, "Margins of all classes").click()
    expect(stage.root.locator("caption")).not_to_contain_text("class")
    check_numbers(stage)


def test_a_class_that_goes_is_no_longer_chosen(open_classes: Visit) -> None:
    stage = open_classes(f"{SMALL}&view.class=3")
    stage.type_number("classes", "3")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"classes":3,'))
    stage.settle()
    expect(choice(stage, "Margins of all classes")).to_have_attribute("aria-checked", "true")
    check_numbers(stage)


def test_a_bundled_set_opens_with_all_its_classes_and_shows_what_is_mistaken(open_classes: Visit) -> None:
    stage = open_classes(SMALL)
    stage.choice("data").select_option("iris")
    stage.settle()
    experiment = check_numbers(stage)
    assert len(experiment.prepare().dataset.classes) == 3
    expect(stage.choice("keep")).to_have_value("all")
    expect(stage.root.locator(".ml-legend")).to_contain_text(
        "outline: the predicted class · the plane of largest variance of 4"
    )
    expect(choice(stage, "Margins of class versicolor")).to_be_visible()
    assert "training accuracy" in (stage.picture(stage.panel("mcsvm")).get_attribute("aria-label") or "")
    stage.choice("keep").select_option("setosa,versicolor")
    stage.settle()
    assert len(check_numbers(stage).prepare().dataset.classes) == 2


def test_a_moved_slider_is_told_at_once_and_stays_told(open_classes: Visit) -> None:
    stage = open_classes(SMALL)
    stage.type_number("mcodm.lam", "1000")
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"mcodm.lam":1000,'))
    stage.settle()
    expect(stage.root.locator(".ml-sentence")).to_contain_text("mcODM, λ 256 → 1000")
    says(stage, "more_classes", "8 classes: mcODM mean")
    stage.button("Undo (Ctrl+Z)").click()
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"mcodm.lam":256,'))
    check_numbers(stage)


def test_votes_are_shown_apart(look: Look) -> None:
    stage = look(SMALL.replace("mcodm,mcsvm,ova", "mcodm,ovo,ecoc"), path="multiclass")
    check_numbers(stage)
    says(stage, "growth", "ovoSVM train")
    assert "ovoSVM" not in words(stage, "more_classes")
    expect(stage.root.locator(".ml-sentence")).to_contain_text(
        "Margins that count votes (ovoSVM, ecocSVM) are not compared"
    )


@pytest.mark.parametrize("viewport", [PHONE, PROJECTOR], ids=["phone", "projector"])
def test_every_chart_is_reached_in_every_window(look: Look, viewport: dict[str, int]) -> None:
    stage = look(viewport=viewport, path="multiclass")
    if viewport is PROJECTOR:
        stage.button("Projector: large type").click()
        stage.settle()
        expect(stage.slider("classes")).to_be_in_viewport(ratio=1)
    for chart in CHARTS:
        view = stage.page.get_by_test_id(chart)
        view.scroll_into_view_if_needed()
        expect(view).to_be_in_viewport(ratio=0.5)
        box = view.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) > 150
        expect(stage.slider("classes")).to_be_in_viewport(ratio=1)
    assert stage.page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    check_numbers(stage)


def test_every_word_can_be_read(look: Look) -> None:
    stage = look(SMALL, path="multiclass")
    for scheme in ("light", "dark"):
        stage.wear(scheme)
        texts = stage.page.evaluate(TEXT_ON_GROUND)
        assert len(texts) > 80
        assert not faint(texts), scheme


def test_nothing_lies_on_a_control(look: Look) -> None:
    stage = look(f"{SMALL},ecoc", path="multiclass")
    for viewport in (LAPTOP, PHONE):
        stage.resize(viewport)
        assert covered(stage) == [], viewport


def test_help_stands_beside_every_new_chart(look: Look) -> None:
    stage = look(SMALL, path="multiclass")
    for title in (
        "With more classes",
        "Margins of each class",
        "Accuracy with more classes",
        "mcODM's outer steps",
        "Theorem 1, term by term",
    ):
        stage.button(f"Help for {title}").click()
        panel = stage.root.get_by_role("dialog", name=title, exact=True)
        expect(panel).to_be_visible()
        stage.page.keyboard.press("Escape")
        expect(panel).not_to_be_visible()


def test_the_playground_keeps_its_own_view(visit: Visit) -> None:
    stage = visit("data=moons&n=60&gamma=1&view.class=1&methods=svm,mcodm")
    stage.check_numbers()
    assert stage.page.get_by_test_id("more_classes").count() == 0
    expect(stage.root.get_by_role("radiogroup", name="Margins of")).to_have_count(0)
    assert json.loads(stage.root.get_attribute("data-drawn") or "{}")["mcodm.lam"] == 256
