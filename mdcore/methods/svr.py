"""Support vector regression on the labels as a classifier (Drucker et al. 1997), solved by scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVR

from mdcore.margin import MarginDistribution
from mdcore.methods.base import MAX_ITER, TOL
from mdcore.methods.own_bias import OwnBiasMachine
from mdcore.space import KernelSpace
from mdcore.spec import Interval, Mark, Method, Paper, Param, Setting, Slider

Array = NDArray[np.float64]

COST = Param(
    "C",
    "C",
    10.0,
    Interval(0, np.inf, open_low=True, open_high=True),
    Slider(2**-10, 2**10, log=True),
    "Price of a deviation of a margin from 1 beyond ε, above or below, for each example.",
    grid=(10.0, 50.0, 100.0),
)
EPSILON = Param(
    "epsilon",
    "ε",
    0.1,
    Interval(0, 1, open_high=True),
    Slider(0, 0.95, step=0.01),
    "Half width of the tube 1 ± ε in which a margin costs nothing; 0 prices every deviation from 1.",
    grid=(0.1,),
)


class SVRClassifier(OwnBiasMachine):
    """The sign of scikit-learn's epsilon-SVR on targets -1 and +1; the bias is free.

    `tol` is libsvm's: how far the optimality conditions may be violated. `gap_` is computed from its solution.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (COST, EPSILON)

    def __init__(
        self,
        C: float = 10.0,
        epsilon: float = 0.1,
        *,
        kernel: str = "rbf",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 1.0,
        fit_intercept: bool = True,
        tol: float = 1e-8,
        max_iter: int = 1_000_000,
        warm_start: bool = False,
    ) -> None:
        self.C = C
        self.epsilon = epsilon
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.warm_start = warm_start

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        return self._fit_rows(X, y, sample_weight)

    def _solve(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        chosen = self.settings()
        w = np.ones(len(signs)) if weight is None else weight
        libsvm = SVR(
            kernel="precomputed",
            **chosen,
            tol=max(TOL.check(self.tol, "SVRClassifier"), np.finfo(float).tiny),
            max_iter=int(MAX_ITER.check(self.max_iter, "SVRClassifier")),
        )
        a, b = _solve_free(libsvm, space.gram, signs, w) if self.fit_intercept else _solve_odd(libsvm, space.gram, signs, w)
        margins = self._shift(self._adopt(space, signs, signs * a), signs, b)
        self.support_ = np.flatnonzero(a)
        self.objective_ = objective(margins, self.norm_, **chosen, weight=w)
        dual = float(signs @ a) - chosen["epsilon"] * float(np.abs(a).sum()) - 0.5 * self.norm_**2
        self.gap_ = max(self.objective_ - dual, 0.0) / self.objective_ if self.objective_ > 0.0 else 0.0
        self.n_iter_, self.converged_ = int(np.max(libsvm.n_iter_)), libsvm.fit_status_ == 0
        if not self.converged_:
            self._warn_unconverged(f"relative duality gap {self.gap_:.1e} after {self.n_iter_} iterations.")


def _solve_free(libsvm: SVR, G: Array, targets: Array, weight: Array) -> tuple[Array, float]:
    """f = sum_i a_i k(x_i, .) + b."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # `fit_status_` says the same
        libsvm.fit(G, targets, sample_weight=weight)
    a = np.zeros(len(targets))
    a[libsvm.support_] = libsvm.dual_coef_[0]
    return a, float(libsvm.intercept_[0])


def _solve_odd(libsvm: SVR, G: Array, targets: Array, weight: Array) -> tuple[Array, float]:
    """Without a bias: of the sample and its mirror image (-phi, -y) at half the price each, b = 0 is the best."""
    mirrored = np.block([[G, -G], [-G, G]])
    a, _ = _solve_free(libsvm, mirrored, np.r_[targets, -targets], np.r_[weight, weight] / 2.0)
    return a[: len(targets)] - a[len(targets) :], 0.0


def objective(margins: Array, norm: float, *, C: float, epsilon: float, weight: Array | float = 1.0) -> float:
    """1/2 ||w||^2 + C sum_i (|1 - g_i| - epsilon)_+"""
    return float(0.5 * norm**2 + C * np.sum(weight * np.maximum(np.abs(1.0 - margins) - epsilon, 0.0)))


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(1.0 - params["epsilon"], 1.0 + params["epsilon"], "tube 1 ± ε"),)


METHOD = Method(
    key="svr",
    name="SVR",
    summary="Margins within a tube around 1, deviations priced linearly on both sides: regression on the labels.",
    estimator=SVRClassifier,
    params=SVRClassifier.parameters,
    latex=(
        r"\min_{w,b} \tfrac12\|w\|^2 + C\sum_{i=1}^m"
        r" \bigl(|y_i - \langle w,\phi(x_i)\rangle - b| - \varepsilon\bigr)_+"
    ),
    objective=objective,
    bias="own",
    paper=Paper(
        "H. Drucker, C. J. C. Burges, L. Kaufman, A. Smola, V. Vapnik",
        "Support vector regression machines",
        "NIPS 1997",
        "binary targets, as in the MSVM_Av paper's Appendix D",
    ),
    color="#6B7280",
    marks=marks,
    limits="The SVM's hinge prices one side of 1 only; ε → 1 lets w shrink to 0, ε = 0 is least absolute deviations.",
    support="examples outside the tube or on its edge",
    weights=True,
)
