"""Figures as data: every trace has the numbers of its run."""

from __future__ import annotations

import numpy as np

from mdcore import METHODS, Experiment
from mdcore.experiment.run import Run
from mdcore.figures import boundary_figure, cumulative_figure, histogram_figure
from mdcore.figures.style import AXIS_TITLES
from mdcore.margins.distribution import common_edges

QUERY = "data=moons&n=80&noise=0.3&seed=0&gamma=1&methods=svm,ldm,odm,msvmav"


def runs() -> list[Run]:
    return list(Experiment.from_query(QUERY).run().values())


def test_the_boundary_shows_the_field_its_contours_and_every_point_once() -> None:
    for run in runs():
        xs, ys = np.linspace(-2, 3, 20), np.linspace(-2, 2, 15)
        field = run.field(xs, ys)
        figure = boundary_figure(run, xs, ys, field)
        heat = next(trace for trace in figure.data if trace.type == "heatmap")
        assert np.array_equal(heat.z, np.clip(field, -2 * run.unit, 2 * run.unit))
        levels = [trace.contours.start for trace in figure.data if trace.type == "contour"]
        assert levels == [-run.unit, 0.0, run.unit]
        shown = np.concatenate([trace.customdata for trace in figure.data if trace.type == "scatter"])
        assert sorted(shown[:, 0]) == list(range(80))
        expected = dict(zip(run.prepared.train, run.train.values, strict=True))
        expected |= dict(zip(run.prepared.test, run.test.values, strict=True))
        assert all(expected[int(row)] == margin for row, margin in shown)
        assert figure.layout.yaxis.scaleanchor == "x"


def test_the_histogram_counts_every_training_margin_in_the_methods_colour() -> None:
    shown = runs()
    edges = common_edges([run.train for run in shown])
    figure = histogram_figure(shown, edges)
    for run, trace in zip(shown, figure.data, strict=True):
        assert trace.line.color == METHODS[run.method.key].color
        assert trace.y[::2].sum() == len(run.train)
        assert np.array_equal(trace.y[::2], run.train.counts(edges))


def test_the_cumulative_curves_are_the_distribution_functions() -> None:
    shown = runs()
    figure = cumulative_figure(shown)
    parts = [(run, part) for run in shown for part in (run.train, run.test)]
    assert len(figure.data) == len(parts)
    for (run, part), trace in zip(parts, figure.data, strict=True):
        assert trace.line.shape == "hv"
        assert (trace.line.dash == "dash") == (part is run.test)
        reached = dict(zip(trace.x, trace.y, strict=True))  # the top of a step of equal margins
        np.testing.assert_allclose(list(reached.values()), part.cdf(np.array(list(reached))))


def test_marks_are_drawn_where_the_parameters_act() -> None:
    (run,) = (
        Experiment.from_query(QUERY.replace("svm,ldm,odm,msvmav", "odm") + "&odm.theta=0.2&scale=functional")
        .run()
        .values()
    )
    figure = histogram_figure([run], common_edges([run.train]))
    band = next(shape for shape in figure.layout.shapes if shape.type == "rect")
    assert (band.x0, band.x1) == (0.8, 1.2)


def test_a_run_without_a_boundary_is_not_drawn_among_distances() -> None:
    query = "data=imbalanced&n=100&noise=2.5&balance=0.2&seed=0&kernel=linear&methods=svm,mamc"
    flat, other = Experiment.from_query(query).run().values()
    assert (len(flat.on_axis("train")), flat.marks()) == (0, ())
    for made in (histogram_figure([flat, other], np.linspace(-3.0, 9.0, 13)), cumulative_figure([flat, other])):
        assert made.layout.xaxis.title.text == AXIS_TITLES["geometric"]
        assert not any(np.any(trace.y) for trace in made.data if trace.name.startswith("SVM"))
    functional = Experiment.from_query(f"{query}&scale=functional").run()["svm"]
    assert len(functional.on_axis("train")) == 70
