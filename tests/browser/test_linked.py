"""Hovering and brushing in one view mark the same examples in all views; the threshold reads the curves."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from mdcore import METHODS, Experiment
from tests.browser.conftest import Visit
from tests.browser.stage import Stage

SMALL = "data=moons&n=80&noise=0.2&seed=1&gamma=1&methods=svm,ldm"


def views(stage: Stage) -> dict[str, Locator]:
    charts = {name: stage.page.get_by_test_id(name) for name in ("histogram", "cumulative")}
    return {"svm": stage.panel("svm"), "ldm": stage.panel("ldm"), **charts}


def marks(stage: Stage) -> dict[str, str]:
    """Return the pixels of the overlays of all views."""
    return {name: stage.pixels(stage.cover(view)) for name, view in views(stage).items()}


def changed(stage: Stage, before: dict[str, str]) -> set[str]:
    return {name for name, pixels in marks(stage).items() if pixels != before[name]}


def test_a_brush_in_the_histogram_marks_its_examples_everywhere(visit: Visit) -> None:
    stage = visit(SMALL)
    histogram = stage.page.get_by_test_id("histogram")
    plain = marks(stage)
    stage.drag(stage.at(histogram, 0.01, 0.6), stage.at(histogram, 0.99, 0.6))
    stage.announced("80 examples selected.")
    assert changed(stage, plain) == {"svm", "ldm", "histogram", "cumulative"}

    stage.root.get_by_role("radio", name="Show test").click()
    stage.drag(stage.at(histogram, 0.01, 0.6), stage.at(histogram, 0.99, 0.6))
    stage.announced("24 examples selected.")
    stage.root.get_by_role("radio", name="Show both").click()
    histogram.click(position={"x": 150, "y": 80})  # a click without a drag
    stage.page.mouse.move(0, 0)
    stage.settle()
    assert not changed(stage, plain), "the selection is not gone"


def test_the_share_at_most_t_is_beside_the_accuracy_only_where_it_says_more(visit: Visit) -> None:
    stage = visit(SMALL)
    share = stage.root.get_by_role("columnheader", name=re.compile("^≤"))
    threshold = stage.page.get_by_test_id("threshold")
    expect(share).to_be_hidden()
    threshold.press("ArrowRight")
    expect(share).to_be_visible()
    stage.check_numbers()
    threshold.press("ArrowLeft")
    expect(share).to_be_hidden()


def test_after_an_undo_and_at_the_end_of_a_drag_the_margins_fill_their_axis(visit: Visit) -> None:
    query = "data=moons&n=80&noise=0.3&seed=0&gamma=1&methods=ldm&scale=functional"
    stage = visit(f"{query}&ldm.lambda1=0&ldm.lambda2=0&ldm.C=1")
    charts = [stage.page.get_by_test_id(name) for name in ("histogram", "cumulative")]
    narrow = charts[0].get_attribute("data-axis") or ""
    stage.type_number("ldm.lambda2", "512")
    stage.settle()
    wide = charts[0].get_attribute("data-axis") or ""
    assert float(wide.split(",")[1]) > 2 * float(narrow.split(",")[1])
    stage.button("Undo (Ctrl+Z)").click()
    for chart in charts:
        expect(chart).to_have_attribute("data-axis", narrow)
    stage.button("Redo (Ctrl+Shift+Z)").click()
    expect(charts[0]).to_have_attribute("data-axis", wide)
    slider = stage.slider("ldm.lambda2")
    box = slider.bounding_box()
    assert box is not None
    stage.page.mouse.move(box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2)
    stage.page.mouse.down()
    stage.page.mouse.move(box["x"], box["y"] + box["height"] / 2, steps=8)
    expect(stage.root).to_have_attribute("data-drawn", re.compile('"ldm.lambda2":0,'))
    assert charts[0].get_attribute("data-axis") != narrow, "the axis moves under the hand"
    stage.page.mouse.up()
    for chart in charts:
        expect(chart).to_have_attribute("data-axis", narrow)
    stage.check_numbers()


def test_a_brush_in_a_boundary_panel_marks_its_examples_everywhere(visit: Visit) -> None:
    stage = visit(SMALL)
    scale = stage.find_scale("svm")
    X = Experiment.from_query(SMALL).prepare().dataset.X
    plain = marks(stage)
    stage.drag(scale(0.3, 2.0), scale(3.0, 0.15))
    inside = (X[:, 0] > 0.3) & (X[:, 1] > 0.15)
    stage.announced(f"{inside.sum()} examples selected.")
    assert changed(stage, plain) == {"svm", "ldm", "histogram", "cumulative"}
    stage.slider("svm.C").press("ArrowRight")  # the same examples remain marked in the next picture
    stage.settle()
    assert changed(stage, plain) == {"svm", "ldm", "histogram", "cumulative"}
    stage.cover(stage.panel("svm")).press("Escape")
    stage.slider("svm.C").press("ArrowLeft")
    stage.settle()


def test_an_example_tells_what_it_is_when_pointed_at(visit: Visit) -> None:
    stage = visit(SMALL)
    scale = stage.find_scale("ldm")
    experiment = Experiment.from_query(SMALL)
    prepared, run = experiment.prepare(), experiment.run_method("ldm")
    plain = marks(stage)
    for position in (0, 7):
        row = prepared.train[position]
        stage.page.mouse.move(*scale(*prepared.dataset.X[row]))
        tip = stage.panel("ldm").locator(".ml-tip")
        expect(tip).to_contain_text(f"row {row} · class {prepared.y_train[position]} · train")
        margin = f"{float(f'{run.train.values[position]:.4g}'):g}".replace("-", "−")
        expect(tip).to_contain_text(f"LDM margin {margin}")
        assert changed(stage, plain) == {"svm", "ldm", "histogram", "cumulative"}
    stage.page.mouse.move(0, 0)
    expect(tip).to_be_hidden()


def test_histogram_bins_are_read_out_from_the_keyboard(visit: Visit) -> None:
    stage = visit(SMALL)
    cover = stage.cover(stage.page.get_by_test_id("histogram"))
    cover.focus()
    cover.press("ArrowRight")
    status = stage.root.get_by_role("status")
    expect(status).to_have_text(re.compile(r"^margin .* to .*, SVM: train \d+, test \d+$"))
    cover.press("Shift+End")  # no such command: nothing happens
    for _ in range(60):
        cover.press("Shift+ArrowRight")
    cover.press("Enter")
    expect(status).to_have_text(re.compile(r"^SVM, margin .*, \d+ examples selected$"))


def test_the_threshold_reads_the_cumulative_curves(visit: Visit) -> None:
    stage = visit(SMALL)
    threshold = stage.page.get_by_test_id("threshold")
    runs = Experiment.from_query(SMALL).run()

    def reads(t: float) -> None:
        said = threshold.get_attribute("aria-valuetext") or ""
        assert said.startswith(f"t = {float(f'{t:.4g}'):g}; at or below t: ")
        for key, run in runs.items():
            found = re.search(rf"{METHODS[key].name} train (\S+) %, test (\S+) %", said)
            assert found, said
            shares = [float(share) / 100 for share in found.groups()]
            assert shares == pytest.approx([run.train.cdf(t), run.test.cdf(t)], rel=5e-3)

    threshold.focus()
    reads(0.0)
    for keys in (["ArrowRight"] * 8, ["PageUp"], ["ArrowLeft"] * 3, ["End"], ["Home"]):
        for key in keys:
            threshold.press(key)
        stage.page.wait_for_function(
            "Math.abs(Number(new URLSearchParams(location.search).get('view.t')) - "
            "document.querySelector('[data-testid=threshold]').getAttribute('aria-valuenow')) < 1e-12"
        )
        reads(float(stage.settings.get("view.t", "0")))
    cumulative = stage.page.get_by_test_id("cumulative")
    stage.drag(stage.at(cumulative, 0.3, 0.5), stage.at(cumulative, 0.6, 0.5))
    dragged = float(stage.settings["view.t"])
    reads(dragged)
    stage.slider("svm.C").press("ArrowRight")
    runs = stage.check_numbers().run()
    reads(dragged)
