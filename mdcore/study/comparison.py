"""The results of a comparison so far, and their summary."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.text import label_text, shortened
from mdcore.basics.versions import with_python
from mdcore.data.splitting import TIME, Rows
from mdcore.margins.distribution import MarginDistribution, Part, Scale
from mdcore.methods.one_versus_rest import PAIRS
from mdcore.solvers.arrays import Array
from mdcore.spaces.kernels import Kernel
from mdcore.study.evaluation import Failure, Result
from mdcore.study.plan import Plan
from mdcore.study.references import MAJORITY, is_reference
from mdcore.study.scores import majority_class, majority_scores
from mdcore.study.search import WAY

Attempt = Result | Failure

SAME_WIDTH = 1.5  # ratio of γ up to which kernels of different splits count as the same
OF_PLAN = ("splits", "baseline", "names")  # cached properties that no outcome changes
PACKAGES = ("mdcore", "numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True)
class Spread:
    """Mean and standard deviation (n - 1) over the splits that have a value."""

    mean: float
    deviation: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """The plan, the labels, and the outcome of each finished method and split."""

    plan: Plan
    y: NDArray[Any]
    fingerprint: str
    outcomes: tuple[Attempt, ...]
    versions: tuple[tuple[str, str], ...]
    along: NDArray[np.intp] | None = None
    """The code of every row's group or time, if the plan splits by them."""

    @classmethod
    def empty(cls, plan: Plan, y: NDArray[Any], fingerprint: str, along: NDArray[np.intp] | None = None) -> Self:
        return cls(plan, y, fingerprint, (), tuple(with_python(PACKAGES).items()), along)

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(candidate.key for candidate in self.plan.candidates)

    @property
    def classes(self) -> NDArray[Any]:
        return np.unique(self.y)

    @cached_property
    def names(self) -> dict[str, str]:
        """Display name of each candidate, with a note if it does not see every row unchanged."""
        rows, classes = len(self.splits[0][0]), len(self.classes)
        row_notes = {c.key: self.plan.rows_note(c, rows) for c in self.plan.candidates}
        return {
            key: self.plan.name(key, classes) + (f" ({row_notes[key]})" if row_notes[key] else "") for key in self.keys
        }

    @cached_property
    def splits(self) -> list[tuple[Rows, Rows]]:
        """Training and test rows of every planned split."""
        return list(self.plan.splits(self.y, self.along))

    @cached_property
    def baseline(self) -> list[dict[str, float]]:
        """The scores of predicting the majority class, on every planned split."""
        return majority_scores(self.y, self.splits, self.plan.positive_code(self.classes))

    @cached_property
    def baseline_name(self) -> str:
        return f"always ‘{shortened(label_text(majority_class(self.y)))}’"

    def title(self, key: str) -> str:
        """Return the display name of a candidate or of the MAJORITY."""
        return self.baseline_name if key == MAJORITY else self.names[key]

    @property
    def voting(self) -> tuple[str, ...]:
        """Names of the methods whose margins count votes, which have no unit in common with other margins."""
        if len(self.classes) == 2:
            return ()
        methods = (candidate.method for candidate in self.plan.candidates)
        return tuple(self.names[m.key] for m in methods if m.voting or self._ways(m.key) == {PAIRS})

    @property
    def mixed(self) -> tuple[str, ...]:
        """Names of the methods that treat several classes differently on different splits, so that their margins have
        no unit in common."""
        return tuple(self.names[key] for key in self.keys_done if len(self._ways(key)) > 1)

    def _ways(self, key: str) -> set[str]:
        return {str(result.params[WAY]) for result in self.of(key) if WAY in result.params}

    @property
    def flat(self) -> tuple[str, ...]:
        """Names of the methods with a split without a boundary, whose margins are functional on either scale."""
        own = (key for key in self.with_margins if self.names[key] not in self.voting)
        return tuple(self.names[key] for key in own if self.scale_of(key, "geometric") == "functional")

    @property
    def rulers_differ(self) -> bool:
        """Whether methods measure distances in different spaces on the same split."""
        rulers: dict[int, set[tuple[object, ...]]] = {}
        for key in self.with_margins:
            if self.names[key] not in self.voting:
                for result in self.of(key):
                    rulers.setdefault(result.split, set()).add(_ruler(result))
        return any(len(found) > 1 for found in rulers.values())

    @property
    def rulers_change(self) -> tuple[str, ...]:
        """Names of the methods whose kernels differ between splits by more than the rows make γ vary."""
        own = (key for key in self.with_margins if self.names[key] not in self.voting)
        return tuple(self.names[key] for key in own if _kernels_vary([result.params for result in self.of(key)]))

    @cached_property
    def one_ruler(self) -> bool:
        """Whether the distances of all methods on all splits have one unit, but for what the rows make γ vary."""
        return not (self.rulers_differ or self.rulers_change)

    def scale_of(self, key: str, scale: Scale) -> Scale:
        """Return the scale of a method's margins, the same for all splits: functional if some have no distances."""
        return scale if all(result.are_distances for result in self.of(key)) else "functional"

    def margins(self, key: str, part: Part, scale: Scale) -> list[MarginDistribution]:
        """Return the margins of a method on every finished split, on the scale that `scale_of` gives."""
        return [result.margins(part, self.scale_of(key, scale)) for result in self.of(key)]

    @cached_property
    def places(self) -> set[tuple[str, int]]:
        """Method and split of every outcome."""
        return {(outcome.key, outcome.split) for outcome in self.outcomes}

    @property
    def complete(self) -> bool:
        return len(self.outcomes) == len(self.keys) * self.plan.repeats

    @property
    def failures(self) -> tuple[Failure, ...]:
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Failure))

    def of(self, key: str) -> list[Result]:
        """Return the results of one method, ordered by split."""
        return self._by_key.get(key, [])

    @property
    def keys_done(self) -> list[str]:
        """Methods that have a result."""
        return [key for key in self.keys if self.of(key)]

    @property
    def with_margins(self) -> list[str]:
        """Methods that have a result and margins of one unit on all splits.

        Reference learners have log-odds instead, shown on a separate axis.
        """
        return [key for key in self.keys_done if not is_reference(key) and self.names[key] not in self.mixed]

    def score(self, key: str, name: str) -> Array:
        return np.array(list(self.by_split(key, name).values()))

    def by_split(self, key: str, name: str) -> dict[int, float]:
        """Return a score for every finished split of a method; the MAJORITY has all splits."""
        if key == MAJORITY:
            return {split: scores[name] for split, scores in enumerate(self.baseline)}
        return {result.split: result.scores[name] for result in self.of(key)}

    def spread(self, key: str, name: str) -> Spread:
        return spread(self.score(key, name))

    def statistic(self, key: str, part: Part, name: str, scale: Scale) -> Spread:
        """Return the spread of a statistic of the margins over the splits."""
        return spread(np.array([getattr(margins, name) for margins in self.margins(key, part, scale)]))

    def confusion(self, key: str) -> NDArray[np.intp]:
        """Return the confusion matrix summed over all splits."""
        k = len(self.classes)
        return sum((result.confusion for result in self.of(key)), np.zeros((k, k), dtype=np.intp))

    def with_outcomes(self, outcomes: Iterable[Attempt]) -> Self:
        """Return the comparison with further outcomes, which keeps what follows from the plan alone."""
        merged = {(outcome.key, outcome.split): outcome for outcome in (*self.outcomes, *outcomes)}
        order = {key: i for i, key in enumerate(self.keys)}
        made = replace(
            self, outcomes=tuple(merged[place] for place in sorted(merged, key=lambda p: (p[1], order[p[0]])))
        )
        made.__dict__.update({name: self.__dict__[name] for name in OF_PLAN if name in self.__dict__})
        return made

    def outcomes_for(self, other: Comparison) -> list[Attempt]:
        """Return the outcomes that are also part of `other`: same data, same conditions, same candidate, a split of
        `other`."""
        if self.fingerprint != other.fingerprint or not _same_conditions(self.plan, other.plan):
            return []
        shared = set(self.plan.candidates) & set(other.plan.candidates)
        keys = {candidate.key for candidate in shared}
        return [o for o in self.outcomes if o.key in keys and o.split < other.plan.repeats]

    @cached_property
    def _by_key(self) -> dict[str, list[Result]]:
        held: dict[str, list[Result]] = {}
        for outcome in self.outcomes:
            if isinstance(outcome, Result):
                held.setdefault(outcome.key, []).append(outcome)
        return held


def spread(values: Array) -> Spread:
    values = values[np.isfinite(values)]
    if not len(values):
        return Spread(np.nan, np.nan)
    if len(values) == 1 or values.min() == values.max():  # avoids a tiny deviation that comes from rounding
        return Spread(float(values[0]), 0.0 if len(values) > 1 else np.nan)
    return Spread(float(values.mean()), float(values.std(ddof=1)))


def _kernels_vary(params: list[dict[str, Any]]) -> bool:
    names = {given.get("kernel", "linear") for given in params}
    widths = [given.get("gamma", 1.0) for given in params]
    return len(names) > 1 or (names != {"linear"} and max(widths) > SAME_WIDTH * min(widths))


def _ruler(result: Result) -> tuple[object, ...]:
    """Return the settings on which the unit of a result's distances depends."""
    params = result.params
    name = params.get("kernel", "linear")
    kernel = Kernel(name, params.get("gamma", 1.0), params.get("degree", 1), params.get("coef0", 0.0))
    return kernel.ruler, params.get("p", 2.0)


def unit_of(comparison: Comparison, key: str, scale: Scale) -> str:
    """Return the unit of a method's margins: that of the scale, if they have it."""
    if is_reference(key):
        return "log-odds"
    return "votes" if comparison.names[key] in comparison.voting else comparison.scale_of(key, scale)


def _same_conditions(one: Plan, other: Plan) -> bool:
    """Return whether a candidate has the same outcome on a split under both plans.

    The other candidates do not matter, nor does the number of repeats, except that windows in time depend on it.
    """
    repeats = one.repeats if one.scheme == TIME else other.repeats
    return replace(one, candidates=other.candidates, repeats=repeats) == other
