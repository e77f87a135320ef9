"""Online learners on the threshold data of the PUMMA paper: its bound, and its Figures 3 and 4."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from mdcore import ALMA, METHODS, PUMMA, ROMMA, load_dataset
from mdcore.export.online import learning_recipe
from mdcore.figures import learning_figure
from mdcore.papers.learning_curves import CurvesPlan, learning_curves, records
from tests.executing import code_of, executed
from tests.streams import settled


@pytest.mark.parametrize("r", [1, 4])
def test_pumma_makes_fewer_updates_on_threshold_data(r):
    data = load_dataset("threshold", n=200, features=50, k=8, r=r, seed=0)
    X, y = data.X, data.y
    for p, others in ((2.0, [ROMMA(), ALMA()]), (2.0 * np.log(50), [ALMA(p=2.0 * np.log(50))])):
        pumma = settled(PUMMA(p), X, y)
        for other in others:
            # until the other learner reaches PUMMA's margin, or ends
            theirs = next(
                (
                    epoch.updates
                    for epoch in clone(other).set_params(max_iter=20_000).epochs(X, y)
                    if epoch.margin >= pumma.margin_
                ),
                settled(other, X, y).n_updates_,
            )
            assert pumma.n_updates_ <= theirs


@pytest.fixture(scope="module")
def curves():
    """Run a smaller experiment of Figures 3 and 4; return it with the calls of its progress."""
    calls = []
    plan = CurvesPlan(rs=(1, 2), ps=(2.0, 5.0), n=60, features=20, k=4, repeats=2, epochs=3000)
    made = learning_curves(plan, progress=lambda *call: calls.append(call))
    return made, calls


def test_the_curves_hold_every_learner_that_is_for_p(curves):
    made, calls = curves
    assert sorted((curve.method, curve.p, curve.r) for curve in made) == sorted(
        (method, p, r)
        for r in (1, 2)
        for method, p in (("pumma", 2.0), ("romma", 2.0), ("alma", 2.0), ("pumma", 5.0), ("alma", 5.0))
    )
    assert calls == [(done, 20) for done in range(1, 21)]


def test_the_records_are_the_points_of_the_curves(curves):
    made = curves[0]
    rows = records(made)
    assert [row["margin"] for row in rows] == [margin for curve in made for margin in curve.margins]
    assert rows[0] == {
        "learner": METHODS[made[0].method].name,
        "p": made[0].p,
        "r": made[0].r,
        "epoch": 1,
        "updates": made[0].updates[0],
        "seconds": made[0].seconds[0],
        "margin": made[0].margins[0],
        "largest margin": made[0].largest,
    }


def test_a_curve_is_the_average_of_its_runs(curves):
    for curve in curves[0]:
        runs = []
        for seed in (0, 1):
            data = load_dataset("threshold", n=60, features=20, k=4, r=curve.r, seed=seed)
            exponent = {} if curve.method == "romma" else {"p": curve.p}
            runs.append(METHODS[curve.method].estimator(max_iter=3000, **exponent).fit(data.X, data.y))
        assert len(curve.updates) == len(curve.margins) == len(curve.seconds) == max(run.n_iter_ for run in runs)
        assert curve.updates[-1] == np.mean([run.n_updates_ for run in runs])
        assert curve.margins[-1] == pytest.approx(np.mean([run.margin_ for run in runs]), rel=1e-12)
        assert curve.ended == np.mean([run.converged_ for run in runs])
        assert (np.diff(curve.updates) >= 0).all()
        assert (np.diff(curve.seconds) >= 0).all()


@pytest.mark.parametrize("against", ["updates", "seconds"])
def test_the_figure_shows_the_curves(curves, against):
    shown = [curve for curve in curves[0] if curve.p == 2.0]
    made = learning_figure(shown, against)
    assert made.layout.xaxis.type == "log"
    for curve, trace in zip(shown, made.data, strict=True):
        assert (trace.x, trace.y) == (getattr(curve, against), curve.margins)
        assert trace.line.color == METHODS[curve.method].color
        assert trace.name == f"{METHODS[curve.method].name}, r = {curve.r}"
    assert len({(trace.line.color, trace.line.dash) for trace in made.data}) == len(shown)


def test_the_script_and_the_notebook_print_the_numbers_of_the_curves(tmp_path: Path) -> None:
    plan = CurvesPlan(rs=(1, 2), ps=(2.0, 4.0), n=20, features=6, k=3, repeats=1, epochs=4)
    expected = records(learning_curves(plan))
    recipe = learning_recipe(plan, "updates")
    for code in (recipe.script(), code_of(recipe.notebook("Words."))):
        printed = [eval(line, {"nan": math.nan, "inf": math.inf}) for line in executed(code, tmp_path).splitlines()]
        assert len(printed) == len(expected)
        for found, record in zip(printed, expected, strict=True):
            same = {name: value for name, value in record.items() if name != "seconds"}
            assert {name: found[name] for name in same} == same
    assert (tmp_path / "picture_1.html").stat().st_size > 1000
