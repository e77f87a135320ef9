"""Figures of a comparison as data."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore import METHODS, load_dataset
from mdcore.basics.text import percent
from mdcore.figures import (
    band_figure,
    board_html,
    confusion_figure,
    ink,
    margin_panels_html,
    on_dark,
    points_drawn,
    view_figure,
)
from mdcore.figures.scale import scale_of
from mdcore.figures.style import READABLE, _luminance, tint
from mdcore.study import (
    Candidate,
    Comparison,
    Data,
    Plan,
    band,
    board,
    compare,
    held_out_curves,
    margin_axis,
    unit_notes,
)
from mdcore.study.evaluation import FittedModel, refit
from mdcore.study.planes import components, distance, pair

WINE = load_dataset("wine", keep="class_0,class_1")
SAMPLE = Data(WINE.X, WINE.y, StandardScaler(), WINE.features)
PLAN = Plan((Candidate.fixed("svm"), Candidate.fixed("ldm"), Candidate.fixed("odm")), repeats=4)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(SAMPLE.X, SAMPLE.y, SAMPLE.preparation, PLAN)


@pytest.fixture(scope="module")
def fitted(comparison: Comparison) -> FittedModel:
    return refit(SAMPLE, PLAN, comparison.of("svm")[0])


def test_the_leaderboard_has_a_dot_for_every_split_at_its_place(comparison: Comparison) -> None:
    found = board(comparison, "accuracy")
    html = board_html(found)
    rows = dict(re.findall(r'<tr[^>]*data-method="(\w+)"(.*?)</tr>', html))
    for line in found.lines:
        told = re.findall(r"<title>split (\d+): ([^<]+)</title>", rows[line.key])
        if line.is_baseline:
            continue
        assert {int(split) - 1: text for split, text in told} == {at: percent(v) for at, v in line.values.items()}
        assert escape(percent(line.mean)) in rows[line.key]
        assert all(color in html for color in ink(line.key))
    places = [float(x) for x in re.findall(r'class="dot" cx="([\d.]+)%"', rows["svm"])]
    values = sorted(found.lines[[line.key for line in found.lines].index("svm")].values.values())
    np.testing.assert_allclose(np.corrcoef(places, values)[0, 1], 1.0, atol=1e-3)


def test_scales_hold_their_values_and_have_round_ticks() -> None:
    scale = scale_of([0.91, None, 0.97, float("nan")], least=0.02)
    assert scale.low < 0.91
    assert scale.high > 0.97
    assert scale.ticks() == pytest.approx([0.92, 0.94, 0.96])
    assert [scale.place(scale.low), scale.place(scale.high), scale.place(0.0)] == [0.0, 100.0, -1.0]
    assert scale_of([0.5], least=0.1).high - scale_of([0.5], least=0.1).low == pytest.approx(0.1)


def test_margin_curves_share_the_axis_of_distances_if_they_have_one_ruler(comparison: Comparison) -> None:
    (group,) = held_out_curves(comparison)
    assert list(group) == comparison.with_margins
    html = margin_panels_html([group], comparison.names)
    assert html.count('class="own"') == len(group)
    assert html.count('class="other"') == len(group) * (len(group) - 1)
    for key in group:
        known = band(comparison, key, "test", "geometric", group[key].x)
        np.testing.assert_array_equal(group[key].middle, known.middle)


def test_without_one_ruler_margin_curves_show_shapes_that_no_unit_changes(comparison: Comparison) -> None:
    def measured_by(unit: float) -> Comparison:
        """The same models, the SVM's with another kernel width, in whose space distances have another unit."""
        other = tuple(
            replace(
                result,
                params={**result.params, "gamma": 7.0},
                train_geometric=unit * result.train_geometric,
                test_geometric=unit * result.test_geometric,
            )
            if result.key == "svm"
            else result
            for result in comparison.outcomes
        )
        return replace(comparison, outcomes=other)

    first, second = measured_by(1.0), measured_by(4.0)
    assert comparison.one_ruler
    assert not first.one_ruler
    (group,), (same,) = held_out_curves(first), held_out_curves(second)
    assert list(group) == first.with_margins
    for key in group:
        np.testing.assert_array_equal(group[key].middle, same[key].middle)
    errors = band(comparison, "svm", "test", "geometric", np.zeros(1)).middle
    np.testing.assert_allclose(np.interp(0.0, group["svm"].x, group["svm"].middle), errors, atol=0.05)
    assert not any("between splits" in note for note in unit_notes(first, "geometric"))


def test_margins_whose_unit_changes_between_splits_are_told(comparison: Comparison) -> None:
    changing = tuple(
        replace(result, params={**result.params, "gamma": 1.0 + result.split}) if result.key == "ldm" else result
        for result in comparison.outcomes
    )
    (note,) = (n for n in unit_notes(replace(comparison, outcomes=changing), "geometric") if "between splits" in n)
    assert note.endswith(": LDM.")


def test_bands_and_medians_are_those_of_the_study(comparison: Comparison) -> None:
    t = margin_axis(comparison, "geometric")
    places = [(key, part) for key in comparison.keys for part in ("train", "test")]
    bands = {place: band(comparison, *place, "geometric", t) for place in places}
    made = band_figure(comparison, bands, "geometric")
    for place, shade, line in zip(places, made.data[::2], made.data[1::2], strict=True):
        assert np.array_equal(shade.y[: len(t)], bands[place].high)
        assert np.array_equal(shade.y[len(t) :], bands[place].low[::-1])
        assert np.array_equal(line.y, bands[place].middle)
        assert line.line.dash == {"train": "solid", "test": "dash"}[place[1]]


def test_a_confusion_matrix_counts_every_test_row_once_a_split(comparison: Comparison) -> None:
    (heat,) = confusion_figure(comparison, "ldm").data
    assert np.sum(heat.text) == sum(len(result.test) for result in comparison.of("ldm"))
    np.testing.assert_allclose(np.sum(heat.z, axis=1), 1.0)
    assert list(heat.x) == ["class_0", "class_1"]


def test_views_show_every_row_and_ring_every_error(fitted: FittedModel) -> None:
    for view in (distance(fitted), components(fitted), pair(fitted, 0, 1, "median")):
        made = view_figure(view)
        points = [trace for trace in made.data if trace.type == "scatter" and trace.name != "error"]
        rows = np.concatenate([trace.customdata[:, 0] for trace in points])
        assert sorted(rows) == list(range(WINE.n))
        (errors,) = (trace for trace in made.data if trace.name == "error")
        assert len(errors.x) == np.sum(view.margins <= 0)
        assert all(("open" in trace.marker.symbol) == ("test" in trace.name) for trace in points)


def test_names_of_classes_and_columns_are_no_markup_in_a_figure(comparison: Comparison, fitted: FittedModel) -> None:
    odd = np.array(["a<b>c", "x & y"])
    prepared = replace(fitted.prepared, features=("<i>one</i>", *WINE.features[1:]))
    view = pair(replace(fitted, prepared=prepared), 0, 1, "mean")
    made = view_figure(replace(view, classes=odd, labels=odd[np.searchsorted(view.classes, view.labels)]))
    assert made.layout.xaxis.title.text == "&lt;i&gt;one&lt;/i&gt;"
    assert {trace.name for trace in made.data} >= {"a&lt;b&gt;c, training", "x &amp; y, test"}
    labels = odd[np.searchsorted(comparison.classes, comparison.y)]
    (heat,) = confusion_figure(replace(comparison, y=labels), "svm").data
    assert list(heat.x) == ["a&lt;b&gt;c", "x &amp; y"]


def test_of_many_rows_some_are_drawn_with_their_errors_and_it_is_said_how_many(
    fitted: FittedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = components(fitted)
    assert points_drawn(view) == ""
    monkeypatch.setattr("mdcore.figures.planes.DRAWN", 20)
    made = view_figure(replace(view, margins=-np.ones(WINE.n)))
    drawn = sum(len(trace.x) for trace in made.data if trace.name != "error")
    (errors,) = (trace for trace in made.data if trace.name == "error")
    assert len(errors.x) == drawn < WINE.n
    assert points_drawn(view) == "Showing 19 of 91 training rows and 20 of 39 test rows."


def test_the_field_is_drawn_where_a_view_has_one_and_the_boundary_at_zero(fitted: FittedModel) -> None:
    view = pair(fitted, 0, 1, "mean")
    made = view_figure(view)
    assert view.field is not None
    levels = [trace.contours.start for trace in made.data if trace.type == "contour"]
    assert levels == [-view.unit, 0.0, view.unit]
    assert np.array_equal(made.data[1].z, view.field[2])
    assert not any(trace.type == "contour" for trace in view_figure(components(fitted)).data)
    (line,) = view_figure(distance(fitted)).layout.shapes
    assert (line.x0, line.x1) == (0, 0)


def test_on_a_dark_page_dark_colours_are_lightened_and_no_others(comparison: Comparison) -> None:
    t = margin_axis(comparison, "geometric")
    made = band_figure(
        comparison,
        {(key, "test"): band(comparison, key, "test", "geometric", t) for key in comparison.keys},
        "geometric",
    )
    shade, line, *_, last = made.data
    line.line.color, shade.fillcolor = "#08306B", "rgba(8, 48, 107, 0.6)"
    lighter = on_dark(made)
    assert lighter.data[1].line.color == "#5E789F"  # navy, two thirds of it
    assert _luminance("#5E789F") >= READABLE > _luminance("#08306B")
    assert lighter.data[0].fillcolor == "rgba(94, 120, 159, 0.6)"
    assert lighter.data[-1].line.color == last.line.color == METHODS["odm"].color
    assert line.line.color == "#08306B"


def test_counts_can_be_read_on_every_colour_of_a_confusion_matrix() -> None:
    dark = _luminance("#1d2422")
    for method in METHODS.values():
        darkest = _luminance(tint(method.color, 0.5))
        assert (darkest + 0.05) / (dark + 0.05) >= 4.5, method.name
