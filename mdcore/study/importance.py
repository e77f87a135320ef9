"""Why: what a model loses, in its score and in its whole margin curve, when a column says something else.

The columns are those of the data, before preparation: what a column becomes, as the levels of a category, moves along.
Columns that say nearly the same move together: alone, each would seem to be of no use.
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
from mdcore.study.part import dense, estimator, split_part
from mdcore.study.scores import area_under_curve, confusion, scores
from mdcore.study.selection import predicted
from mdcore.study.trial import Result

Array = NDArray[np.float64]

ALIKE = 0.9  # rank correlation from which columns move together
SHUFFLES = 3  # for each split
SPLITS = 5  # that are looked at, at most
CANDIDATES = 24  # values of a column that are tried in its place
STEPS = 3  # columns that are changed together, at most


@dataclass(frozen=True, eq=False)
class Model:
    """A result's model with its preparation: from columns as they came to decisions."""

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
    """Of columns that move together: what the score loses, and the area between the margin curves, in spreads of the
    margins, with and without what they say. Means and deviations over splits.

    `p` is that of the corrected resampled t-test, one-sided, of no loss; after Holm, as all columns are looked at.
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
        """Is there surely a loss of the score?"""
        return self.p < 1.0 - CONFIDENCE


def model_of(data: Data, comparison: Comparison, result: Result) -> Model:
    """Return the model of a result, fitted again."""
    plan = comparison.plan
    candidate = plan.candidate(result.key)
    if plan.nystroem and not candidate.method.kernels:
        raise ValueError("Nystroem features are not columns: compare without them to see what columns do.")
    part, rows, _, _ = split_part(data, plan, candidate, result.split)
    fitted = clone(data.preparation).fit(data.rows(rows), data.y[rows])
    model = estimator(plan, candidate, part, result.params).fit(part.X_fit, part.y_fit)
    positive = len(model.classes_) - 1 if plan.positive is None else int(np.searchsorted(model.classes_, plan.positive))
    return Model(fitted, model, positive)


def together(data: Data) -> list[tuple[str, ...]]:
    """Return columns in groups that move together: numbers of which the ranks are alike, categories that say the
    same."""
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
    number = fcluster(linkage(apart[np.triu_indices(len(apart), 1)], "complete"), 1.0 - ALIKE, "distance")
    names = np.array(frame.columns, dtype=object)
    return [tuple(names[number == n]) for n in dict.fromkeys(number)]


def importances(data: Data, comparison: Comparison, key: str, score: str) -> Iterator[list[Importance]]:
    """After every split what is known until then, the most important first."""
    blocks, frame = together(data), frame_of(data)
    lost: list[Array] = []
    for result in comparison.of(key)[:SPLITS]:
        model = model_of(data, comparison, result)
        rows = comparison.splits[result.split][1]
        X, codes = frame.iloc[rows], np.searchsorted(model.classes, comparison.y[rows])
        before = model.decide(_as(data, X))
        margins = margins_of(before, codes)
        unit = float(margins.std()) or 1.0
        reached = _score(model, before, comparison.y[rows], score)
        rng = np.random.default_rng([comparison.plan.seed, result.split])
        losses = np.zeros((len(blocks), 2))
        for block, columns in enumerate(blocks):
            for _ in range(SHUFFLES):
                moved = X.copy()
                order = rng.permutation(len(X))
                moved[list(columns)] = X[list(columns)].to_numpy()[order]
                moved = moved.astype(X.dtypes.to_dict())
                after = model.decide(_as(data, moved))
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
    """One-sided p of losses over splits that share training rows; one split alone shows nothing."""
    if len(losses) < 2:
        return 1.0
    test = difference("as it is", "shuffled", losses, n_train=n_train, n_test=n_test).corrected
    return test.p / 2.0 if test.t > 0.0 else 1.0 - test.p / 2.0


def _score(model: Model, f: Array, y: NDArray[Any], score: str) -> float:
    auc = area_under_curve(y, f, model.classes) if score == "auc" else np.nan
    return scores(confusion(y, predicted(model.estimator, f), model.classes), auc, model.positive)[score]


def frame_of(data: Data) -> Any:
    """Return the columns with their names."""
    import pandas as pd

    if hasattr(data.X, "columns"):
        return data.X
    names = data.features or tuple(f"column {j + 1}" for j in range(data.X.shape[1]))
    return pd.DataFrame(data.X, columns=list(names))


def _as(data: Data, frame: Any) -> Any:
    """As the preparation knows the rows."""
    return frame if hasattr(data.X, "columns") else frame.to_numpy()


# One row


@dataclass(frozen=True)
class Change:
    """One column of a row: what stands there, and what would have to."""

    column: str
    now: Any
    then: Any


@dataclass(frozen=True)
class Turn:
    """What would have to change for a row's margin to cross zero; `margin` is the one it would have, of `before`."""

    changes: tuple[Change, ...]
    before: float
    margin: float

    @property
    def crosses(self) -> bool:
        return (self.margin > 0) != (self.before > 0)


def turn(data: Data, model: Model, row: int, fixed: Sequence[str] = ()) -> Turn:
    """Return the fewest columns, at most STEPS, that take a row's margin across zero, each to a value that occurs in
    the data.

    Column after column, the one that moves the margin furthest; of the values of the last one that cross, the nearest.
    """
    frame = frame_of(data)
    given, label = frame.iloc[[row]], np.array([np.searchsorted(model.classes, data.y[row])])
    before = float(margins_of(model.decide(_as(data, given)), label)[0])
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
            reached = margins_of(model.decide(_as(data, rows)), np.repeat(label, len(tried)))
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
    return Turn(changes, before, margin)


def _values(column: Any, now: Any) -> Any:
    """Values that occur in a column, spread over it: quantiles of numbers, frequent levels."""
    present = column.dropna()
    if column.dtype.kind in "fiu":
        found = present.quantile(np.linspace(0, 1, CANDIDATES), interpolation="nearest").drop_duplicates()
    else:
        found = present.value_counts().index.to_series().iloc[:CANDIDATES]
    other = found[found != now]
    return other if len(other) else found


def _distance(column: Any, tried: Any, now: Any) -> Array:
    """Return how far each value is from what stands there: in spreads of a number; one level is as far as another."""
    if column.dtype.kind not in "fiu" or now != now:
        return np.ones(len(tried))
    return np.asarray(np.abs(tried.to_numpy(dtype=float) - float(now)) / (float(column.std()) or 1.0))


def weights(data: Data, comparison: Comparison, result: Result) -> list[tuple[str, float]]:
    """Return the weights of a linear model on the prepared columns, the largest first; none where there are none."""
    part, _, _, names = split_part(data, comparison.plan, comparison.plan.candidate(result.key), result.split)
    model = estimator(comparison.plan, comparison.plan.candidate(result.key), part, result.params)
    coef = getattr(model.fit(part.X_fit, part.y_fit), "coef_", None)
    if coef is None or len(coef) != 1 or coef.shape[1] != len(names):
        return []
    order = np.argsort(-np.abs(coef[0]))
    return [(names[j], float(coef[0][j])) for j in order]
