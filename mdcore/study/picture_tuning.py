"""Tuning of the methods of a picture, by the search of a comparison: each with the same effort, on the training rows.

The kernel and γ stay as they are shown. A γ for each method would put their margins on different rulers, and one γ
that is best for all would make the parameters of a method depend on those beside it.

What was chosen is kept with the results of the same data: for everybody, or with the user's own table.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mdcore.basics.text import listed, percent
from mdcore.basics.threads import libraries
from mdcore.experiment import Experiment
from mdcore.experiment.result_caches import BYTES_PER_PAIR, caches_of
from mdcore.methods import METHODS
from mdcore.solvers.budget import raise_if_stopped
from mdcore.study.cross_validation import choose
from mdcore.study.data import training_data_of
from mdcore.study.folds import Folds
from mdcore.study.plan import EFFORT, EQUAL_FOLDS, Candidate, Plan
from mdcore.study.scores import SCORES, fitting_score
from mdcore.study.splits import seed_of

UNTUNED = ", at parameter settings that are not tuned"

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Tuned:
    """The chosen parameters of a method, among how many candidates, on how many rows in how many folds, the score by
    which they were chosen, and its mean over the folds."""

    settings: Mapping[str, Any]
    tried: int
    rows: int
    folds: int
    criterion: str
    score: float


def chosen_for(experiment: Experiment, method: str) -> Tuned | None:
    """Return what was chosen for a method on these data in this kernel, whether it is shown or not; None if nothing."""
    found: Tuned | None = caches_of(experiment.data.own).tuned.peek(subject_of(experiment, method))
    return found


def keep_chosen(experiment: Experiment, method: str, found: Tuned) -> None:
    caches_of(experiment.data.own).tuned.put(subject_of(experiment, method), found)


def tuned(experiment: Experiment, method: str) -> Tuned | None:
    """Return how the parameters that an experiment shows were chosen; None if they are others than the chosen ones."""
    found = chosen_for(experiment, method)
    return found if found is not None and found.settings == experiment.settings(method) else None


def tuned_methods(experiment: Experiment) -> list[str]:
    return [method for method in experiment.methods if tuned(experiment, method)]


def effort(experiment: Experiment) -> str:
    """Return a clause on the parameter settings of the methods shown, with which a sentence that ranks them ends;
    nothing if all are tuned, which `tuning_sentence` says."""
    known = tuned_methods(experiment)
    if len(known) == len(experiment.methods):
        return ""
    return ", at parameter settings that are not all tuned" if known else UNTUNED


def tuning_sentence(before: Experiment | None, now: Experiment) -> str:
    """Say how the methods shown are tuned, if all are. If some of those before were, name the ones that are no longer
    tuned, or else those that still are."""
    known, earlier = tuned_methods(now), tuned_methods(before) if before else []
    if len(known) == len(now.methods):
        return _how(now)
    lost = [method for method in earlier if method in now.methods and method not in known]
    if lost:
        return f"{_are(now, lost)} no longer tuned."
    return f"Only {_are(now, known)} tuned." if known and earlier else ""


def _how(experiment: Experiment) -> str:
    found = [one for one in (tuned(experiment, method) for method in experiment.methods) if one and one.tried]
    if not found:
        return ""
    first, all_rows = found[0], experiment.training_rows
    rows = f"the {all_rows:,}" if first.rows == all_rows else f"{first.rows:,} of the {all_rows:,}"
    reached = list(dict.fromkeys(percent(one.score) for one in sorted(found, key=lambda one: one.score)))
    scores = reached[0] if len(reached) == 1 else f"{reached[0].removesuffix(' %')} to {reached[-1]}"
    return (
        f"Tuned on {rows} training rows by {first.folds}-fold cross-validation, at most {EFFORT} candidates"
        f"{' each' * (len(found) > 1)}: {SCORES[first.criterion].lower()} {scores}."
    )


def _are(experiment: Experiment, methods: list[str]) -> str:
    return f"{listed([experiment.name(method) for method in methods])} {'is' if len(methods) == 1 else 'are'}"


def subject_of(experiment: Experiment, method: str) -> Hashable:
    """Return all that a choice depends on, with the parameters that a search leaves alone; not the table itself, if it
    is a user's own."""
    settings = experiment.settings(method)
    fixed = tuple((setting.name, settings[setting.name]) for setting in METHODS[method].params if not setting.search)
    return experiment.data_key, experiment.kernel, experiment.several, method, fixed


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
            tick = _counting(progress, number * most, len(plan.candidates) * most)
            try:
                found = chosen_for(experiment, candidate.key) or _tuned(plan, candidate, folds, rows, tick)
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


def _counting(progress: Progress, before: int, total: int) -> Callable[[], None]:
    """Return what counts the fits of one method, and stops the work between two of them."""
    made = count(before + 1)

    def tick() -> None:
        progress(next(made), total)
        raise_if_stopped()

    return tick


def _tuned(plan: Plan, candidate: Candidate, folds: Folds, rows: np.ndarray, tick: Callable[[], None]) -> Tuned:
    chosen = choose(plan, candidate, folds, rows, 0, seed_of(plan.seed, 0), tick)
    settings = METHODS[candidate.key].settings(chosen.option.settings(len(rows)))
    part = plan.tuning_part(folds.data.y, rows, 0)
    return Tuned(settings, chosen.tried, len(part), plan.folds, plan.criterion, chosen.score)
