"""Parameters by cross-validation, as the papers choose them; what neighbouring fits have in common is made once.

One matrix of distances serves all widths, one Gram matrix all folds of a width, and one space of a fold, with what is
factored in it, all parameters. Where a method can go on from the solution before, the grid is walked to and fro, so
that each fit begins next to where the last one ended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.kernels import Kernel, resolve_gamma, squared_distances
from mdcore.methods import METHODS
from mdcore.methods.ldm import LDMMachine
from mdcore.papers.hinge import MOST_ROWS, hinge_answers
from mdcore.papers.protocol import PaperParams, Protocol, TableMethod
from mdcore.solvers.budget import heed_stop
from mdcore.space import KernelSpace

Array = NDArray[np.float64]
Codes = NDArray[np.intp]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Selected:
    """What was chosen: parameters, and the number behind γ (None for the linear kernel); `fits` models were fitted.

    `right` are the right answers of each choice at the width chosen, and of each width at the choice, of `held_out`.
    """

    params: PaperParams
    gamma: float | None
    fits: int
    held_out: int = 0
    right: tuple[int, ...] = ()
    right_by_width: tuple[int, ...] = ()


def select(protocol: Protocol, method: TableMethod, X: Array, y: Codes, seed: int) -> Selected:
    """Return the most right answers over the folds; of equally good choices the first, which is the smoothest and
    smallest."""
    gammas = widths(protocol, method, X)
    choices = method.choices
    if method.alternatives == 1:
        return Selected(choices[0], gammas[0], 0)
    folds = folds_of(y, protocol.folds, seed)
    if method.search == "line":
        first = right_answers(protocol, method, X, y, folds, gammas, [method.fixed])
        gammas = (gammas[int(np.argmax(first[:, 0]))],)
    right = right_answers(protocol, method, X, y, folds, gammas, choices)
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


def widths(protocol: Protocol, method: TableMethod, X: Array) -> tuple[float | None, ...]:
    """Return the γ among which to choose, from the training rows."""
    if protocol.kernel == "linear" or not METHODS[method.estimator].kernels:
        return (None,)
    unit = resolve_gamma(protocol.gamma, X)
    return tuple(unit * factor for factor in method.widths)


def folds_of(y: Codes, folds: int, seed: int) -> list[Fold]:
    from sklearn.model_selection import StratifiedKFold

    smallest = int(np.bincount(y).min())
    if smallest < 2:
        raise ValueError("A class has one training row only: no fold can test what is trained on it.")
    splitter = StratifiedKFold(min(folds, smallest), shuffle=True, random_state=seed)
    return list(splitter.split(y, y))


def right_answers(
    protocol: Protocol,
    method: TableMethod,
    X: Array,
    y: Codes,
    folds: Sequence[Fold],
    gammas: Sequence[float | None],
    choices: Sequence[PaperParams],
) -> NDArray[np.int64]:
    """Return how many rows each width, row by row, and each choice get right when they are held out."""
    right = np.zeros((len(gammas), len(choices)), dtype=np.int64)
    distances = None if gammas == (None,) else squared_distances(X, X)
    for i, gamma in enumerate(gammas):
        gram = None if gamma is None or distances is None else np.exp(-gamma * distances)
        for fitted, held_out in folds:
            if is_hinge(method, y, len(fitted)):
                G = X @ X.T if gram is None else gram
                among, across = (G[np.ix_(rows, fitted)] + float(protocol.bias) for rows in (fitted, held_out))
                right[i] += hinge_answers(among, across, y[fitted], y[held_out], choices)
                heed_stop()
                continue
            answer = walker(protocol, method, X, y, gram, fitted, held_out)
            for j in to_and_fro(method.grid) if len(choices) > 1 else [0]:
                right[i, j] += int((answer(choices[j]) == y[held_out]).sum())
                heed_stop()
    return right


def is_hinge(method: TableMethod, y: Codes, rows: int) -> bool:
    """Return whether a fold is a matter of the bounded hinge dual, and small enough for its own walk."""
    return walks_hinge(method) and rows <= MOST_ROWS and int(y.max()) == 1


def walks_hinge(method: TableMethod) -> bool:
    """Return whether a method's small folds are."""
    return issubclass(METHODS[method.estimator].estimator, LDMMachine)


def to_and_fro(grid: Mapping[str, Sequence[Any]]) -> Iterator[int]:
    """Yield the places of a grid's combinations, each beside the one before: the last parameter moves first, and
    turns."""
    sizes = [len(values) for values in grid.values()]
    places = np.arange(int(np.prod(sizes))).reshape(sizes)

    def walk(part: NDArray[np.int64], back: bool) -> Iterator[int]:
        if part.ndim == 0:
            yield int(part)
            return
        for step, inner in enumerate(part[::-1] if back else part):
            yield from walk(inner, back=bool(step % 2))

    return walk(places, back=False)


def walker(
    protocol: Protocol,
    method: TableMethod,
    X: Array,
    y: Codes,
    gram: Array | None,
    fitted: NDArray[np.intp],
    held_out: NDArray[np.intp],
) -> Callable[[PaperParams], Codes]:
    """Fits with one set of parameters after the other, and says the classes of the rows held out."""
    record = METHODS[method.estimator]
    model = record.estimator(**method.fixed, **constant_feature(protocol, method))
    labels = y[fitted]
    if not record.kernels:
        rows, new = X[fitted], X[held_out]

        def alone(params: PaperParams) -> Codes:
            return np.asarray(_set(model, params).fit(rows, labels).predict(new))

        return alone
    if gram is None:
        model.set_params(kernel="linear")
        space, new = KernelSpace(np.ascontiguousarray(X[fitted]), Kernel("linear", bias=protocol.bias)), X[held_out]
    else:
        model.set_params(kernel="precomputed")
        space = KernelSpace(gram[np.ix_(fitted, fitted)], Kernel("precomputed", bias=protocol.bias))
        new = gram[np.ix_(held_out, fitted)]
    if record.convex and hasattr(model, "warm_start"):
        model.set_params(warm_start=True)

    def answer(params: PaperParams) -> Codes:
        return _answer(_set(model, params).fit_space(space, labels), new)

    return answer


def constant_feature(protocol: Protocol, method: TableMethod) -> PaperParams:
    """Whether there is one, as a parameter of the methods whose bias it is."""
    record = METHODS[method.estimator]
    known = record.bias == "feature" and "fit_intercept" in record.estimator().get_params()
    return {"fit_intercept": protocol.bias} if known else {}


def _set(model: Any, params: PaperParams) -> Any:
    for name, value in params.items():
        setattr(model, name, value)
    return model


def _answer(model: Any, new: Array) -> Codes:
    """`predict` for rows known to be in order: the checks would take longer than the answer."""
    if len(model.classes_) > 2 or type(model).multiclass:
        return np.asarray(model.predict(new))
    if model.kernel_.name == "linear":
        f = new @ model.coef_[0] + model.intercept_[0]
    else:
        f = new @ model.dual_coef_ + (model.kernel_.bias * model.dual_coef_.sum() + model.offset_)
    return np.asarray(model.classes_[(f > 0).astype(np.intp)])
