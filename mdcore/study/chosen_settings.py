"""Which methods of a picture are tuned, and how: the parameters that cross-validation on its training rows has chosen.

What was chosen is kept with the results of the same data: for everybody, or with the user's own table.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from mdcore.basics.text import listed, percent
from mdcore.experiment import Experiment
from mdcore.experiment.result_caches import caches_of
from mdcore.methods import METHODS
from mdcore.study.plan import EFFORT
from mdcore.study.scores import SCORES

UNTUNED = ", at parameter settings that are not tuned"


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
