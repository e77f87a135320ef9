"""Sweeps of LDM, in units of one cold fit by cvxpy + Clarabel."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.solvers import LDM_PARAMS, Problem, _clarabel_box
from benchmarks.timing import Row, measure
from mdcore import LDM, Experiment
from mdcore.experiment.result_caches import clear_caches
from mdcore.solvers.ldm import dual_matrix
from mdcore.sweep import Axis, Sweep, SweepTable, axis_params, run, spaced

# 300 training rows of the problem in benchmarks/solvers.py, and 200 test rows.
QUERY = (
    "data=waveform&n=500&test=0.4&scaling=standard&gamma=distance&methods=ldm"
    "&ldm.lambda1=1&ldm.lambda2=1&ldm.C=10&classes=0 vs rest"
)
CURVE_FITS, HEATMAP_FITS = 5.0, 60.0


def rows() -> Iterator[Row]:
    experiment = Experiment.from_query(QUERY)
    problem = Problem.of_size(len(experiment.prepare().train))
    p = np.full(len(problem.y), 1.0 / len(problem.y))
    H = dual_matrix(problem.space().gram, problem.y, p, LDM_PARAMS["lambda1"])
    fit_ms, _ = measure(lambda _: _clarabel_box(H, LDM_PARAMS), repeat=5)
    for keys, count, fits in (
        (("ldm.lambda1",), 41, CURVE_FITS),
        (("ldm.lambda2",), 41, CURVE_FITS),
        (("ldm.C",), 41, CURVE_FITS),
        (("ldm.lambda1", "ldm.lambda2"), 21, HEATMAP_FITS),
        (("ldm.lambda1", "ldm.C"), 21, HEATMAP_FITS),
    ):
        sweep = _sweep(experiment, keys, count)
        ours_ms, table = measure(lambda _, sweep=sweep: run(sweep), clear_caches, repeat=3)
        what = (
            f"sweep of LDM's {' × '.join(key.split('.')[1] for key in keys)}, {len(table.results)} points, m = {len(p)}"
        )
        yield Row(what, f"{fits:g} cold fits of cvxpy + Clarabel", ours_ms, fits * fit_ms, _quality(table), 1.0)

    for name in ("lambda2", "C"):
        yield _path(problem, name, _sweep(experiment, (f"ldm.{name}",), 41).axes[0].values)


def _path(problem: Problem, name: str, values: tuple[float, ...]) -> Row:
    """Compare the exact path with warm-started fits at the points of a grid."""

    def grid(model: LDM) -> LDM:
        for value in values:
            model.set_params(**{name: value}).fit_space(space, problem.y)
        return model

    space = problem.space()
    ours_ms, path = measure(lambda model: model.follow(space, problem.y, name, values), lambda: LDM(**LDM_PARAMS))
    grid_ms, last = measure(grid, lambda: LDM(**LDM_PARAMS, warm_start=True))
    off = np.abs(path.b[-1] - last.beta_).max() / np.abs(last.beta_).max()
    quality = f"{len(path.kinks)} kinks; at the end {off:.0e} from the grid's solution"
    what = f"LDM's exact path in {name}, m = {len(problem.y)}"
    return Row(what, f"warm-started grid of {len(values)}", ours_ms, grid_ms, quality)


def _sweep(experiment: Experiment, keys: tuple[str, ...], count: int) -> Sweep:
    params = axis_params(experiment)
    return Sweep(experiment, tuple(Axis(key, spaced(params[key], count)) for key in keys))


def _quality(table: SweepTable) -> str:
    accuracy = table.values("ldm", "test.accuracy")
    converged = sum(result.converged for result in table.results)
    reached = f"test accuracy {accuracy.min():.3f} to {accuracy.max():.3f}"
    return f"every statistic; {converged} of {len(table.results)} converged; {reached}"
