"""Figures of a comparison as data."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore import METHODS, load_dataset
from mdcore.figures import (
    band_figure,
    confusion_figure,
    difference_figure,
    on_dark,
    points_drawn,
    score_figure,
    view_figure,
)
from mdcore.figures.style import READABLE, _luminance, tint
from mdcore.study import Candidate, Comparison, Data, Plan, band, compare, differences, margin_axis
from mdcore.study.evaluation import FittedModel, refit
from mdcore.study.views import components, distance, pair

WINE = load_dataset("wine", keep="class_0,class_1")
SAMPLE = Data(WINE.X, WINE.y, StandardScaler(), WINE.features)
PLAN = Plan((Candidate.fixed("svm"), Candidate.fixed("ldm"), Candidate.fixed("odm")), repeats=4)


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(SAMPLE.X, SAMPLE.y, SAMPLE.preparation, PLAN)


@pytest.fixture(scope="module")
def fitted(comparison: Comparison) -> FittedModel:
    return refit(SAMPLE, PLAN, comparison.of("svm")[0])


def test_scores_show_every_split_and_the_mean_with_its_deviation(comparison: Comparison) -> None:
    made = score_figure(comparison, "auc")
    for key, points, mean in zip(comparison.keys, made.data[::2], made.data[1::2], strict=True):
        assert np.array_equal(points.y, comparison.score(key, "auc"))
        assert mean.y[0] == comparison.spread(key, "auc").mean
        assert mean.error_y.array[0] == comparison.spread(key, "auc").deviation
        assert mean.marker.color == METHODS[key].color
    assert list(made.layout.xaxis.ticktext) == ["SVM", "LDM", "ODM"]


def test_differences_show_both_intervals_about_the_same_mean(comparison: Comparison) -> None:
    found = differences(comparison, "accuracy")
    assert len(found) == 3
    corrected, plain = difference_figure(comparison, found, "accuracy").data
    for i, d in enumerate(found):
        for trace, test in ((corrected, d.corrected), (plain, d.plain)):
            assert trace.x[i] == d.mean
            assert trace.x[i] + trace.error_x.array[i] == pytest.approx(test.high)
            assert trace.x[i] - trace.error_x.arrayminus[i] == pytest.approx(test.low)
        assert corrected.error_x.array[i] >= plain.error_x.array[i]


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
    monkeypatch.setattr("mdcore.figures.views.DRAWN", 20)
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
    made = score_figure(comparison, "accuracy")
    made.data[1].marker.color = "#08306B"
    made.data[2].marker.color = "rgba(8, 48, 107, 0.6)"
    lighter = on_dark(made)
    assert lighter.data[1].marker.color == "#5E789F"  # navy, two thirds of it
    assert _luminance("#5E789F") >= READABLE > _luminance("#08306B")
    assert lighter.data[2].marker.color == "rgba(94, 120, 159, 0.6)"
    assert lighter.data[3].marker.color == made.data[3].marker.color == METHODS["ldm"].color
    assert made.data[1].marker.color == "#08306B"


def test_counts_can_be_read_on_every_colour_of_a_confusion_matrix() -> None:
    ink = _luminance("#1d2422")
    for method in METHODS.values():
        darkest = _luminance(tint(method.color, 0.5))
        assert (darkest + 0.05) / (ink + 0.05) >= 4.5, method.name
