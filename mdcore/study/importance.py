"""Importance of columns: how the score and the whole margin curve change when a column's values are shuffled.

The columns are those of the data before preparation, so all features derived from a column change together. Columns
that carry nearly the same information are shuffled together: separately, each would seem useless.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.margin import margins_of
from mdcore.study.column_model import as_input, frame_of, model_of
from mdcore.study.comparison import Comparison, Spread, spread
from mdcore.study.data import Data
from mdcore.study.differences import CONFIDENCE, difference, holm
from mdcore.study.evaluation import Result
from mdcore.study.scores import score_of

Array = NDArray[np.float64]

MIN_CORRELATION = 0.9  # rank correlation from which columns are shuffled together
SHUFFLES = 3  # for each split
SPLITS = 5  # at most


@dataclass(frozen=True)
class Importance:
    """The importance of columns that are shuffled together.

    `score` is the loss of score, `area` the area between the margin curves with and without shuffling, in standard
    deviations of the margins; both as spreads over splits. `p` belongs to the one-sided corrected resampled t-test of
    no loss, after Holm's adjustment for all columns.
    """

    columns: tuple[str, ...]
    score: Spread
    area: Spread
    p: float

    @property
    def name(self) -> str:
        return " + ".join(self.columns)

    @property
    def needed(self) -> bool:
        """Whether the loss of score is significant."""
        return self.p < 1.0 - CONFIDENCE


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


def importances(data: Data, comparison: Comparison, key: str, score: str) -> Iterator[list[Importance]]:
    """Yield the importances known after every split, most important first."""
    blocks = correlated_columns(data)
    lost: list[Array] = []
    for result in comparison.of(key)[:SPLITS]:
        lost.append(_losses(data, comparison, result, blocks, score))
        n_train, n_test = (len(part) for part in comparison.splits[result.split])
        yield _sorted(blocks, np.array(lost), n_train, n_test)


def _losses(data: Data, comparison: Comparison, result: Result, blocks: Sequence[tuple[str, ...]], score: str) -> Array:
    """Return the loss of score and the area between the margin curves for each block of columns, on one split."""
    model, rows = model_of(data, comparison, result), comparison.splits[result.split][1]
    X, y = frame_of(data).iloc[rows], comparison.y[rows]
    codes = np.searchsorted(model.classes, y)

    def outcome(frame: Any) -> tuple[float, Array]:
        f = model.decide(as_input(data, frame))
        return score_of(score, y, f, model.classes, model.positive), np.sort(margins_of(f, codes))

    reached, curve = outcome(X)
    unit = float(curve.std()) or 1.0
    rng = np.random.default_rng([comparison.plan.seed, result.split])
    losses = np.zeros((len(blocks), 2))
    for block, columns in enumerate(map(list, blocks)):
        for _ in range(SHUFFLES):
            shuffled = X.copy()
            shuffled[columns] = X[columns].to_numpy()[rng.permutation(len(X))]
            left, moved = outcome(shuffled.astype(X.dtypes.to_dict()))
            losses[block] += reached - left, np.abs(curve - moved).mean() / unit
    return losses / SHUFFLES


def _sorted(blocks: Sequence[tuple[str, ...]], lost: Array, n_train: int, n_test: int) -> list[Importance]:
    p = holm([_no_loss(lost[:, b, 0], n_train, n_test) for b in range(len(blocks))])
    found = [Importance(block, spread(lost[:, b, 0]), spread(lost[:, b, 1]), p[b]) for b, block in enumerate(blocks)]
    return sorted(found, key=lambda one: (-one.score.mean, -one.area.mean))


def _no_loss(losses: Array, n_train: int, n_test: int) -> float:
    """Return the one-sided p-value of losses over overlapping splits; 1 for a single split."""
    if len(losses) < 2:
        return 1.0
    test = difference("as it is", "shuffled", losses, n_train=n_train, n_test=n_test).corrected
    return test.p / 2.0 if test.t > 0.0 else 1.0 - test.p / 2.0
