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
from sklearn.base import clone

from mdcore.margin import margins_of
from mdcore.study.comparison import Comparison, Spread, spread
from mdcore.study.data import Data
from mdcore.study.differences import CONFIDENCE, difference, holm
from mdcore.study.evaluation import Result
from mdcore.study.part import dense, estimator, split_part
from mdcore.study.scores import area_under_curve, confusion, scores
from mdcore.study.selection import predicted

Array = NDArray[np.float64]

MIN_CORRELATION = 0.9  # rank correlation from which columns are shuffled together
SHUFFLES = 3  # for each split
SPLITS = 5  # at most
CANDIDATES = 24  # values of a column tried as replacements
STEPS = 3  # columns changed together, at most


@dataclass(frozen=True, eq=False)
class Model:
    """A result's model with its preparation: maps columns as given to decision values."""

    preparation: Any
    estimator: Any
    positive: int

    @property
    def classes(self) -> NDArray[Any]:
        return np.asarray(self.estimator.classes_)

    def decide(self, X: Any) -> Array:
        return np.asarray(self.estimator.decision_function(dense(self.preparation.transform(X))))


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


def model_of(data: Data, comparison: Comparison, result: Result) -> Model:
    """Refit the model of a result."""
    plan = comparison.plan
    candidate = plan.candidate(result.key)
    if plan.nystroem and not candidate.method.kernels:
        raise ValueError("Nystroem features are not columns: compare without them to see what columns do.")
    part, rows, _, _ = split_part(data, plan, candidate, result.split)
    fitted = clone(data.preparation).fit(data.rows(rows), data.y[rows])
    model = estimator(plan, candidate, part, result.params).fit(part.X_fit, part.y_fit)
    positive = len(model.classes_) - 1 if plan.positive is None else int(np.searchsorted(model.classes_, plan.positive))
    return Model(fitted, model, positive)


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
    blocks, frame = correlated_columns(data), frame_of(data)
    lost: list[Array] = []
    for result in comparison.of(key)[:SPLITS]:
        model = model_of(data, comparison, result)
        rows = comparison.splits[result.split][1]
        X, codes = frame.iloc[rows], np.searchsorted(model.classes, comparison.y[rows])
        before = model.decide(_as_input(data, X))
        margins = margins_of(before, codes)
        unit = float(margins.std()) or 1.0
        reached = _score(model, before, comparison.y[rows], score)
        rng = np.random.default_rng([comparison.plan.seed, result.split])
        losses = np.zeros((len(blocks), 2))
        for block, columns in enumerate(blocks):
            for _ in range(SHUFFLES):
                shuffled = X.copy()
                order = rng.permutation(len(X))
                shuffled[list(columns)] = X[list(columns)].to_numpy()[order]
                shuffled = shuffled.astype(X.dtypes.to_dict())
                after = model.decide(_as_input(data, shuffled))
                area = np.abs(np.sort(margins) - np.sort(margins_of(after, codes))).mean() / unit
                losses[block] += reached - _score(model, after, comparison.y[rows], score), area
        lost.append(losses / SHUFFLES)
        n_train, n_test = (len(part) for part in comparison.splits[result.split])
        yield _sorted(blocks, np.array(lost), n_train, n_test)


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


def _score(model: Model, f: Array, y: NDArray[Any], score: str) -> float:
    auc = area_under_curve(y, f, model.classes) if score == "auc" else np.nan
    return scores(confusion(y, predicted(model.estimator, f), model.classes), auc, model.positive)[score]


def frame_of(data: Data) -> Any:
    """Return the columns as a DataFrame with their names."""
    import pandas as pd

    if hasattr(data.X, "columns"):
        return data.X
    names = data.features or tuple(f"column {j + 1}" for j in range(data.X.shape[1]))
    return pd.DataFrame(data.X, columns=list(names))


def _as_input(data: Data, frame: Any) -> Any:
    """Return the rows in the type that the preparation expects."""
    return frame if hasattr(data.X, "columns") else frame.to_numpy()


# One row


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


def counterfactual(data: Data, model: Model, row: int, fixed: Sequence[str] = ()) -> Counterfactual:
    """Return changes of at most STEPS columns that move a row's margin across zero, each to a value from the data.

    The search is greedy: in each step it takes the column that moves the margin furthest. As soon as values cross zero,
    it takes the one nearest to the current value.
    """
    frame = frame_of(data)
    given, label = frame.iloc[[row]], np.array([np.searchsorted(model.classes, data.y[row])])
    before = float(margins_of(model.decide(_as_input(data, given)), label)[0])
    changes: tuple[Change, ...] = ()
    now, margin = given, before
    while len(changes) < STEPS:
        best: tuple[tuple[float, float], Change, Any, float] | None = None
        for name in frame.columns:
            if name in fixed or any(change.column == name for change in changes):
                continue
            tried = _values(frame[name], given[name].iloc[0])
            rows = now.loc[now.index.repeat(len(tried))].copy()
            rows[name] = tried.to_numpy()
            rows = rows.astype(now.dtypes.to_dict())
            reached = margins_of(model.decide(_as_input(data, rows)), np.repeat(label, len(tried)))
            across = np.flatnonzero((reached > 0) != (before > 0))
            far = _distance(frame[name], tried, given[name].iloc[0])
            left = np.sign(before or 1.0) * reached
            pick = int(across[np.argmin(far[across])]) if len(across) else int(np.argmin(left))
            rank = (0.0, float(far[pick])) if len(across) else (1.0, float(left[pick]))
            if best is None or rank < best[0]:
                one = Change(str(name), given[name].iloc[0], tried.iloc[pick])
                best = rank, one, rows.iloc[[pick]], float(reached[pick])
        if best is None:
            break
        _, step, now, margin = best
        changes = (*changes, step)
        if (margin > 0) != (before > 0):
            break
    return Counterfactual(changes, before, margin)


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


def weights(data: Data, comparison: Comparison, result: Result) -> list[tuple[str, float]]:
    """Return the weights of a linear model on the prepared columns, largest first; empty for other models."""
    part, _, _, names = split_part(data, comparison.plan, comparison.plan.candidate(result.key), result.split)
    model = estimator(comparison.plan, comparison.plan.candidate(result.key), part, result.params)
    coef = getattr(model.fit(part.X_fit, part.y_fit), "coef_", None)
    if coef is None or len(coef) != 1 or coef.shape[1] != len(names):
        return []
    order = np.argsort(-np.abs(coef[0]))
    return [(names[j], float(coef[0][j])) for j in order]
