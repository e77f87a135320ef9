"""What kernel machines share whose bias is a number of their own, outside ||w||."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from mdcore.kernels import Kernel
from mdcore.methods.certified import CertifiedMachine
from mdcore.solvers.certificate import DualPoint, Problem, Vector
from mdcore.space import KernelSpace

Array = NDArray[np.float64]


class OwnBiasMachine(CertifiedMachine):
    """f(x) = sum_i dual_coef_i k(x_i, x) + offset_; `fit_intercept=False` leaves offset_ at 0.

    The kernel has no constant feature, whichever the space that `fit_space` is given.
    """

    own_bias: ClassVar[bool] = True

    def _kernel(self, X: Array, weight: Array | None) -> Kernel:
        return replace(super()._kernel(X, weight), bias=False)

    def _solve_in(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        super()._solve_in(space.plain, signs, weight)

    def _shift_to(self, offset: float) -> None:
        self.offset_ = offset
        if self.kernel_.name == "linear":
            self.intercept_ = np.array([offset])

    def _points(
        self, problem: Any, space: KernelSpace, signs: Array, w: Vector, forces: Array, g: Array, offset: float
    ) -> list[DualPoint]:
        reach = self._reach(problem, space, signs, w, offset) if self.fit_intercept else None
        return [problem.dual_point(forces, signs, reach)]

    def _reach(self, problem: Problem, space: KernelSpace, signs: Array, w: Vector, offset: float) -> float:
        """Return what |b| does not exceed at the optimum, whose ||w||^2 is at most twice the value of the model at
        hand.

        The best b lies among the y_i - f_i, give or take what a deviation may be for nothing.
        """
        value = 0.5 * w.most + sum(problem.loss(signs * (w.scores + offset), w.blur).values())
        return float(1.0 + np.sqrt(2.0 * value) * self._longest_row(space))

    def _longest_row(self, space: KernelSpace) -> float:
        """Of the features in which w lives."""
        return float(space.lengths.max())
