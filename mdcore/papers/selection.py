"""Cross-validation of parameters as in the papers; intermediate results are shared between neighbouring fits.

One matrix of distances serves all widths, one Gram matrix all folds of a width, and one space, with its factorisations,
all parameters in a fold. If a method supports warm starts, the grid is traversed in boustrophedon order, so that each
fit starts from the solution of an adjacent grid point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.methods import METHODS
from mdcore.methods.ldm import LDMMachine
from mdcore.papers.hinge import MOST_ROWS, hinge_correct_counts
from mdcore.papers.protocol import PaperParams, TableMethod, TableProtocol
from mdcore.solvers.arrays import Array
from mdcore.solvers.budget import raise_if_stopped
from mdcore.spaces.kernels import Kernel, resolve_gamma, squared_distances
from mdcore.spaces.space import KernelSpace

Codes = NDArray[np.intp]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Selected:
    """The chosen parameters and γ (None for the linear kernel), after `fits` fits.

    Of `held_out` rows, `right` counts the correct predictions of each choice at the chosen width, `right_by_width`
    those of each width at the chosen parameters (in a line search: at the defaults).
    """

    params: PaperParams
    gamma: float | None
    fits: int
    held_out: int = 0
    right: tuple[int, ...] = ()
    right_by_width: tuple[int, ...] = ()


def select(table: TableProtocol, method: TableMethod, X: Array, y: Codes, seed: int) -> Selected:
    """Return the choice with most correct predictions over the folds; ties go to the first in grid order."""
    gammas = widths(table, method, X)
    choices = method.choices
    if method.alternatives == 1:
        return Selected(choices[0], gammas[0], 0)
    folds = folds_of(y, table.folds, seed)
    if method.search == "line":
        first = correct_counts(table, method, X, y, folds, gammas, [method.fixed])
        gammas = (gammas[int(np.argmax(first[:, 0]))],)
    right = correct_counts(table, method, X, y, folds, gammas, choices)
    width, choice = np.unravel_index(int(np.argmax(right)), right.shape)
    across = right[:, choice] if method.search == "grid" else first[:, 0]
    return Selected(
        params=choices[choice],
        gamma=gammas[width],
        fits=len(folds) * method.alternatives,
        held_out=len(y),
        right=tuple(right[width].tolist()),
        right_by_width=tuple(across.tolist()),
    )


def widths(table: TableProtocol, method: TableMethod, X: Array) -> tuple[float | None, ...]:
    """Return the candidate values of γ, computed from the training rows."""
    if table.kernel == "linear" or not METHODS[method.estimator].kernels:
        return (None,)
    unit = resolve_gamma(table.gamma, X)
    return tuple(unit * factor for factor in method.widths)


def folds_of(y: Codes, folds: int, seed: int) -> list[Fold]:
    from sklearn.model_selection import StratifiedKFold

    smallest = int(np.bincount(y).min())
    if smallest < 2:
        raise ValueError("A class has only one training row, which cannot be both fitted and held out.")
    splitter = StratifiedKFold(min(folds, smallest), shuffle=True, random_state=seed)
    return list(splitter.split(y, y))


def correct_counts(
    table: TableProtocol,
    method: TableMethod,
    X: Array,
    y: Codes,
    folds: Sequence[Fold],
    gammas: Sequence[float | None],
    choices: Sequence[PaperParams],
) -> NDArray[np.int64]:
    """Return the number of correct held-out predictions, with a row for each width and a column for each choice."""
    right = np.zeros((len(gammas), len(choices)), dtype=np.int64)
    distances = None if gammas == (None,) else squared_distances(X, X)
    for i, gamma in enumerate(gammas):
        gram = None if gamma is None or distances is None else np.exp(-gamma * distances)
        for fitted, held_out in folds:
            if uses_hinge_loop(method, y, len(fitted)):
                G = X @ X.T if gram is None else gram
                among, across = (G[np.ix_(rows, fitted)] + float(table.bias) for rows in (fitted, held_out))
                right[i] += hinge_correct_counts(among, across, y[fitted], y[held_out], choices)
                raise_if_stopped()
                continue
            predict = predictor(table, method, X, y, gram, fitted, held_out)
            for j in boustrophedon(method.grid) if len(choices) > 1 else [0]:
                right[i, j] += int((predict(choices[j]) == y[held_out]).sum())
                raise_if_stopped()
    return right


def uses_hinge_loop(method: TableMethod, y: Codes, rows: int) -> bool:
    """Return whether the compiled loop over the hinge dual applies: an SVM or LDM, two classes, at most MOST_ROWS
    rows."""
    return has_hinge_loop(method) and rows <= MOST_ROWS and int(y.max()) == 1


def has_hinge_loop(method: TableMethod) -> bool:
    """Return whether the method is an SVM or an LDM, whose small folds the compiled loop can solve."""
    return issubclass(METHODS[method.estimator].estimator, LDMMachine)


def boustrophedon(grid: Mapping[str, Sequence[Any]]) -> Iterator[int]:
    """Yield the positions of a grid's combinations so that successive ones are adjacent: the last parameter varies
    fastest and reverses its direction each time."""
    sizes = [len(values) for values in grid.values()]
    places = np.arange(int(np.prod(sizes))).reshape(sizes)

    def walk(part: NDArray[np.int64], back: bool) -> Iterator[int]:
        if part.ndim == 0:
            yield int(part)
            return
        for step, inner in enumerate(part[::-1] if back else part):
            yield from walk(inner, back=bool(step % 2))

    return walk(places, back=False)


def predictor(
    table: TableProtocol,
    method: TableMethod,
    X: Array,
    y: Codes,
    gram: Array | None,
    fitted: NDArray[np.intp],
    held_out: NDArray[np.intp],
) -> Callable[[PaperParams], Codes]:
    """Return a function that fits the method with given parameters and predicts the classes of the held-out rows."""
    record = METHODS[method.estimator]
    model = record.estimator(**method.fixed, **constant_feature(table, method))
    labels = y[fitted]
    if not record.kernels:
        rows, new = X[fitted], X[held_out]

        def predict_without_kernel(params: PaperParams) -> Codes:
            return np.asarray(_set(model, params).fit(rows, labels).predict(new))

        return predict_without_kernel
    if gram is None:
        model.set_params(kernel="linear")
        space, new = KernelSpace(np.ascontiguousarray(X[fitted]), Kernel("linear", bias=table.bias)), X[held_out]
    else:
        model.set_params(kernel="precomputed")
        space = KernelSpace(gram[np.ix_(fitted, fitted)], Kernel("precomputed", bias=table.bias))
        new = gram[np.ix_(held_out, fitted)]
    if record.convex and hasattr(model, "warm_start"):
        model.set_params(warm_start=True)

    def predict(params: PaperParams) -> Codes:
        return _predict(_set(model, params).fit_space(space, labels), new)

    return predict


def constant_feature(table: TableProtocol, method: TableMethod) -> PaperParams:
    """Return `fit_intercept` for the methods whose bias is a constant feature, else nothing."""
    record = METHODS[method.estimator]
    known = record.bias == "feature" and "fit_intercept" in record.estimator().get_params()
    return {"fit_intercept": table.bias} if known else {}


def _set(model: Any, params: PaperParams) -> Any:
    for name, value in params.items():
        setattr(model, name, value)
    return model


def _predict(model: Any, new: Array) -> Codes:
    """Predict without the input checks of `predict`, which would take longer than the prediction."""
    if model.multiclass:
        return np.asarray(model.predict(new))
    if model.is_linear:
        f = new @ model.coef_[0] + model.intercept_[0]
    else:
        f = new @ model.dual_coef_ + (model.kernel_.bias * model.dual_coef_.sum() + model.offset_)
    return np.asarray(model.classes_[(f > 0).astype(np.intp)])
