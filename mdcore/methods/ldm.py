"""Large margin distribution machine (Zhang & Zhou, KDD 2014)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from mdcore.basics.threads import one_blas_thread
from mdcore.margins.bounds import Bound, leave_one_out
from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.certified import TwoClasses, certified
from mdcore.methods.explicit import solve_in_features
from mdcore.methods.fit_result import FitResult, Sample
from mdcore.methods.kernel_machine import WeightedMachine
from mdcore.methods.landmarks import LandmarkParams
from mdcore.methods.params import PRICES, SolverParams
from mdcore.methods.weights import WeightParams
from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.certificate import Solution, Vector
from mdcore.solvers.ldm import FactoredDual, LDMProblem, continue_ldm, dual_matrix, solve_hinge, solve_ldm
from mdcore.solvers.path import DualPath, follow
from mdcore.spaces.columns import ColumnSpace
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Fitted, Interval, Mark, Method, Paper, Param, Search, Setting, Slider, summed

PAPER_LAMBDAS = tuple(2.0**k for k in range(-8, -1))
PAPER_C = (10.0, 50.0, 100.0)
LAMBDA_SLIDER = Slider(2**-8, 2**10, log=True, zero=True)
SMALL_EFFECT = "With the paper's C of 10 to 100, its grid changes an rbf LDM by less than 0.3 %: try larger values."


def hinge_parameter(*, positive: bool, finite: bool = False) -> Param:
    """Return the parameter C of the hinge loss, per example."""
    return Param(
        "C",
        "C",
        10.0,
        Interval(0, np.inf, open_low=positive, open_high=finite),
        Slider(2**-10, 2**10, log=True),
        "Cost of one unit of hinge loss, per example. With a large C, hardly any example falls inside the margin; with "
        "a small C, the norm (and in LDM the mean and variance) dominates."
        + ("" if finite else " C = ∞ is the hard margin."),
        grid=PAPER_C,
        search=PRICES,
    )


LAMBDA1 = Param(
    "lambda1",
    "λ₁",
    16.0,
    Interval(0, np.inf, open_high=True),
    LAMBDA_SLIDER,
    "Weight of the margin variance: larger values pull the margins together. " + SMALL_EFFECT,
    grid=PAPER_LAMBDAS,
    search=Search((0.0, 0.1, 1.0, 10.0), first=(1.0,), grows=True, per_row=True),
)
LAMBDA2 = Param(
    "lambda2",
    "λ₂",
    16.0,
    Interval(0, np.inf, open_high=True),
    LAMBDA_SLIDER,
    "Weight of the margin mean: larger values push all functional margins up. " + SMALL_EFFECT,
    grid=PAPER_LAMBDAS,
    search=Search((0.0, 1.0, 10.0), first=(1.0,), grows=True, per_row=True),
)


@dataclass(frozen=True, eq=False)
class Dual:
    """The values that, with rows and kernel, determine H of Eq. (12). H and its factors are cached in the space."""

    signs: Array
    p: Array
    lambda1: float

    def is_known(self, space: KernelSpace) -> bool:
        return space.is_cached(self._key("matrix"))

    def matrix(self, space: KernelSpace) -> Array:
        return space.cached(self._key("matrix"), lambda: dual_matrix(space.gram, self.signs, self.p, self.lambda1))

    def largest(self, space: KernelSpace) -> float:
        """Return the largest diagonal entry of H."""
        return float(np.diagonal(self.matrix(space)).max())

    def factored(self, space: KernelSpace, free: Index) -> FactoredDual:
        """Return H in factored form, which is fastest for solutions whose free coordinates are mostly `free`."""
        return space.cached(
            self._key("factored"), lambda: FactoredDual(space.gram, self.signs, self.p, self.lambda1, free)
        )

    def _key(self, form: str) -> tuple[str, float, bytes, bytes]:
        return f"LDM dual, {form}", self.lambda1, self.signs.tobytes(), self.p.tobytes()


def is_in_features(space: KernelSpace, C: float, owner: str) -> bool:
    """Return whether a machine with this C is solved in the features of the space; raise ValueError if it cannot be."""
    if isinstance(space, LandmarkSpace) and not np.isfinite(C):
        raise ValueError(f"{owner}: C = inf needs the exact kernel. Set landmarks=None.")
    return space.explicit and bool(np.isfinite(C))


def fit_in_features(sample: Sample, problem: LDMProblem, *, tol: float, max_iter: int) -> FitResult:
    """Return the model with finite C in the explicit features of the sample's space."""
    result = solve_in_features(sample, problem, tol=tol, max_iter=max_iter)
    assert result.last is not None
    solution, each = result.last.solution, sample.each  # not the sample, which holds the last solution

    def bound() -> float:
        h = solution.machine.largest_curvature()
        return leave_one_out(solution.point.a, problem.upper, h, each).value

    # Of the linear kernel computed now, so that the features are not kept for it.
    return result.and_fitted(_loo_bound_=bound() if sample.space.is_linear else bound)


def fit_by_dual(
    sample: Sample, problem: LDMProblem, start: Array | None, *, tol: float, max_iter: int, again: bool = False
) -> FitResult:
    """Return the model from the dual problem, starting from the dual variables `start` if given; `again` says whether a
    fit to the same rows will follow."""
    space, signs, each = sample.space, sample.labels, sample.each
    dual = Dual(signs, problem.p, problem.lambda1)
    if problem.is_hard:
        space.require_separable(signs)
    if problem.is_svm and (start is None or not space.has_gram):
        if again and space.has_room:
            _ = space.gram  # the next fit needs it
        space = by_columns = ColumnSpace(space)
        solution = solve_hinge(problem, by_columns.columns, signs, start=start, tol=tol, max_iter=max_iter)
    else:
        near = start if sample.weight is None and problem.lambda1 > 0.0 and not dual.is_known(space) else None
        found = None if near is None else _continued(space, problem, dual, near, tol)
        solution = found or solve_ldm(problem, dual.matrix(space), signs, start=start, tol=tol, max_iter=max_iter)

    def bound() -> float:
        h = float(space.lengths.max()) ** 2 if problem.is_svm else dual.largest(space)
        return leave_one_out(solution.forces, problem.upper, h, each).value

    if problem.is_hard:
        factor = hard_margin_factor(space.vector(solution.a), signs)
        solution = replace(solution, a=factor * solution.a)
    loo = bound() if problem.is_svm or dual.is_known(space) else bound
    solved = TwoClasses(space, signs, problem, solution)
    return certified(solved, tol=tol, beta_=solution.forces, _loo_bound_=loo)


def _continued(space: KernelSpace, problem: LDMProblem, dual: Dual, start: Array, tol: float) -> Solution | None:
    """Return the solution found from the last one without computing H, or None if that is not possible."""
    factored = dual.factored(space, np.flatnonzero((start > 0.0) & (start < problem.upper)))
    return continue_ldm(problem, factored, start=start, tol=tol)


def hard_margin_factor(w: Vector, signs: Array) -> float:
    """Return the factor that brings the smallest margin of w to one, rounding included, if that margin is in (0, 1).

    Otherwise return 1.
    """
    smallest = float((signs * w.scores - w.blur).min())
    return 1.0 / smallest if 0.0 < smallest < 1.0 else 1.0


class LDMMachine(SolverParams, WeightParams, LandmarkParams, WeightedMachine):
    """A machine that solves the dual problem (12); lambda1 and lambda2 are 0 if a subclass lacks them."""

    C: float

    beta_: Array
    _loo_bound_: float | Callable[[], float]

    accepts_sparse: ClassVar[bool] = True
    matrices: ClassVar[float] = 5.0
    followed: ClassVar[tuple[str, ...]] = ("C", "lambda2")

    def _solve(self, sample: Sample) -> FitResult:
        problem = LDMProblem.of(sample.each, **self.settings())
        tol, max_iter = self._tolerance(), self._limit()
        if self._is_explicit(sample.space):
            return fit_in_features(sample, problem, tol=tol, max_iter=max_iter)
        start = self._previous("beta_", sample.labels.shape)
        return fit_by_dual(sample, problem, start, tol=tol, max_iter=max_iter, again=self.warm_start)

    def _is_explicit(self, space: KernelSpace) -> bool:
        return is_in_features(space, self.settings()["C"], type(self).__name__)

    def _needs_gram(self, kernel: str, shape: tuple[int, ...]) -> bool:
        return super()._needs_gram(kernel, shape) and not LDMProblem.of(np.ones(1), **self.settings()).is_svm

    def follow(self, space: KernelSpace, y: ArrayLike, along: Literal["C", "lambda2"], values: ArrayLike) -> DualPath:
        """Return the exact dual variables at ascending, positive, finite values of one parameter, and the path's kinks.

        The model is left fitted at the first value. Raise Degenerate if the path cannot be followed.
        """
        ascending = np.asarray(values, dtype=np.float64)
        self.set_params(**{along: float(ascending[0])}).fit_space(space, y)
        chosen = self.settings()
        signs = self._check_labels(y, len(space))
        p = np.full(len(space), 1.0 / len(space))
        H = Dual(signs, p, chosen.get("lambda1", 0.0)).matrix(space)
        with one_blas_thread(len(space)):
            return follow(
                H, p, self.beta_, lambda2=chosen.get("lambda2", 0.0), C=chosen["C"], along=along, values=ascending
            )

    @property
    def loo_bound_(self) -> float:
        """The bound of Theorem 3. If the fit did not need the diagonal of H, it is computed on first access."""
        if callable(self._loo_bound_):
            self._loo_bound_ = self._loo_bound_()
        return self._loo_bound_

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        if "_loo_bound_" in state:  # computed now, as it needs all rows
            state["_loo_bound_"] = self.loo_bound_
        return state


@dataclass(eq=False, repr=False)
class LDM(LDMMachine):
    """Large margin distribution machine (Eq. 5):
    min_w 1/2 ||w||^2 + lambda1 * gamma_hat - lambda2 * gamma_bar + C sum_i (1 - y_i f(x_i))_+ .

    gamma_bar is the mean of the functional margins (Eq. 3), gamma_hat twice their variance (Eq. 4). `C=inf` is the
    hard-margin LDM. `beta_` are the dual variables of Eq. (12), and `loo_bound_` is the bound of Theorem 3.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (LAMBDA1, LAMBDA2, hinge_parameter(positive=False))

    lambda1: float = 16.0
    lambda2: float = 16.0
    C: float = 10.0


def terms(
    margins: Array, norm: float, *, lambda1: float, lambda2: float, C: float, weight: Array | float = 1.0
) -> dict[str, float]:
    """Return the summands of 1/2 ||w||^2 + lambda1 * 2 Var(g) - lambda2 * mean(g) + C sum_i (1 - g_i)_+ for the
    margins g."""
    problem = LDMProblem.of(weight * np.ones(len(margins)), lambda1=lambda1, lambda2=lambda2, C=C)
    return {"½‖w‖²": 0.5 * norm**2} | problem.loss(margins)


def leave_one_out_of(fitted: Fitted) -> Bound:
    assert isinstance(fitted.model, LDMMachine)
    return Bound("LDM, Theorem 3 (leave one out)", float(fitted.model.loo_bound_), {})


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    spread = float(np.sqrt(train.variance))
    return (
        Mark(train.mean - spread, train.mean + spread, "mean ± deviation"),
        Mark(train.mean, train.mean, "mean"),
    )


METHOD = Method(
    key="ldm",
    name="LDM",
    summary="An SVM that also favours a large mean and a small variance of the margins.",
    estimator=LDM,
    latex=(
        r"\min_w \tfrac12\|w\|^2 + \lambda_1\hat\gamma - \lambda_2\bar\gamma"
        r" + C\sum_{i=1}^m \bigl(1-y_i\langle w,\phi(x_i)\rangle\bigr)_+,\qquad"
        r" \bar\gamma,\ \tfrac12\hat\gamma: \text{mean and variance of } y_i\langle w,\phi(x_i)\rangle"
    ),
    objective=summed(terms),
    terms=terms,
    paper=Paper(
        "T. Zhang, Z.-H. Zhou",
        "Large margin distribution machine",
        "KDD 2014",
        "Eqs. (5), (12); Theorem 3",
        "10.1145/2623330.2623710",
    ),
    color="#009E73",
    marks=marks,
    limits="With λ₁ = λ₂ = 0, the SVM; with λ₁ = C = 0, the direction of MAMC, w ∥ Σ yᵢφ(xᵢ).",
    support="support vectors",
    bound=r"Theorem 3: $E[\text{error}] \le \frac1m E\bigl[h\sum_{0<\beta_i<C}\beta_i + |\{i : \beta_i = C\}|\bigr]$; "
    r"$\beta$: the dual variables, $h$: the largest diagonal entry of the dual problem's matrix.",
    bound_of=leave_one_out_of,
    complexity="One Cholesky inverse per λ₁, O(m³), or only the factor, a third of the cost, when a nearby solution is "
    "known. A new λ₂ or C reuses it: O(m²), and O(s³) for s free βᵢ.",
)
