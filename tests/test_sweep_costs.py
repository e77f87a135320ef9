"""The time of a sweep is estimated by kind of fit, because first fits on new rows differ from the following ones."""

from __future__ import annotations

import time
from itertools import count

import pytest

from mdcore.experiment import Experiment
from mdcore.serving.jobs.progress import Progress, paced
from mdcore.sweep import Axis, Sweep, points, walk
from mdcore.sweep.plan import COLD_COST, REPEATED, WARM_COST, cost_sequence

EXPERIMENT = Experiment.from_query("data=moons&n=40&noise=0.3&methods=svm,ldm")
C, LAMBDA1, GAMMA = Axis("C", (1.0, 2.0, 4.0)), Axis("ldm.lambda1", (1.0, 4.0)), Axis("gamma", (0.5, 1.0))


@pytest.mark.parametrize(("axes", "repeats"), [((C,), 1), ((C, LAMBDA1), 2), ((GAMMA, C), 1), ((GAMMA,), 3)])
def test_the_costs_have_a_step_for_every_result_and_a_cost_for_every_fit(axes, repeats, monkeypatch):
    fits = count()
    sweep = Sweep(EXPERIMENT, axes, ("train.mean",), repeats)
    whole = walk.__globals__["fit_model"]
    monkeypatch.setitem(walk.__globals__, "fit_model", lambda *given: (next(fits), whole(*given))[1])
    steps = list(cost_sequence(sweep))
    assert len(steps) == sweep.size == len(list(points(sweep)))
    assert sum(kind != REPEATED for kind, _ in steps) == next(fits)
    assert all((cost > 0.0) == (kind != REPEATED) for kind, cost in steps)


def test_fits_after_new_rows_or_a_new_kernel_are_a_kind_of_their_own():
    steps = list(cost_sequence(Sweep(EXPERIMENT, (GAMMA, C), ("train.mean",), 2)))
    assert {kind for kind, _ in steps} == {(m, *moved) for m in ("svm", "ldm") for moved in ((), ((0,),), ((1,),))}
    assert {cost for kind, cost in steps if kind[1:] == ((1,),)} == {WARM_COST}
    assert {cost for kind, cost in steps if kind[1:] != ((1,),)} == {COLD_COST}


def test_what_is_foretold_is_right_once_every_kind_has_been_seen(monkeypatch):
    """Fits of new rows take fifty times as long as the others, by a simulated clock."""
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    steps = list(cost_sequence(Sweep(EXPERIMENT, (GAMMA, C), ("train.mean",), 2)))
    takes = [{COLD_COST: 50.0, WARM_COST: 1.0, 0.0: 0.0}[cost] for _, cost in steps]

    def fits():
        for seconds in takes:
            now[0] += seconds
            yield seconds

    report, told, seen = Progress(), [], set()
    report.begin()
    for number, _ in enumerate(paced(lambda: steps, fits)(report), 1):
        seen.add(steps[number - 1][0])
        if len(seen) == 6 and number < len(steps):
            told.append((report.left.seconds, sum(takes[number:])))
    assert len(told) > 10
    assert all(said == pytest.approx(left) for said, left in told)
