"""Importance of columns: how the score and the whole margin curve change when a column's values are shuffled, and
whether the method ranks unseen rows worse when it has to do without the column.

The columns are those of the data before preparation, so all features derived from a column change together. Columns
that carry nearly the same information are shuffled together: separately, each would seem useless.

The AUC uses the order of all decision values, where accuracy sees only which side of 0 they are on: the same rows say
more about whether a column matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import GROUPS, Codes, Rows
from mdcore.margins.distribution import margins_of
from mdcore.solvers.arrays import Array
from mdcore.study.column_model import as_input, frame_of, model_of
from mdcore.study.comparison import Comparison, Spread, spread
from mdcore.study.data import Data
from mdcore.study.differences import CONFIDENCE, holm
from mdcore.study.evaluation import Result
from mdcore.study.scores import levels, score_of

MIN_CORRELATION = 0.9  # rank correlation from which columns are shuffled together
SHUFFLES = 3  # for each split
LEVEL = 1.0 - CONFIDENCE


@dataclass(frozen=True, eq=False)
class Ranking:
    """The AUC of decision values, and how far every row moves it: the variance of the AUC is the sum of the squares
    (DeLong, DeLong and Clarke-Pearson, 1988)."""

    auc: float
    moves: Array

    def __sub__(self, other: Ranking) -> Ranking:
        return Ranking(self.auc - other.auc, self.moves - other.moves)


def ranking(codes: Codes, f: Array) -> Ranking:
    """Return the ranking of decision values f, one number or one for each class.

    `codes` are the numbers of the classes. With more than two classes it is the mean of each class against the rest. A
    class that is absent, or the only one, has no AUC.
    """
    columns = f[:, None] if f.ndim == 1 else f
    classes = (1,) if f.ndim == 1 else range(f.shape[1])
    found = [
        _against_rest(codes == label, column)
        for label, column in zip(classes, columns.T, strict=True)
        if 0 < np.count_nonzero(codes == label) < len(codes)
    ]
    if not found:
        return Ranking(np.nan, np.full(len(codes), np.nan))
    return Ranking(float(np.mean([one.auc for one in found])), np.mean([one.moves for one in found], axis=0))


def mean_of(rankings: Sequence[Ranking]) -> Ranking:
    return Ranking(float(np.mean([one.auc for one in rankings])), np.mean([one.moves for one in rankings], axis=0))


def _against_rest(inside: NDArray[np.bool_], f: Array) -> Ranking:
    from scipy.stats import rankdata

    rank = levels(f)
    overall, beaten = rankdata(rank), np.empty(len(f))
    for side, sign in ((inside, 0.0), (~inside, 1.0)):
        share = (overall[side] - rankdata(rank[side])) / np.count_nonzero(~side)  # of the other side, below
        beaten[side] = np.abs(sign - share)
    auc = float(beaten[inside].mean())
    return Ranking(auc, (beaten - auc) / np.where(inside, np.count_nonzero(inside), np.count_nonzero(~inside)))


def loss_test(losses: Sequence[Ranking], tests: Sequence[Rows], units: Codes) -> tuple[float, float]:
    """Return the mean loss of AUC over splits, and the one-sided p-value of no loss.

    `units` has the independent unit of every row of the data: the row, or its group. A unit that is tested on several
    splits counts once, with everything that it contributes, so that more splits do not make more of the same rows.
    """
    from scipy.stats import t as student

    whole = [(loss, rows) for loss, rows in zip(losses, tests, strict=True) if np.isfinite(loss.auc)]
    if not whole:
        return np.nan, 1.0
    moved = np.zeros(units.max() + 1)
    for loss, rows in whole:
        np.add.at(moved, units[rows], loss.moves / len(whole))
    tested = len(np.unique(units[np.concatenate([rows for _, rows in whole])]))
    mean = float(np.mean([loss.auc for loss, _ in whole]))
    error = max(float(np.sqrt((moved**2).sum())), 1.0 / tested)  # a perfect order of few rows is no certainty
    return mean, float(student.sf(mean / error, max(tested - 1, 1)))


@dataclass(frozen=True)
class Importance:
    """The importance of columns that are shuffled together.

    `score` is the loss of score, `area` the area between the margin curves with and without shuffling, in standard
    deviations of the margins; both as spreads over splits. `p` belongs to the test that the method has a smaller AUC
    without the columns, after Holm's adjustment for all columns; it is None until all splits are done.
    """

    columns: tuple[str, ...]
    score: Spread
    area: Spread
    p: float | None = None

    @property
    def name(self) -> str:
        return " + ".join(self.columns)

    @property
    def needed(self) -> bool:
        """Whether the loss without the columns is established."""
        return self.p is not None and self.p < LEVEL


@dataclass(frozen=True)
class Importances:
    """The importances by the number of splits done, most important first. Only a complete one says what is needed."""

    columns: tuple[Importance, ...]
    splits: int
    planned: int
    complete: bool = False


def correlated_columns(data: Data) -> list[tuple[str, ...]]:
    """Return the columns in groups with similar content: absolute rank correlations above MIN_CORRELATION."""
    import pandas as pd
    from scipy.cluster.hierarchy import fcluster, linkage

    frame = frame_of(data)
    if frame.shape[1] < 2:
        return [tuple(frame.columns)]
    some = frame.iloc[:: max(1, len(frame) // 3000)]
    coded = pd.DataFrame(
        {name: some[name] if some[name].dtype.kind in "fiu" else pd.factorize(some[name])[0] for name in some.columns}
    )
    alike = coded.rank().corr().abs().fillna(0.0).to_numpy(copy=True)
    np.fill_diagonal(alike, 1.0)
    apart = np.clip(1.0 - alike, 0.0, 1.0)
    number = fcluster(linkage(apart[np.triu_indices(len(apart), 1)], "complete"), 1.0 - MIN_CORRELATION, "distance")
    names = np.array(frame.columns, dtype=object)
    return [tuple(names[number == n]) for n in dict.fromkeys(number)]


def importances(data: Data, comparison: Comparison, key: str, score: str) -> Iterator[Importances]:
    """Yield the importances known after every split and then after every test, the last ones complete: `steps` in all.

    A column is needed if the method, fitted again without it, ranks the test rows worse. Shuffling alone would not
    tell: a model may lean on a column that others could replace. A fit to the column shuffled would not either: beside
    a column that matters, a noisy copy of it helps more than noise does. Only columns whose shuffling lowers the AUC
    are left out and fitted again; p is the larger of both tests.
    """
    blocks, results = correlated_columns(data), comparison.of(key)
    shuffled: list[_Shuffled] = []
    for result in results:
        shuffled.append(_shuffle(data, comparison, result, blocks, score))
        yield Importances(_sorted(blocks, shuffled, [None] * len(blocks)), len(shuffled), len(results))
    tests = [comparison.splits[result.split][1] for result in results]
    along = comparison.along if comparison.plan.kind == GROUPS else None
    units = np.arange(len(comparison.y)) if along is None else along
    p = [loss_test([one.losses[b] for one in shuffled], tests, units)[1] for b in range(len(blocks))]
    for b, block in enumerate(blocks):
        if p[b] < LEVEL:
            rest = data.without(block)
            lost = [
                one.reached - _ranking(rest, comparison, result) for one, result in zip(shuffled, results, strict=True)
            ]
            p[b] = max(p[b], loss_test(lost, tests, units)[1])
        complete = b == len(blocks) - 1
        told: Sequence[float | None] = holm(p) if complete else [None] * len(blocks)
        yield Importances(_sorted(blocks, shuffled, told), len(results), len(results), complete)


def steps(data: Data, comparison: Comparison, key: str) -> int:
    """Return the number of items that `importances` yields."""
    return len(comparison.of(key)) + len(correlated_columns(data))


@dataclass(frozen=True, eq=False)
class _Shuffled:
    """On one split: the ranking as it is and, for each block shuffled, the loss of score, the area between the margin
    curves and the loss of AUC."""

    reached: Ranking
    changes: Array
    losses: list[Ranking]


def _shuffle(
    data: Data, comparison: Comparison, result: Result, blocks: Sequence[tuple[str, ...]], score: str
) -> _Shuffled:
    model, rows = model_of(data, comparison, result), comparison.splits[result.split][1]
    X, y = frame_of(data).iloc[rows], comparison.y[rows]
    codes = np.searchsorted(model.classes, y)

    def outcome(frame: Any) -> tuple[float, Array, Ranking]:
        f = model.decide(as_input(data, frame))
        margins = np.sort(margins_of(f, codes))
        return score_of(score, y, f, model.classes, model.positive), margins, ranking(codes, f)

    reached, curve, ranked = outcome(X)
    unit = float(curve.std()) or 1.0
    rng = np.random.default_rng([comparison.plan.seed, result.split])
    changes, losses = np.zeros((len(blocks), 2)), []
    for block, columns in enumerate(map(list, blocks)):
        lost = []
        for _ in range(SHUFFLES):
            shuffled = X.copy()
            shuffled[columns] = X[columns].to_numpy()[rng.permutation(len(X))]
            left, moved, other = outcome(shuffled.astype(X.dtypes.to_dict()))
            changes[block] += reached - left, np.abs(curve - moved).mean() / unit
            lost.append(ranked - other)
        losses.append(mean_of(lost))
    return _Shuffled(ranked, changes / SHUFFLES, losses)


def _ranking(data: Data, comparison: Comparison, result: Result) -> Ranking:
    """Return the ranking of the test rows of a split by the method fitted to these data."""
    model, rows = model_of(data, comparison, result), comparison.splits[result.split][1]
    return ranking(np.searchsorted(model.classes, comparison.y[rows]), model.decide(data.rows(rows)))


def _sorted(
    blocks: Sequence[tuple[str, ...]], shuffled: Sequence[_Shuffled], p: Sequence[float | None]
) -> tuple[Importance, ...]:
    changes = np.array([one.changes for one in shuffled])
    found = [
        Importance(block, spread(changes[:, b, 0]), spread(changes[:, b, 1]), p[b]) for b, block in enumerate(blocks)
    ]
    return tuple(sorted(found, key=lambda one: (-one.score.mean, -one.area.mean)))
