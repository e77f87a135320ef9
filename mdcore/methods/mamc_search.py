"""MAMC_bs and MAMC_bsg: the MAMC's kernel width and slope by cross-validation (Abe 2016, sections 2.4 and 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.validation import check_is_fitted

from mdcore.basics.threads import one_blas_thread
from mdcore.methods.base import MarginClassifier
from mdcore.methods.mamc import MAMC, PAPER_SLOPES, SLOPE, place_bias
from mdcore.solvers.arrays import Array
from mdcore.spaces.kernels import GAMMA, abe_gamma, squared_distances
from mdcore.spaces.space import check_memory
from mdcore.spec import Choice, Interval, Param, Setting, Slider

Fold = tuple[NDArray[np.intp], NDArray[np.intp]]

PAPER_GAMMAS = (0.01, 0.1, 0.5, 1.0, 5.0, 10.0, 15.0, 20.0, 50.0, 100.0, 200.0, 300.0, 400.0, 500.0, 600.0, 700.0)

MODE = Choice(
    "mode",
    "search",
    "line",
    ("line", "grid"),
    "line: first the kernel width with slope 1, then the slope (MAMC_bs); grid: all combinations (MAMC_bsg).",
)
FOLDS = Param(
    "folds", "folds", 5, Interval(2, np.inf), Slider(2, 10, step=1), "Folds of the cross-validation.", integer=True
)


@dataclass(eq=False, repr=False)
class MAMCSearch(MarginClassifier):
    """The MAMC with rbf kernel and optimal bias, with gamma and slope chosen by stratified cross-validation.

    `gammas` are on Abe's scale: each is divided by the number of inputs. Ties are broken in favour of the smallest
    gamma, then of the slope nearest to 1. Fitted attributes: `best_estimator_`, a MAMC fitted on all rows;
    `best_params_`, with `gamma` as in `gammas`; and `cv_errors_`, the error rate for every gamma (rows, ascending) and
    slope (columns, nearest to 1 first), nan where the line search did not evaluate it.

    A value of gamma costs one pass over the Gram matrix for each fold; further slopes cost next to nothing.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (MODE, FOLDS)

    mode: str = "line"
    folds: int = 5
    gammas: Sequence[float] = field(default=PAPER_GAMMAS, kw_only=True)
    slopes: Sequence[float] = field(default=PAPER_SLOPES, kw_only=True)
    random_state: int | np.random.RandomState | None = field(default=0, kw_only=True)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        rows = self._check_rows(X, reset=True)
        signs = self._check_labels(y, len(rows))
        chosen = self.settings()
        gammas = sorted(_checked(self.gammas, GAMMA, "gammas"))
        slopes = sorted(_checked(self.slopes, SLOPE, "slopes"), key=lambda slope: abs(np.log(slope)))
        check_memory(len(rows))
        distances = squared_distances(rows, rows)
        folds = self._split(signs, int(chosen["folds"]))
        errors = np.full((len(gammas), len(slopes)), np.nan)

        def evaluate(i: int, tried: slice) -> None:
            gram = np.exp(-abe_gamma(gammas[i], rows) * distances)
            errors[i, tried] = _fold_errors(gram, signs, folds, slopes[tried]) / len(rows)

        with one_blas_thread(len(rows)):
            first = slice(0, 1) if chosen["mode"] == "line" else slice(None)
            for i in range(len(gammas)):
                evaluate(i, first)
            if chosen["mode"] == "line":
                evaluate(int(np.argmin(errors[:, 0])), slice(None))
        best_gamma, best_slope = np.unravel_index(np.nanargmin(errors), errors.shape)
        self.cv_errors_ = errors
        self.best_params_ = {"gamma": gammas[best_gamma], "slope": slopes[best_slope]}
        gamma = abe_gamma(gammas[best_gamma], rows)
        self.best_estimator_ = MAMC("optimal", slopes[best_slope], gamma=gamma).fit(rows, signs)
        self.norm_, self.support_ = self.best_estimator_.norm_, self.best_estimator_.support_
        self.status_, self._reach_ = self.best_estimator_.status_, self.best_estimator_._reach_
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return self.best_estimator_.decision_function(self._check_rows(X, reset=False))

    def _norms_apart(self) -> Array:
        return self.best_estimator_._norms_apart()

    def _constants(self) -> Array:
        return self.best_estimator_._constants()

    def _split(self, signs: Array, folds: int) -> list[Fold]:
        smallest = int(min(np.sum(signs > 0.0), np.sum(signs < 0.0)))
        if smallest < 2:
            raise ValueError(
                "MAMCSearch needs at least two examples of each class, one for training and one for testing."
            )
        splitter = StratifiedKFold(min(folds, smallest), shuffle=True, random_state=self.random_state)
        return list(splitter.split(signs[:, None], signs))


def _fold_errors(gram: Array, signs: Array, folds: list[Fold], slopes: Sequence[float]) -> Array:
    """Return the number of errors for every slope, summed over the folds; each is predicted from all the others."""
    errors = np.zeros(len(slopes))
    for train, test in folds:
        y = signs[train]
        positive, negative = (gram[:, train] @ (side * y > 0.0) / len(train) for side in (1.0, -1.0))
        for k, slope in enumerate(slopes):
            s = positive - slope * negative  # Eq. (29) with b = 0
            b, _ = place_bias(s[train], y, np.ones(len(train)), "optimal")
            errors[k] += np.sum(signs[test] * (s[test] + b) <= 0.0)
    return errors


def _checked(values: Any, param: Param, name: str) -> list[float]:
    given = list(values)
    if not given:
        raise ValueError(f"MAMCSearch: {name} must have at least one value.")
    return [float(param.check(value, f"MAMCSearch, {name}")) for value in given]
