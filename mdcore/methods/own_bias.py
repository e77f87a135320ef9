"""What kernel machines share whose bias is a number of their own, outside ||w||."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from mdcore.kernels import Kernel
from mdcore.methods.kernel_machine import ROUNDED, KernelMachine
from mdcore.space import KernelSpace

Array = NDArray[np.float64]


class OwnBiasMachine(KernelMachine):
    """f(x) = sum_i dual_coef_i k(x_i, x) + offset_; `fit_intercept=False` leaves offset_ at 0.

    The kernel has no constant feature, whichever the space that `fit_space` is given.
    """

    own_bias: ClassVar[bool] = True

    def _kernel(self, X: Array, weight: Array | None) -> Kernel:
        return replace(super()._kernel(X, weight), bias=False)

    def _solve_in(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        super()._solve_in(space.plain, signs, weight)

    def _shift(self, margins: Array, signs: Array, offset: float) -> Array:
        """Take b as the bias of the model just adopted; the margins with it."""
        self.offset_ = offset
        if self.kernel_.name == "linear":
            self.intercept_ = np.array([offset])
        return margins + signs * offset

    def _conclude(self, gap: float) -> None:
        """The end of a closed form: rounding alone leaves a gap."""
        self.gap_, self.n_iter_, self.converged_ = gap, 1, bool(gap <= ROUNDED)
        if not self.converged_:
            self._warn_unconverged(f"rounding leaves a relative gap of {gap:.1e}. Scale the features.")
