"""The base class of kernel machines whose bias is a separate number that is not part of ||w||."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mdcore.methods.certified import CertifiedMachine
from mdcore.solvers.certificate import DualPoint, Problem, Vector
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace

Array = NDArray[np.float64]


class OwnBiasMachine(CertifiedMachine):
    """A kernel machine f(x) = sum_i dual_coef_i k(x_i, x) + offset_; with `fit_intercept=False`, offset_ is 0.

    The kernel has no constant feature, even if the space passed to `fit_space` has one.
    """

    own_bias: ClassVar[bool] = True

    def _kernel(self, X: Array, weight: Array | None) -> Kernel:
        return replace(super()._kernel(X, weight), bias=False)

    def _solve_in(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        super()._solve_in(space.plain, signs, weight)

    def _set_bias(self, offset: float) -> None:
        self.offset_ = offset
        if self.kernel_.name == "linear":
            self.intercept_ = np.array([offset])

    def _points(
        self, problem: Any, space: KernelSpace, signs: Array, w: Vector, forces: Array, g: Array, offset: float
    ) -> list[DualPoint]:
        reach = self._largest_bias(problem, space, signs, w, offset) if self.fit_intercept else None
        return [problem.dual_point(forces, signs, reach)]

    def _largest_bias(self, problem: Problem, space: KernelSpace, signs: Array, w: Vector, offset: float) -> float:
        """Return an upper bound on |b| at the optimum, where ||w||^2 is at most twice the value of the current model.

        The best b lies between the smallest and the largest y_i - f_i, extended by the deviation that costs nothing.
        """
        value = 0.5 * w.most + sum(problem.loss(signs * (w.scores + offset), w.blur).values())
        return float(1.0 + np.sqrt(2.0 * value) * self._longest_row(space))

    def _longest_row(self, space: KernelSpace) -> float:
        """Return the largest norm of a row in the feature space of w."""
        return float(space.lengths.max())
