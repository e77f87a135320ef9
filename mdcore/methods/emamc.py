"""Equality-constrained maximal average margin classifier (Abe 2016, section 2.5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mdcore.methods.base import differences
from mdcore.methods.certified import no_offset
from mdcore.methods.kernel_machine import Steps
from mdcore.methods.lssvm import marks, objective, squares_parameter, squares_problem
from mdcore.methods.own_bias import OwnBiasMachine
from mdcore.solvers.certificate import EPS, DualPoint, Vector, expansion, grown
from mdcore.solvers.least_squares import solve_in_kernel_values
from mdcore.space import KernelSpace
from mdcore.spec import Method, Paper, Setting

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class EMAMC(OwnBiasMachine):
    """The LS-SVM in the empirical feature space: the kernel values (k(x, x_1), ..., k(x, x_M)) are the features.

    Solves Eqs. (36)-(37), to which Eq. (33) reduces. `dual_coef_` is w itself, one weight for every kernel value, and
    `norm_` its length.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (
        squares_parameter((0.1, 1.0, 10.0, 50.0, 100.0, 500.0, 1000.0, 2000.0)),
    )

    C: float = 10.0
    warm_start: bool = field(default=False, kw_only=True)

    def _solve(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        problem = squares_problem(len(signs), self.settings()["C"], None)
        r = float(problem.r[0])
        w, dual, b = solve_in_kernel_values(*space.spectrum, signs, r, bias=self.fit_intercept)

        def points(model: Vector) -> list[DualPoint]:
            return self._points(problem, space, signs, model, signs * dual, np.empty(0), b)

        self.support_ = np.arange(len(signs))
        offset = partial(problem.best_offset, signs) if self.fit_intercept else no_offset
        self._settle(space, signs, problem, points, Steps(), w, offset=b, best_offset=offset)

    def _adopt(self, space: KernelSpace, a: Array, W: Array | None = None) -> Vector:
        """The coefficients are the weights of the kernel values, and their length is the norm."""
        w = super()._adopt(space, a, W)
        blur = expansion(space.gram, a, space.lengths, space.units).blur
        exact = Vector(w.scores, float(a @ a), blur, EPS * grown(len(a)) * float(a @ a))
        self.norm_, self.norm_error_ = exact.norm, exact.norm_error
        return exact

    def _tries(self, space: KernelSpace, a: Array) -> Iterator[tuple[Array, bool]]:
        """Every kernel value is a feature of its own."""
        yield a, False

    def _lower_bound(self, space: KernelSpace, point: DualPoint, signs: Array, w: Vector, *, sharp: bool) -> float:
        values = expansion(space.gram, signs * point.v, space.lengths, space.units)
        length, error = float(np.linalg.norm(values.scores)), float(np.linalg.norm(values.blur))
        return point.value(length**2, error * (2.0 * length + error), space.lengths)

    def apart_from(self, others: Sequence[Any]) -> Array:
        return differences(np.stack([model.dual_coef_ for model in others]), 2.0)

    def _longest_row(self, space: KernelSpace) -> float:
        return float(np.linalg.norm(space.gram, axis=1).max())


METHOD = Method(
    key="emamc",
    name="EMAMC",
    summary="Largest mean margin with every margin tied to 1: an LS-SVM whose features are the kernel values.",
    estimator=EMAMC,
    params=EMAMC.parameters,
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
    ),
    color="#7F7F00",
    marks=marks,
    limits="The LSSVM with the kernel Σⱼ k(x, xⱼ) k(xⱼ, z); C → 0 turns w to the difference of the classes' means.",
    support="examples with weight",
    complexity="One eigendecomposition of the Gram matrix, O(m³), after which every C costs O(m²).",
)
