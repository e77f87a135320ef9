"""Tuning of the methods of a picture, by the search of a comparison: each with the same effort, on the training rows.

The kernel and γ stay as they are shown. A γ for each method would put their margins on different rulers, and one γ
that is best for all would make the parameters of a method depend on those beside it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mdcore.basics.threads import libraries
from mdcore.experiment import Experiment
from mdcore.experiment.result_caches import BYTES_PER_PAIR
from mdcore.methods import METHODS
from mdcore.solvers.budget import raise_if_stopped
from mdcore.study.chosen_settings import Tuned, chosen_for, keep_chosen
from mdcore.study.data import training_data_of
from mdcore.study.folds import Folds
from mdcore.study.headline import fitting_score
from mdcore.study.plan import EFFORT, EQUAL_FOLDS, Candidate, Plan
from mdcore.study.selection import choose
from mdcore.study.splits import seed_of

Progress = Callable[[int, int], None]


def tuning_plan(experiment: Experiment) -> Plan:
    """Return the plan whose inner cross-validation chooses the parameters of the methods shown."""
    prepared = experiment.prepare()
    candidates = (Candidate(key, tuple(experiment.settings(key).items()), effort=EFFORT) for key in experiment.methods)
    return Plan(
        tuple(candidates),
        seed=experiment.data.seed,
        folds=EQUAL_FOLDS,
        kernel=experiment.kernel,
        criterion=fitting_score(prepared.y_train),
        several=experiment.several,
        scheme=prepared.scheme,
        one_space=True,
    )


def tune(experiment: Experiment, progress: Progress = lambda made, total: None) -> Iterator[tuple[str, Tuned]]:
    """Yield the methods shown with what was chosen for each, and keep it.

    `progress(fits made, most fits)` is called after every fit. A method that cannot be tuned on these data is left
    out; if none can, a ValueError says why.
    """
    data, plan = training_data_of(experiment), tuning_plan(experiment)
    folds, rows = Folds(data, plan), np.arange(len(data.y))
    most = plan.folds * EFFORT
    reasons: list[str] = []
    with libraries().limit(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # an unfinished fit is scored as it is
        for number, candidate in enumerate(plan.candidates):
            meter = _Meter(progress, number * most, len(plan.candidates) * most)
            try:
                found = chosen_for(experiment, candidate.key) or _tuned(plan, candidate, folds, rows, meter)
            except ValueError as error:
                reasons.append(f"{candidate.method.name}: {error}")
                continue
            keep_chosen(experiment, candidate.key, found)
            yield candidate.key, found
    if len(reasons) == len(plan.candidates):
        raise ValueError(reasons[0])


def bytes_for(experiment: Experiment) -> float:
    """Return the memory that tuning needs, in bytes: the kernel values of the folds, and those of a fit."""
    plan = tuning_plan(experiment)
    return BYTES_PER_PAIR * min(experiment.training_rows, plan.tuning_rows) ** 2 * plan.folds


class _Meter:
    """Counts the fits of one method, and stops the work between two of them."""

    def __init__(self, progress: Progress, before: int, total: int) -> None:
        self._progress, self._made, self._total = progress, before, total

    def __call__(self) -> None:
        self._made += 1
        self._progress(self._made, self._total)
        raise_if_stopped()


def _tuned(plan: Plan, candidate: Candidate, folds: Folds, rows: np.ndarray, tick: Callable[[], None]) -> Tuned:
    chosen = choose(plan, candidate, folds, rows, 0, seed_of(plan.seed, 0), tick)
    settings = METHODS[candidate.key].settings(chosen.option.settings(len(rows)))
    part = plan.tuning_part(folds.data.y, rows, 0)
    return Tuned(settings, chosen.tried, len(part), plan.folds, plan.criterion, chosen.score)
