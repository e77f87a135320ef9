"""The end of a fit with a convex problem: certify the model, and shorten w if rounding has spoilt it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.methods.base import Outcome
from mdcore.methods.kernel_machine import KernelMachine, Solved
from mdcore.solvers.certificate import ROUNDED, Certificate, DualPoint, Problem, Vector, best_length, certify
from mdcore.spaces.space import KernelSpace

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ending:
    """The model t w with a separate bias, and its certificate."""

    t: float
    w: Vector
    offset: float
    certificate: Certificate

    def is_proven(self, tol: float) -> bool:
        return self.certificate.gap <= max(tol, ROUNDED) and self.w.norm_error <= ROUNDED


def no_offset(margins: Array) -> float:
    return 0.0


class CertifiedMachine(KernelMachine):
    """A kernel machine that minimises 1/2 ||w||^2 plus a convex loss of the margins, so that dual points certify it."""

    tol: float = ROUNDED  # for closed forms, which only rounding keeps from the optimum

    def _adopt_certified(
        self,
        space: KernelSpace,
        labels: NDArray[Any],
        problem: Problem,
        points: Callable[[Vector], list[DualPoint]],
        solved: Solved,
        a: Array,
        W: Array | None = None,
        offset: float = 0.0,
        best_offset: Callable[[Array], float] = no_offset,
    ) -> None:
        """Adopt w = sum_i a_i phi(x_i) and finish the fit.

        If w is not certified, because rounding has spoilt it, adopt t w with the best t instead, or w = 0 if only that
        is certified. `points` returns dual points for w, and `best_offset` the best bias for given scores.
        """
        tol = self._tolerance()

        def ending(t: float, g: Vector, lower: float) -> Ending:
            shorter = g.times(t)
            b = offset if t == 1.0 else best_offset(shorter.scores)
            margins = shorter.scores + labels * b if b else shorter.scores
            certificate = certify(problem, shorter.square, shorter.slack, margins, shorter.blur, lower)
            return Ending(t, shorter, b, certificate)

        def best_bound(w: Vector, *, sharp: bool) -> float:
            return max(self._lower_bound(space, point, labels, w, sharp=sharp) for point in points(w))

        ends = []
        for coefficients, sharp in self._candidates(space, a):
            w = self._adopt(space, coefficients, W)
            if sharp:
                w = self._sharpen(space, w)
            g, lower = self._margin_vector(w, labels), best_bound(w, sharp=sharp)
            ends.append((coefficients, ending(1.0, g, lower)))
            if ends[-1][1].is_proven(tol) or not solved.converged:
                break
        a, end = min(reversed(ends), key=lambda one: one[1].certificate.gap)
        if not end.is_proven(tol):
            best = ending(best_length(problem, end.w, labels, best_offset), end.w, lower)
            end = next((one for one in (best, ending(0.0, end.w, lower)) if one.is_proven(tol)), best)
        if len(ends) > 1 or end.t < 1.0:
            self._adopt(space, end.t * a, None if W is None else end.t * W)
        self.norm_, self.norm_error_ = end.w.norm, end.w.norm_error
        self._finish_with(end, solved, tol)

    def _points(
        self, problem: Any, space: KernelSpace, signs: Array, w: Vector, forces: Array, g: Array, offset: float
    ) -> list[DualPoint]:
        """Return dual points for w, made from the `forces` of the examples; `g` are the solver's margins."""
        return [problem.dual_point(forces)]

    def _candidates(self, space: KernelSpace, a: Array) -> Iterator[tuple[Array, bool]]:
        """Yield coefficients to try for w, and whether to certify them in extended precision.

        The last coefficients are projected on the span of the Gram matrix: their other part adds nothing to w.
        """
        yield a, False
        if space.is_linear:
            return
        yield a, True
        if space.has_room:
            yield space.basis @ (space.basis.T @ a), True

    def _sharpen(self, space: KernelSpace, w: Vector) -> Vector:
        return space.with_precise_length(self.dual_coef_, w)

    def _margin_vector(self, w: Vector, labels: NDArray[Any]) -> Vector:
        """Return w with margins instead of scores."""
        return replace(w, scores=labels * w.scores)

    def _finish_with(self, end: Ending, solved: Solved, tol: float) -> None:
        gap, error = end.certificate.gap, end.w.norm_error
        missing = f"relative duality gap {gap:.1e} after {solved.n_iter} iterations."
        if gap <= max(tol, ROUNDED) and error > ROUNDED:
            missing = f"rounding limits the accuracy of ‖w‖ to {100.0 * error:.2g} %. Scale the features."
        elif end.t < 1.0:
            missing += " Rounding errors are too large, and w is replaced by a shorter multiple. Scale the features."
        self._set_bias(end.offset)
        self._finish(
            Outcome(
                end.certificate.objective,
                gap,
                solved.n_iter,
                end.is_proven(tol) and (solved.converged or gap <= tol or end.t < 1.0),
                missing,
            )
        )

    def _lower_bound(
        self, space: KernelSpace, point: DualPoint, labels: NDArray[Any], w: Vector, *, sharp: bool
    ) -> float:
        return space.lower_bound(point, labels, self.dual_coef_, w, sharp=sharp)

    def _set_bias(self, offset: float) -> None:
        """Set the bias of a machine whose bias is not part of w; other machines ignore it."""
