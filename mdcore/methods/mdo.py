"""Margin distribution optimisation (Garg & Roth, ICML 2003)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from mdcore.basics.threads import one_blas_thread
from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.base import MarginClassifier
from mdcore.methods.fit_result import FitResult, Weights
from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import Certificate
from mdcore.solvers.mdo import log_loss, minimise_from
from mdcore.solvers.pnorm import row_norms
from mdcore.spec import Interval, Mark, Method, Paper, Param, Search, Setting, Slider

RATE = Interval(0, np.inf, open_low=True, open_high=True)
A = Param(
    "a",
    "a",
    1.0,
    RATE,
    Slider(2**-6, 1, log=True),
    "Rate at which the cost of a positive margin falls as the margin grows: with a small a, all correct examples cost "
    "nearly the same.",
    search=Search((2.0**-4, 2.0**-2, 1.0), first=(2.0**-2, 1.0)),
)
B = Param(
    "b",
    "b",
    5.0,
    RATE,
    Slider(1.5, 2**6, log=True),
    "Rate at which the cost of a negative margin grows: with a large b, the worst errors dominate. Must exceed a.",
    search=Search((2.0, 5.0, 20.0), first=(5.0,)),
)
RESTARTS = Param(
    "restarts",
    "restarts",
    10,
    Interval(1, np.inf, open_high=True),
    Slider(1, 50, log=True),
    "Number of random directions from which the search starts; the best local minimum is kept.",
    integer=True,
)


@dataclass(eq=False, repr=False)
class MDO(MarginClassifier):
    """Margin distribution optimisation for linear functions: min_{||w||=1} sum_i loss(g_i) over the margins g_i, with
    loss(g) = exp(-a g) for g >= 0, exp(-b g) for g < 0, and b > a > 0.

    The weight of the constant feature is part of w. The problem is not convex: `restart_objectives_` holds the value
    reached from every start, in the random order of the starts, and the best solution is kept. There is no certificate,
    so `gap_` is nan; `slope_` is the length of the gradient along the sphere, relative to a times the mean length of
    the rows.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (A, B, RESTARTS)

    a: float = 1.0
    b: float = 5.0
    restarts: int = 10
    fit_intercept: bool = field(default=True, kw_only=True)
    tol: float = field(default=1e-6, kw_only=True)
    max_iter: int = field(default=300, kw_only=True)
    random_state: int | np.random.RandomState | None = field(default=0, kw_only=True)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        rows = self._check_rows(X, reset=True)
        signs = self._check_labels(y, len(rows))
        chosen = self.settings()
        if not chosen["b"] > chosen["a"]:
            raise ValueError(f"MDO: b must be larger than a; got a = {chosen['a']!r}, b = {chosen['b']!r}.")
        features = np.column_stack([rows, np.ones(len(rows))]) if self.fit_intercept else rows
        S = features * signs[:, None]
        with one_blas_thread(len(rows)):
            solution = minimise_from(
                self._starts(S),
                S,
                a=chosen["a"],
                b=chosen["b"],
                tol=self._tolerance(),
                max_iter=self._limit(),
            )
        w, d = solution.w, rows.shape[1]
        margins, norm = S @ w, float(np.linalg.norm(w))
        intercept = w[d:] if self.fit_intercept else np.zeros(1)
        return self._set_fitted(
            FitResult(
                Weights(norm, float(row_norms(rows, 2.0).max()), coef=w[None, :d], intercept=intercept),
                Certificate(objective(margins, norm, **chosen)),
                np.flatnonzero(margins < 0.0),
                solution.n_iter,
                solution.converged,
                f"relative slope {solution.slope:.1e} after {solution.n_iter} Newton steps.",
                fitted={"restart_objectives_": _exponential(solution.values), "slope_": solution.slope},
            )
        )

    def _starts(self, S: Array) -> Iterator[Array]:
        """Yield random unit vectors, with the sign that makes the mean margin positive."""
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        mean = S.mean(axis=0)
        for _ in range(int(self.restarts)):
            w = rng.normal(size=len(mean))
            yield np.asarray(w / np.linalg.norm(w) * (1.0 if w @ mean >= 0.0 else -1.0))


def objective(margins: Array, norm: float, *, a: float, b: float, restarts: int) -> float:
    """Return the sum of exp(-a g_i) over g_i >= 0 and of exp(-b g_i) over g_i < 0, for the margins g_i over ||w||."""
    g = margins / norm
    return float(_exponential(log_loss(g, a, b)))


def _exponential(log_value: Any) -> Any:
    with np.errstate(over="ignore"):  # overflow to infinity is intended
        return np.exp(log_value)


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(0.0, 0.0, "rate b below, a above"), Mark(min(train.min, 0.0), 0.0, "steep side"))


METHOD = Method(
    key="mdo",
    name="MDO",
    summary="Exponential costs of the margins for a unit vector w, steeper for errors; the best of several restarts.",
    estimator=MDO,
    latex=(
        r"\min_{\|w\|=1} \sum_{\gamma_i\ge 0} e^{-a\gamma_i} + \sum_{\gamma_i<0} e^{-b\gamma_i},\qquad "
        r"\gamma_i=y_i w^\top x_i,\quad b>a>0"
    ),
    objective=objective,
    paper=Paper("A. Garg, D. Roth", "Margin distribution and learning", "ICML 2003", "the MDO algorithm"),
    color="#A06CD5",
    marks=marks,
    limits="As a, b → 0, the largest mean margin, with errors and correct examples weighted b : a; as a → ∞, only the "
    "smallest margin counts.",
    support="errors",
    complexity="For each restart, O(md) per evaluation and O(d³) per Newton step on the sphere.",
    certificate="none",
    unit="mean margin",
    convex=False,
)
