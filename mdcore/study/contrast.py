"""A comparison beside itself under another condition, such as groups kept together: what the score owes to the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from mdcore.data.splitting import RANDOM, TIME, Scheme
from mdcore.solvers.arrays import Array
from mdcore.study.comparison import Comparison
from mdcore.study.data import Data, SplitOption
from mdcore.study.differences import corrected_factor, standard_error
from mdcore.study.plan import Plan
from mdcore.study.run import compare
from mdcore.study.search import WAY

CONTRAST_REPEATS = 5
MIN_GAP = 0.03  # smaller differences of a score between two conditions are not reported
MIN_ERRORS = 2.5  # standard errors from which a difference is reported,
SUSPECTED_ERRORS = 1.5  # and if the data alone already make it likely
Condition = Literal["random", "groups", "time", "copies", "twins", "with", "without"]
"""How the rows are split, or whether some columns are there."""


@dataclass(frozen=True, eq=False)
class Contrast:
    """One method with fixed parameters: its scores on the plan's splits, and under another condition."""

    key: str
    method: str
    score: str
    as_planned: Condition
    otherwise: Condition
    planned: Array
    other: Array
    noise: float
    """Standard error of the gap."""

    @property
    def gap(self) -> float:
        """Mean score as planned minus mean score under the other condition."""
        return float(self.planned.mean() - self.other.mean())

    @property
    def differs(self) -> bool:
        """Whether the gap is large enough to report, in absolute terms and relative to its standard error."""
        return abs(self.gap) > max(MIN_GAP, MIN_ERRORS * self.noise)

    @property
    def confirms(self) -> bool:
        """Whether the plan scores so much higher that a suspicion of a leak is confirmed."""
        return self.gap > max(MIN_GAP, SUSPECTED_ERRORS * self.noise)


def contrast_ways(
    data: Data, comparison: Comparison, score: str, way: SplitOption | None, condition: Condition | None = None
) -> list[Contrast]:
    """Compare the plan's splits with splits by `way` (at random if None), for every method; the largest gap first.

    Methods whose gap is worth reporting take precedence. Empty if the rows cannot be split in this way. `condition`
    names the other one if the scheme is too general.
    """
    scheme = RANDOM if way is None else way.scheme
    found = []
    for key in comparison.keys_done:
        if len(comparison.of(key)) > 1:
            found += _one(data, comparison, score, way, key, condition or scheme)
    return _most_telling(found)


def _one(
    data: Data, comparison: Comparison, score: str, way: SplitOption | None, key: str, condition: Condition
) -> list[Contrast]:
    side = _fixed(comparison, key, RANDOM if way is None else way.scheme)
    try:
        found = compare(data.X, data.y, data.preparation, side, along=None if way is None else way.codes)
    except ValueError:  # too few groups or times to split by
        return []
    if len(found.of(key)) < 2:
        return []
    planned, other = (values[np.isfinite(values)] for values in (comparison.score(key, score), found.score(key, score)))
    noise = float(np.hypot(_error(comparison, planned), _error(found, other)))
    as_planned = comparison.plan.kind
    return [Contrast(key, comparison.names[key], score, as_planned, condition, planned, other, noise)]


def contrast_without(data: Data, comparison: Comparison, score: str, columns: Sequence[str]) -> list[Contrast]:
    """Compare the plan with the same plan on data without these columns, for every method; the largest gap first.

    Both are tuned alike on the same splits, so the gap has the error of paired differences.
    """
    plan = comparison.plan
    keys = [key for key in comparison.keys_done if len(comparison.of(key)) > 1]
    if not keys:
        return []
    candidates = tuple(plan.candidate(key) for key in keys)
    repeats = plan.repeats if plan.kind == TIME else min(plan.repeats, CONTRAST_REPEATS)  # windows depend on it
    side = replace(plan, candidates=candidates, repeats=repeats, held_out=False)
    rest = data.without(columns)
    without = compare(rest.X, rest.y, rest.preparation, side, along=rest.along)
    found = []
    for key in keys:
        planned, other = comparison.by_split(key, score), without.by_split(key, score)
        shared = [split for split in planned.keys() & other.keys() if np.isfinite(planned[split] - other[split])]
        if len(shared) > 1:
            a, b = (np.array([values[split] for split in sorted(shared)]) for values in (planned, other))
            noise = standard_error(a - b, corrected_factor(len(a), 1.0 - plan.test, plan.test))
            found.append(Contrast(key, comparison.names[key], score, "with", "without", a, b, noise))
    return _most_telling(found)


def _most_telling(found: list[Contrast]) -> list[Contrast]:
    return sorted(found, key=lambda one: (not one.differs, -abs(one.gap)))


def _fixed(comparison: Comparison, key: str, scheme: Scheme) -> Plan:
    """Return a plan for one method with the parameters of its first split."""
    params, plan = comparison.of(key)[0].params, comparison.plan
    candidate, kernel = plan.candidate(key), plan.kernel
    fixed = replace(candidate, params=tuple((name, params[name]) for name, _ in candidate.params), grid=(), effort=0)
    if "kernel" in params:
        kernel = replace(kernel, name=params["kernel"], gamma=params["gamma"])
    plan = replace(plan, several=params.get(WAY, plan.several))
    return replace(
        plan, candidates=(fixed,), kernel=kernel, widths=(1.0,), scheme=scheme, repeats=CONTRAST_REPEATS, held_out=False
    )


def _error(comparison: Comparison, values: Array) -> float:
    """Return the standard error of a mean accuracy or balanced accuracy over splits.

    Random splits and splits by groups overlap, so their error is that of the corrected test. Windows of time share no
    test rows, and differences between them are drift rather than error, so their error is the binomial one.
    """
    plan = comparison.plan
    if plan.kind != TIME:
        return standard_error(values, corrected_factor(len(values), 1.0 - plan.test, plan.test))
    counts = np.unique(comparison.y[np.concatenate([test for _, test in comparison.splits])], return_counts=True)[1]
    mean = float(values.mean())
    return float(np.sqrt(mean * (1.0 - mean) * (1.0 / counts).sum()) / len(counts))
