"""Kernel machines for many rows, in landmark features: number of landmarks, and gap to the exact kernel problem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mdcore.methods import distances
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.solvers.certificate import Vector, explicit
from mdcore.spaces.exact_gap import UNKNOWN, Distance, DualBound
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace

Array = NDArray[np.float64]

AUTO = "auto"
FIRST = 128  # initial number of landmarks for "auto", doubled until
TARGET = 0.01  # the relative distance to the exact optimum is at most this,
MOST_WORK = 1e11  # or rows * landmarks² would exceed this
IN_SPAN = 1e-6  # smallest tolerance in landmark features, whose distance to the exact problem is larger


@dataclass(eq=False, repr=False, kw_only=True)
class LandmarkMachine(KernelMachine):
    """A kernel machine that can be restricted to the span of landmarks, a subset of the training rows.

    `landmarks` is None for the exact kernel problem, the number of landmarks, or "auto", which adds landmarks until
    `exact_gap_` is at most 1 % or a fit would take too long; `landmarks_end_` then tells why it stopped: "target",
    "budget", or "rank" if no row could add to the span. The linear kernel uses no landmarks.

    `gap_` is the gap of the restricted problem; `exact_gap_` bounds the relative distance to the optimum of the exact
    kernel problem. It is nan if no bound is available, as for problems that are not convex, and infinite if more
    landmarks are needed to decide whether that optimum is above zero. With many support vectors it is an estimate: the
    upper end of `exact_gap_interval_`, a confidence interval at level `exact_gap_confidence_`. It is computed on first
    access.
    """

    explicit: ClassVar[bool] = True

    landmarks: int | str | None = None

    beta_: Array = field(init=False)
    landmarks_: NDArray[np.intp] = field(init=False)
    landmarks_end_: str = field(init=False)
    _in_span: Array = field(init=False)
    _certificate: DualBound | None = field(init=False)
    _distance: Distance = field(init=False)
    _quick_distance: Distance = field(init=False)

    @property
    def exact_gap_(self) -> float:
        return self.exact_distance().high

    @property
    def exact_gap_interval_(self) -> tuple[float, float]:
        """Lower and upper end of the relative distance to the largest exact dual value that is known."""
        found = self.exact_distance()
        return found.low, found.high

    @property
    def exact_gap_confidence_(self) -> float:
        """Confidence level of `exact_gap_interval_`; 1 if no kernel value was left out."""
        return self.exact_distance().confidence

    def exact_gap_work(self, times: float = 1.0) -> float:
        """Return the cost, in kernel values, of `exact_gap_` for `times` as many rows; 0 without landmarks."""
        held = self.__dict__.get("_certificate")
        return 0.0 if held is None else float(held.work(times))

    def exact_distance(self) -> Distance:
        """Return the ends of `exact_gap_interval_`, its confidence, and the values from which it is computed."""
        check_is_fitted(self)
        known = self.__dict__.get("_distance")
        if known is None:
            held = self.__dict__.get("_certificate")
            known = self._distance = self._without_certificate() if held is None else held.distance()
        return known

    def quick_exact_gap(self, entries: int) -> tuple[float, float]:
        """Return `exact_gap_` and its confidence from about `entries` kernel values at most: a looser bound if more
        would be needed. An exact distance that is already known is returned instead."""
        found = self.quick_distance(entries)
        return found.high, found.confidence

    def quick_distance(self, entries: int) -> Distance:
        held = self.__dict__.get("_certificate")
        if held is None or "_distance" in self.__dict__:
            return self.exact_distance()
        if "_quick_distance" not in self.__dict__:
            self._quick_distance = held.distance(entries)
        return self._quick_distance

    def _without_certificate(self) -> Distance:
        return UNKNOWN if self.landmark_count else Distance(self.gap_, self.gap_)

    def _space_of(self, X: Any, weight: Array | None) -> KernelSpace:
        if not self._uses_landmarks():
            return super()._space_of(X, weight)
        held = getattr(self, "_space", None) if self.warm_start else None
        kernel = self._kernel(X, weight)
        count = FIRST if self.landmarks == AUTO else int(self.landmarks)  # type: ignore[arg-type]
        if isinstance(held, LandmarkSpace) and held.kernel == kernel and np.array_equal(held.rows, X):
            return held if self.landmarks == AUTO or held.count == count else held.wider(count)
        return LandmarkSpace(X.copy(), kernel, min(count, len(X)))

    def _uses_landmarks(self) -> bool:
        """Check `landmarks`, and return whether the model is restricted to their span; never with a linear kernel."""
        wanted = self.landmarks
        if wanted is None:
            return False
        number = isinstance(wanted, int | np.integer) and not isinstance(wanted, bool) and wanted >= 1
        if not (number or wanted == AUTO):
            raise ValueError(
                f"{type(self).__name__}: landmarks must be None, 'auto' or an integer of at least 1; got {wanted!r}."
            )
        if self.kernel == "precomputed":
            raise ValueError(
                f"{type(self).__name__}: landmarks replace the kernel matrix, which kernel='precomputed' requires. Set "
                "landmarks=None."
            )
        return self.kernel != "linear"

    def _needs_gram(self, kernel: str, shape: tuple[int, ...]) -> bool:
        return not self._uses_landmarks() and super()._needs_gram(kernel, shape)

    def _solve_in(self, space: KernelSpace, signs: NDArray[Any], weight: Array | None) -> None:
        self._delete_fitted("landmarks_", "landmarks_end_", "_certificate", "_distance", "_quick_distance")
        super()._solve_in(space, signs, weight)
        if isinstance(space, LandmarkSpace) and self.landmarks == AUTO:
            self._add_landmarks(space, signs, weight)

    def _add_landmarks(self, space: LandmarkSpace, signs: NDArray[Any], weight: Array | None) -> None:
        """Double the number of landmarks and fit again, until `_ending` gives a reason to stop."""
        most = min(len(space), int((MOST_WORK / len(space)) ** 0.5))
        while (end := self._ending(space, most)) is None:
            space = space.wider(min(2 * space.count, most))
            self._delete_fitted("_certificate", "_distance", "_quick_distance")
            super()._solve_in(space, signs, weight)
        self.landmarks_end_ = end
        if not self.warm_start:
            self._delete_fitted("_last")

    def _ending(self, space: LandmarkSpace, most: int) -> str | None:
        if space.exhausted:
            return "rank"
        if self.exact_gap_ <= TARGET:
            return "target"
        return "budget" if space.count >= most else None

    def _adopt_expansion(self, space: LandmarkSpace, w: Array) -> None:
        """Set the model to the feature weights `w`, as coefficients of the landmarks, with a column for each class."""
        n = len(space.landmarks)
        self._delete_fitted("coef_", "intercept_")
        self.landmarks_, self.kernel_, self.X_fit_ = space.landmarks, space.raw, space.span
        self.dual_coef_ = space.coefficients(w[:n])
        self.offset_ = 0.0 if len(w) == n else float(w[n]) if w.ndim == 1 else w[n]
        self._in_span, self._reach = space.less_constant(w[:n]), space.expansion.reach
        self._apart = self._weights_apart(np.atleast_2d(self._in_span.T))

    def _adopt_weights(self, space: KernelSpace, W: Array) -> Vector:
        """Set the model to the weights `W` of the explicit features, for methods without coefficients of rows."""
        if not isinstance(space, LandmarkSpace):
            w = self._adopt(space, np.zeros(len(space)), W)
            self._delete_fitted("dual_coef_")
            return w
        self._adopt_expansion(space, W)
        w = explicit(space.root, W, space.lengths)
        self.norm_, self.norm_error_ = w.norm, w.norm_error
        self._scores = w.scores - self.offset_
        return w

    def norms_between(self, others: Sequence[Any]) -> Array:
        if not self.landmark_count:
            return super().norms_between(others)
        return distances.of_weights(np.stack([model._in_span for model in others]))

    def _extend_to_all_rows(self, kept: NDArray[np.intp], X: Array) -> None:
        if not self.landmark_count:
            super()._extend_to_all_rows(kept, X)
            return
        self.landmarks_, self.support_ = kept[self.landmarks_], kept[self.support_]
        self._delete_fitted("_scores")
        if hasattr(self, "beta_"):
            whole = np.zeros((X.shape[0], *self.beta_.shape[1:]))
            whole[kept] = self.beta_
            self.beta_ = whole

    def __getstate__(self) -> dict[str, Any]:
        if "_certificate" in self.__dict__:  # evaluated now, since it holds all rows and is not pickled
            self.exact_distance()
        state = super().__getstate__()
        state.pop("_certificate", None)
        return state
