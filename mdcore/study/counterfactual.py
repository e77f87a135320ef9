"""The changes of a row's columns that would change its prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mdcore.margins.distribution import margins_of
from mdcore.solvers.arrays import Array
from mdcore.study.column_model import ColumnModel, as_input, frame_of
from mdcore.study.data import Data

CANDIDATES = 24  # values of a column tried as replacements
STEPS = 3  # columns changed together, at most


@dataclass(frozen=True)
class Change:
    """A changed column of a row: its `current` value, and the `needed` value."""

    column: str
    current: Any
    needed: Any


@dataclass(frozen=True)
class Counterfactual:
    """Changes that would move a row's margin across zero, from `before` to `margin`."""

    changes: tuple[Change, ...]
    before: float
    margin: float

    @property
    def crosses(self) -> bool:
        return (self.margin > 0) != (self.before > 0)


@dataclass(frozen=True, eq=False)
class _Step:
    """The best value for one more column: its rank among the columns (smaller is better), the changed row, its
    margin."""

    rank: tuple[bool, float]
    change: Change
    row: Any
    margin: float


def counterfactual(data: Data, model: ColumnModel, row: int, fixed: Sequence[str] = ()) -> Counterfactual:
    """Return changes of at most STEPS columns that move a row's margin across zero, each to a value from the data.

    The search is greedy: in each step it takes the column that moves the margin furthest. As soon as values cross zero,
    it takes the one nearest to the current value.
    """
    frame = frame_of(data)
    now, label = frame.iloc[[row]], int(np.searchsorted(model.classes, data.y[row]))
    before = _margins(data, model, now, label)[0]
    found = Counterfactual((), before, before)
    while len(found.changes) < STEPS and not found.crosses:
        changed = {*fixed, *(change.column for change in found.changes)}
        steps = [_step(data, model, frame[name], now, label, before) for name in frame.columns if name not in changed]
        if not steps:
            break
        best = min(steps, key=lambda step: step.rank)
        now, found = best.row, Counterfactual((*found.changes, best.change), before, best.margin)
    return found


def _step(data: Data, model: ColumnModel, column: Any, now: Any, label: int, before: float) -> _Step:
    """Return the value of a column that takes the row across zero, the nearest of several, or else furthest towards
    it."""
    current = now[column.name].iloc[0]
    tried = _values(column, current)
    rows = now.loc[now.index.repeat(len(tried))].copy()
    rows[column.name] = tried.to_numpy()
    rows = rows.astype(now.dtypes.to_dict())
    reached = _margins(data, model, rows, label)
    across = (reached > 0) != (before > 0)
    left = np.where(across, _distance(column, tried, current), np.sign(before or 1.0) * reached)
    pick = int(np.argmin(np.where(across == across.any(), left, np.inf)))
    change = Change(str(column.name), current, tried.iloc[pick])
    return _Step((not across.any(), float(left[pick])), change, rows.iloc[[pick]], float(reached[pick]))


def _margins(data: Data, model: ColumnModel, rows: Any, label: int) -> Array:
    return margins_of(model.decide(as_input(data, rows)), np.full(len(rows), label))


def _values(column: Any, now: Any) -> Any:
    """Return values of a column: quantiles of numbers, the most frequent levels of categories, without the current
    value if possible."""
    present = column.dropna()
    if column.dtype.kind in "fiu":
        found = present.quantile(np.linspace(0, 1, CANDIDATES), interpolation="nearest").drop_duplicates()
    else:
        found = present.value_counts().index.to_series().iloc[:CANDIDATES]
    other = found[found != now]
    return other if len(other) else found


def _distance(column: Any, tried: Any, now: Any) -> Array:
    """Return the distance of each value from the current one: in standard deviations for numbers, 1 for every level."""
    if column.dtype.kind not in "fiu" or now != now:
        return np.ones(len(tried))
    return np.asarray(np.abs(tried.to_numpy(dtype=float) - float(now)) / (float(column.std()) or 1.0))
