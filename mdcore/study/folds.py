"""The rows of a split, prepared for a method, and the folds inside the training parts, which are prepared once, with
kernel values that all methods share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import RLock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone

from mdcore.basics.memo import LRUCache
from mdcore.data import feature_names
from mdcore.data.splitting import GROUPS, Rows
from mdcore.data.tables.pipeline import fit_transform
from mdcore.methods.binary_models import BinaryModels
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.solvers.arrays import Array
from mdcore.solvers.linalg import symmetrise
from mdcore.spaces.kernels import Kernel, resolve_gamma
from mdcore.spaces.space import KernelSpace
from mdcore.study.data import Data
from mdcore.study.plan import Candidate, Plan
from mdcore.study.splits import inner

GAMMA_ROWS = 2000  # rows from which γ is resolved


SPLITS = 4  # whose folds are kept: those of the splits under way
BYTES = 2**28  # of kernel values that are kept


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """Rows to fit on and new rows to evaluate on, with the names of their columns.

    The preparation is fitted on the former only.
    """

    fit: Rows
    X_fit: Array
    y_fit: NDArray[Any]
    new: Rows
    X_new: Array
    y_new: NDArray[Any]
    features: tuple[str, ...]


def prepare_split(data: Data, plan: Plan, candidate: Candidate, number: int) -> PreparedRows:
    return prepare_rows(data, plan, candidate, *plan.parts(candidate, data.y, number, data.along))


def prepare_rows(data: Data, plan: Plan, candidate: Candidate, fit: Rows, new: Rows) -> PreparedRows:
    preparation = clone(data.preparation)
    groups = data.along_of(fit) if plan.kind == GROUPS else None
    X_fit = dense(fit_transform(preparation, data.rows(fit), data.y[fit], groups))
    X_new = dense(preparation.transform(data.rows(new)))
    if candidate.method.kernels or plan.nystroem == 0:
        features = _names(preparation, data.features, X_fit.shape[1])
    else:
        nystroem = _nystroem(plan, X_fit)
        X_fit, X_new = nystroem.fit_transform(X_fit), nystroem.transform(X_new)
        features = tuple(f"Nystroem {i + 1}" for i in range(X_fit.shape[1]))
    return PreparedRows(fit, X_fit, data.y[fit], new, X_new, data.y[new], features)


def thinned(X_fit: Array) -> Array:
    """Return a sample of rows that suffices to resolve γ: 'distance' needs all pairs."""
    return X_fit[:: max(1, len(X_fit) // GAMMA_ROWS)]


def dense(X: Any) -> Array:
    return np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.float64)


def _nystroem(plan: Plan, X_fit: Array) -> Any:
    from sklearn.kernel_approximation import Nystroem

    key = plan.kernel
    if key.name == "linear":
        raise ValueError(
            "A Nystroem map approximates a nonlinear kernel: choose rbf, poly or laplacian, or 0 features."
        )
    gamma = resolve_gamma(key.gamma, thinned(X_fit))
    extra = {"degree": key.degree, "coef0": key.coef0} if key.name == "poly" else {}
    size = min(plan.nystroem, len(X_fit))
    return Nystroem(kernel=key.name, gamma=gamma, n_components=size, random_state=plan.seed, **extra)


def _names(preparation: Any, features: tuple[str, ...], columns: int) -> tuple[str, ...]:
    if "columns" in getattr(preparation, "named_steps", {}):
        return feature_names(preparation)
    try:
        names = tuple(map(str, preparation.get_feature_names_out(features or None)))
    except (AttributeError, ValueError):  # a user's transformer may not provide names
        names = ()
    return names if len(names) == columns else tuple(f"column {i + 1}" for i in range(columns))


@dataclass(frozen=True, eq=False)
class Fold:
    """The rows of a fold, `held_out` counted within the training part, and the means to compute kernel values once."""

    prepared: PreparedRows
    held_out: Rows
    _once: Callable[[Any, Callable[[], Array]], Array]

    @classmethod
    def alone(cls, prepared: PreparedRows) -> Self:
        """Return a fold that shares its kernel values with no other."""
        kept: LRUCache[Array] = LRUCache(BYTES, _bytes)
        return cls(prepared, np.arange(len(prepared.y_new)), kept.get)

    def space(self, kernel: Kernel) -> KernelSpace:
        """Return a new space of the fitted rows, whose Gram matrix all methods share."""
        gram = None if kernel.name == "linear" else self._values(kernel)[: len(self.prepared.X_fit)]
        return KernelSpace(self.prepared.X_fit, kernel, gram)

    def decisions(self, model: KernelMachine | BinaryModels, kernel: Kernel) -> Array:
        """Return f of the held-out rows for a model fitted in the space of this kernel."""
        if kernel.name == "linear":
            return np.asarray(model.decision_function(self.prepared.X_new))
        return np.asarray(model.decide(self._values(kernel)[len(self.prepared.X_fit) :]))

    def _values(self, kernel: Kernel) -> Array:
        """Return the kernel values of the fitted rows, and below them the held-out rows, with the fitted rows."""
        return self._once((self, kernel), lambda: self._compute(kernel))

    def _compute(self, kernel: Kernel) -> Array:
        X, new = self.prepared.X_fit, self.prepared.X_new
        pairs = self._once((self, kernel.family), lambda: _pairs(kernel, X, new))
        values = kernel.of_pairs(pairs.copy())
        values.flags.writeable = False
        return values


def _pairs(kernel: Kernel, X: Array, new: Array) -> Array:
    pairs = kernel.pairs(np.vstack([X, new]), X)
    symmetrise(pairs[: len(X)])  # products may differ in the last bit
    return pairs


def _bytes(values: Array) -> float:
    return float(values.nbytes)


class Folds:
    """The folds of every training part for which they are asked, computed by the first method that asks."""

    def __init__(self, data: Data, plan: Plan) -> None:
        self.data, self.plan = data, plan
        self._lock = RLock()
        self._folds: LRUCache[list[Fold]] = LRUCache(SPLITS)
        self._values: LRUCache[Array] = LRUCache(BYTES, _bytes)

    def of(self, candidate: Candidate, rows: Rows, seed: int) -> list[Fold]:
        """Return the folds of a training part, by the scheme of the plan; the preparation is fitted anew in each."""
        mapped = self.plan.nystroem > 0 and not candidate.method.kernels
        with self._lock:
            return self._folds.get((rows.tobytes(), seed, mapped), lambda: list(self._make(candidate, rows, seed)))

    def _make(self, candidate: Candidate, rows: Rows, seed: int) -> Iterator[Fold]:
        data, plan = self.data, self.plan
        for fit, held_out in inner(plan.scheme, data.y[rows], data.along_of(rows), plan.folds, seed):
            yield Fold(prepare_rows(data, plan, candidate, rows[fit], rows[held_out]), held_out, self._once)

    def _once(self, key: Any, make: Callable[[], Array]) -> Array:
        with self._lock:
            return self._values.get(key, make)

    def __getstate__(self) -> dict[str, Any]:
        return {"data": self.data, "plan": self.plan}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]  # a pickle holds only what __init__ takes
