"""Classes have the same marks everywhere: test_javascript checks the stage, this file the figures."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from mdcore.basics.class_marks import CLASS_MARKS, class_mark
from mdcore.experiment import Experiment
from mdcore.figures.boundary import boundary_figure


def test_no_two_classes_look_alike() -> None:
    marks = [class_mark(code) for code in range(3 * len(CLASS_MARKS))]
    assert marks[: len(CLASS_MARKS)] == list(CLASS_MARKS)
    assert all(one != other for one, other in combinations(marks, 2))


def test_a_boundary_figure_draws_classes_by_their_marks() -> None:
    run = Experiment.from_query("data=moons&n=40&methods=svm").run()["svm"]
    xs = ys = np.linspace(-1, 1, 5)
    drawn = [trace for trace in boundary_figure(run, xs, ys, run.field(xs, ys)).data if trace.type == "scatter"]
    shapes = [(trace.marker.symbol, trace.marker.color) for trace in drawn]
    first, second = class_mark(0), class_mark(1)
    assert shapes == [
        (first.shape, first.light),
        (second.shape, second.light),
        (f"{first.shape}-open", first.light),
        (f"{second.shape}-open", second.light),
    ]
