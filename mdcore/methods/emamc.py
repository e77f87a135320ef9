"""Equality-constrained maximal average margin classifier (Abe 2016, section 2.5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from mdcore.basics.threads import SMALL
from mdcore.methods.certified import TwoClasses, certified
from mdcore.methods.fit_result import FitResult, Sample, Weights
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.landmarks import LandmarkParams
from mdcore.methods.lssvm import marks, objective, squares_parameter, squares_problem
from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import EPS, ROUNDED, Certificate, DualPoint, Solution, Vector, expansion, grown
from mdcore.solvers.least_squares import SquaresProblem, solve_by_shifted_factor, solve_in_kernel_values
from mdcore.spaces.exact_gap import ENTRIES, QUICK_ENTRIES, UNKNOWN, Distance, streamed_product
from mdcore.spaces.kernels import fast_kernel
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace, check_values
from mdcore.spec import Method, Paper, Setting, Work

FEW = 300  # up to this number of rows the eigenvalues take a negligible time


@dataclass(eq=False, repr=False)
class EMAMC(LandmarkParams, KernelMachine):
    """The LS-SVM in the empirical feature space, whose features are the kernel values (k(x, x_1), ..., k(x, x_M)).

    It solves Eqs. (36)-(37), to which Eq. (33) reduces. `dual_coef_` is w itself, one weight for every kernel value,
    and `norm_` is its length. Geometric margins are distances in the space of the kernel, as for all kernel machines,
    where f has the length sqrt(w'Kw). With landmarks, the M features are values of the approximate kernel that the
    landmarks span; `dual_coef_` then holds the coefficients of the landmarks that represent the same function.
    `exact_gap_` is computed for w from all exact kernel values; it is nan if these are too many.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (
        squares_parameter((0.1, 1.0, 10.0, 50.0, 100.0, 500.0, 1000.0, 2000.0)),
    )
    work: ClassVar[Work] = Work(passes=30.0, cubes=5.0, spans=1.5)  # with the eigenvalues
    own_bias: ClassVar[bool] = True

    C: float = 10.0
    warm_start: bool = field(default=False, kw_only=True)

    def fit_space(self, space: KernelSpace, y: ArrayLike) -> Self:
        """Fit on the rows of a space, which may be shared; compute its eigenvalues, which then serve every C."""
        if not self._is_explicit(space):
            _ = space.plain.spectrum
        return super().fit_space(space, y)

    def _is_explicit(self, space: KernelSpace) -> bool:
        return isinstance(space, LandmarkSpace) or (super()._is_explicit(space) and len(space) > SMALL)

    def _solve(self, sample: Sample) -> FitResult:
        space, signs = sample.space, sample.labels
        with np.errstate(over="ignore"):
            check_values(len(space) * space.lengths**4)  # the features are kernel values, and their squares are needed
        problem = squares_problem(len(signs), self.settings()["C"], None)
        if self._is_explicit(space):
            return _fit_by_eigenvalues(space, signs, problem, bias=self.fit_intercept)
        r, every = float(problem.r[0]), np.arange(len(signs))
        once = not (space.has_spectrum or self.warm_start or len(space) <= FEW)
        found = solve_by_shifted_factor(space.gram, signs, r, bias=self.fit_intercept) if once else None
        w, dual, b = found or solve_in_kernel_values(*space.spectrum, signs, r, bias=self.fit_intercept)
        best_offset = partial(problem.best_offset, signs) if self.fit_intercept else None
        solved = InKernelValues(space, signs, problem, Solution(w, signs * dual, offset=b))
        return certified(solved, best_offset=best_offset, support=every)


def _fit_by_eigenvalues(space: KernelSpace, signs: Array, problem: SquaresProblem, *, bias: bool) -> FitResult:
    """Return the model from the eigenvalues of K in explicit features, without computing K."""
    values, U = space.thin_spectrum
    w, dual, b = solve_in_kernel_values(values, U, signs, float(problem.r[0]), bias=bias)
    scores, square = U @ (values * (U.T @ w)), float(w @ w)
    vector = Vector(scores, square, np.zeros(0), EPS * grown(len(w)) * square)
    if isinstance(space, LandmarkSpace):
        weights = Weights.in_landmarks(space, space.weights(w), vector)
    else:
        weights = Weights.of_rows(space, w, vector)
    value = 0.5 * square + sum(problem.loss(signs * (scores + b)).values())
    length = float(np.linalg.norm(values * (U.T @ dual)))
    certificate = Certificate(value, _dual_value(problem, signs * dual, signs, length), value)
    return FitResult(
        weights.with_bias(b),
        certificate,
        np.arange(len(signs)),
        converged=certificate.gap <= ROUNDED,
        shortfall=f"rounding limits the relative duality gap to {certificate.gap:.1e}. Scale the features.",
        exact=KernelValueCertificate(space, w, dual, b, signs, problem, value)
        if isinstance(space, LandmarkSpace) and 0.5 * len(signs) ** 2 <= QUICK_ENTRIES
        else None,
    )


class InKernelValues(TwoClasses):
    """A problem whose features are the kernel values: the coefficients of w are w itself, whose length is the norm."""

    @property
    def longest(self) -> float:
        return float(np.linalg.norm(self.space.gram, axis=1).max())

    def vector(self, a: Array, W: Array | None) -> Vector:
        w, square = super().vector(a, W), float(a @ a)
        return replace(self._in_kernel(a, w), square=square, slack=EPS * grown(len(a)) * square)

    def weights(self, a: Array, w: Vector, W: Array | None, length: Vector, bias: float) -> Weights:
        return super().weights(a, self._in_kernel(a, w), W, length, bias)

    def _in_kernel(self, a: Array, w: Vector) -> Vector:
        """Return f as a vector in the space of the kernel, where its distances are measured."""
        return expansion(None, a, self.space.lengths, self.space.units, w.scores)

    def candidates(self, a: Array) -> Iterator[tuple[Array, bool]]:
        """Yield `a` only: every kernel value is a separate feature, so that no part of `a` is without effect."""
        yield a, False

    def value_of(self, point: DualPoint, a: Array, w: Vector, sharp: bool) -> float:
        values = expansion(self.space.gram, self.labels * point.v, self.space.lengths, self.space.units)
        length, error = float(np.linalg.norm(values.scores)), float(np.linalg.norm(values.blur))
        return point.value(length**2, error * (2.0 * length + error), self.space.lengths)


@dataclass(frozen=True, eq=False)
class KernelValueCertificate:
    """Certificate for a fit with landmarks: w and its dual point in the exact problem, from streamed kernel values."""

    space: LandmarkSpace
    w: Array
    dual: Array
    b: float
    signs: Array
    problem: SquaresProblem
    value: float

    def distance(self, entries: int = ENTRIES) -> Distance:
        if self.work(1.0) > 2.0 * QUICK_ENTRIES * entries / ENTRIES:
            return UNKNOWN
        values = streamed_product(
            fast_kernel(self.space.raw, self.space.rows), self.space.rows, np.column_stack([self.w, self.dual])
        )
        scores, length = values[:, 0], float(np.linalg.norm(values[:, 1]))
        exact = 0.5 * float(self.w @ self.w) + sum(self.problem.loss(self.signs * (scores + self.b)).values())
        bound = _dual_value(self.problem, self.signs * self.dual, self.signs, length)
        far = max(exact, self.value), bound
        return Distance.between(far, far)

    def work(self, times: float) -> float:
        pairs = 0.5 * (times * len(self.signs)) ** 2
        return 2.0 * pairs if pairs <= QUICK_ENTRIES else 0.0


def _dual_value(problem: SquaresProblem, forces: Array, signs: Array, length: float) -> float:
    """Return the dual value of forces scaled by the best factor of at most 1.

    `length` is ||sum_i forces_i y_i phi(x_i)||.
    """
    point = problem.dual_point(forces, signs, None)
    linear = float(point.v.sum())
    bend = 0.5 * length**2 + point.conjugate + linear
    share = min(0.5 * linear / bend, 1.0) if bend > 0.0 else 1.0
    return share * linear - share**2 * bend


METHOD = Method(
    key="emamc",
    name="EMAMC",
    summary="Largest mean margin with every margin close to 1: an LS-SVM whose features are the kernel values.",
    estimator=EMAMC,
    latex=(
        r"\min_{w,b} \tfrac12\|w\|^2 + \tfrac C2\sum_{i=1}^M \bigl(1-y_i(w^\top\varphi(x_i)+b)\bigr)^2,\qquad "
        r"\varphi(x)=\bigl(k(x,x_1),\dots,k(x,x_M)\bigr)^\top"
    ),
    objective=objective,
    bias="own",
    space="kernel values",
    paper=Paper(
        "S. Abe",
        "Improving generalization abilities of maximal average margin classifiers",
        "ANNPR 2016",
        "Eqs. (30)-(37)",
        "10.1007/978-3-319-46182-3_3",
    ),
    color="#7F7F00",
    marks=marks,
    limits="The LSSVM with the kernel Σⱼ k(x, xⱼ) k(xⱼ, z). As C → 0, the direction from one class mean to the other.",
    support="examples with weight",
    complexity="One Cholesky factor, O(m³), in single precision if refinement makes up for it, and about thirty "
    "solutions with it; while C is varied, an eigendecomposition, after which every C costs O(m²).",
)
