"""The leaderboard of a comparison: its methods, best first, with everything that a reader needs to judge the order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mdcore.study.comparison import Comparison, spread
from mdcore.study.differences import Difference, family, overlap, paired_test
from mdcore.study.plan import Plan
from mdcore.study.references import MAJORITY


@dataclass(frozen=True)
class Gap:
    """A mean difference over the splits that both sides have: to the best line, or to the method's own defaults.

    `low` and `high` are the ends of its interval once all splits are done, else None: that of the difference to the
    best holds for all pairs at once, that of the gain of tuning is a single one. `p` is Holm's p over all pairs.
    """

    mean: float
    low: float | None = None
    high: float | None = None
    p: float | None = None


@dataclass(frozen=True, eq=False)
class Line:
    """One method, or the baseline.

    `values` are its scores by split. `low` and `high` are the ends of the interval of its own mean, None before all
    splits are done. `gap` is None for the best; `gain` is what tuning gained, None if it was not tuned. Times are means
    over the splits, in seconds.
    """

    key: str
    name: str
    values: dict[int, float]
    mean: float
    deviation: float
    low: float | None
    high: float | None
    gap: Gap | None
    gain: Gap | None
    tuning_seconds: float
    fit_seconds: float
    failed: int
    not_converged: int

    @property
    def is_baseline(self) -> bool:
        return self.key == MAJORITY


@dataclass(frozen=True, eq=False)
class Board:
    """The lines by their mean `score`, best first; those without any result are last.

    `done` is the number of splits on which every method has an outcome. Before all are done, the means are those of
    these splits alone, so that no method is judged by splits that another has still to face. `tests` are those of all
    pairs, the baseline among them; empty before the end.
    """

    plan: Plan
    score: str
    complete: bool
    done: int
    lines: tuple[Line, ...]
    tests: tuple[Difference, ...]

    @property
    def methods(self) -> tuple[Line, ...]:
        """The lines of methods that have a result, best first."""
        return tuple(line for line in self.lines if not line.is_baseline and line.values)

    @property
    def best(self) -> Line | None:
        """The best method."""
        return next(iter(self.methods), None)

    def tests_of_best(self) -> dict[str, Difference]:
        """Return the tests of the best method against each other method and the baseline."""
        best = self.best.key if self.best else ""
        return {d.second if d.first == best else d.first: d for d in self.tests if best in (d.first, d.second)}

    def not_better_than_baseline(self) -> list[Line]:
        """Return the methods that are not shown to be better than the baseline."""
        tested = {d.first: d for d in self.tests if d.second == MAJORITY}
        return [line for line in self.methods if line.key in tested and not tested[line.key].favours_first]

    @property
    def baseline(self) -> Line:
        return next(line for line in self.lines if line.is_baseline)


def board(comparison: Comparison, score: str) -> Board:
    keys = comparison.keys
    common = [
        split for split in range(comparison.plan.repeats) if all((key, split) in comparison.places for key in keys)
    ]
    shown = set(common or range(comparison.plan.repeats))
    values = {
        key: {split: value for split, value in comparison.by_split(key, score).items() if split in shown}
        for key in (*keys, MAJORITY)
    }
    means = {key: spread(np.array(list(held.values()))).mean for key, held in values.items()}
    order = sorted(values, key=lambda key: -means[key] if np.isfinite(means[key]) else np.inf)
    best = next((key for key in order if key != MAJORITY and values[key]), order[0])
    tests = family(comparison, score)
    gaps = {key: _gap(values, best, key) for key in order}
    for d in tests:
        if best == d.first:
            gaps[d.second] = Gap(-d.mean, -d.high, -d.low, d.adjusted)
        elif best == d.second:
            gaps[d.first] = Gap(d.mean, d.low, d.high, d.adjusted)
    lines = tuple(_line(comparison, score, key, values[key], None if key == best else gaps[key]) for key in order)
    return Board(comparison.plan, score, comparison.complete, len(common), lines, tuple(tests))


def _gap(values: dict[str, dict[int, float]], best: str, key: str) -> Gap | None:
    mine, theirs = values[key], values[best]
    apart = spread(np.array([mine[split] - theirs[split] for split in mine.keys() & theirs.keys()]))
    return Gap(apart.mean) if np.isfinite(apart.mean) else None


def _line(comparison: Comparison, score: str, key: str, values: dict[int, float], gap: Gap | None) -> Line:
    whole, results = spread(np.array(list(values.values()))), comparison.of(key)
    low, high = _interval(comparison, values) if comparison.complete and key != MAJORITY else (None, None)
    return Line(
        key=key,
        name=comparison.title(key),
        values=values,
        mean=whole.mean,
        deviation=whole.deviation,
        low=None if low is None else max(low, 0.0),
        high=None if high is None else min(high, 1.0),
        gap=gap,
        gain=_gain(comparison, score, key, set(values)),
        tuning_seconds=_mean([result.selection_seconds for result in results]),
        fit_seconds=_mean([result.seconds for result in results]),
        failed=sum(failure.key == key for failure in comparison.failures),
        not_converged=sum(not result.converged for result in results),
    )


def _gain(comparison: Comparison, score: str, key: str, splits: set[int]) -> Gap | None:
    """Return what tuning gained over the defaults on the same splits."""
    gains = {r.split: r.scores[score] - r.untuned[score] for r in comparison.of(key) if r.untuned and r.split in splits}
    gains = {split: gain for split, gain in gains.items() if np.isfinite(gain)}
    if not gains:
        return None
    low, high = _interval(comparison, gains) if comparison.complete else (None, None)
    return Gap(spread(np.array(list(gains.values()))).mean, low, high)


def _interval(comparison: Comparison, values: dict[int, float]) -> tuple[float | None, float | None]:
    """Return the corrected 95 % interval of a mean over splits; (None, None) for one split."""
    finite = {split: value for split, value in values.items() if np.isfinite(value)}
    if len(finite) < 2:
        return None, None
    seen = overlap(comparison, list(finite))
    test = paired_test(np.array(list(finite.values())), seen.factor(len(finite)), freedom=seen.freedom)
    return test.low, test.high


def _mean(values: list[float]) -> float:
    return float(np.mean(values)) if values else 0.0
