"""The AUC as a sum over rows, and the test that a change lowers it.

The AUC uses the order of all decision values, where accuracy sees only which side of 0 they are on: the same rows say
more about whether a column matters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import Codes, Rows
from mdcore.study.scores import levels

Array = NDArray[np.float64]


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
