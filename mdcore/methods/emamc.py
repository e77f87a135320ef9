"""Equality-constrained maximal average margin classifier (Abe 2016, section 2.5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mdcore.methods.lssvm import marks, objective, squares_parameter
from mdcore.methods.own_bias import OwnBiasMachine
from mdcore.solvers.least_squares import relative_gap, solve_in_kernel_values
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
        C = self.settings()["C"]
        w, a, b = solve_in_kernel_values(*space.spectrum, signs, 1.0 / C, bias=self.fit_intercept)
        margins = self._shift(self._adopt(space, signs, signs * w), signs, b)
        self.norm_ = float(np.linalg.norm(w))
        self.support_ = np.arange(len(signs))
        self.objective_ = objective(margins, self.norm_, C=C)
        self._conclude(relative_gap(self.norm_**2, a, signs * (1.0 - margins), signs, 1.0 / C))


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
