"""Fits for many rows, in landmark features: number of landmarks, and gap to the exact kernel problem."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from mdcore.methods.base import MarginClassifier
from mdcore.methods.fit_result import FitResult, Sample
from mdcore.solvers.arrays import Array
from mdcore.spaces.exact_gap import UNKNOWN, Distance, DualBound
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace

AUTO = "auto"
FIRST = 128  # initial number of landmarks for "auto", doubled until
TARGET = 0.01  # the relative distance to the exact optimum is at most this,
MOST_WORK = 1e11  # or rows * landmarks² would exceed this
IN_SPAN = 1e-6  # smallest tolerance in landmark features, whose distance to the exact problem is larger


@dataclass(eq=False, repr=False, kw_only=True)
class LandmarkParams(MarginClassifier):
    """The parameter of a machine that can be restricted to the span of landmarks, a subset of the training rows.

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

    landmarks_: NDArray[np.intp] = field(init=False)
    landmarks_end_: str = field(init=False)
    _exact_: DualBound | None = field(init=False)
    _distances_: dict[int | None, Distance] = field(init=False)

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
        held = self.__dict__.get("_exact_")
        return 0.0 if held is None else float(held.work(times))

    def exact_distance(self, entries: int | None = None) -> Distance:
        """Return the ends of `exact_gap_interval_`, its confidence, and the values from which it is computed.

        With `entries`, they come from about so many kernel values at most, and are looser if more would be needed,
        unless the exact distance is already known.
        """
        check_is_fitted(self)
        known: dict[int | None, Distance] = self.__dict__.setdefault("_distances_", {})
        if None not in known and entries not in known:
            held = self.__dict__.get("_exact_")
            if held is None:
                known[None] = self._without_certificate()
            else:
                known[entries] = held.distance() if entries is None else held.distance(entries)
        return known[None] if None in known else known[entries]

    def quick_exact_gap(self, entries: int) -> tuple[float, float]:
        """Return `exact_gap_` and its confidence from about `entries` kernel values at most."""
        found = self.exact_distance(entries)
        return found.high, found.confidence

    def __getstate__(self) -> dict[str, Any]:
        if "_exact_" in self.__dict__:  # evaluated now, since it holds all rows and is not pickled
            self.exact_distance()
        return {name: value for name, value in super().__getstate__().items() if name != "_exact_"}

    def _without_certificate(self) -> Distance:
        return UNKNOWN if self.landmark_count else Distance(self.gap_, self.gap_)


def uses_landmarks(wanted: int | str | None, kernel: str, owner: str) -> bool:
    """Check `landmarks`, and return whether the model is restricted to their span; never with a linear kernel."""
    if wanted is None:
        return False
    number = isinstance(wanted, int | np.integer) and not isinstance(wanted, bool) and wanted >= 1
    if not (number or wanted == AUTO):
        raise ValueError(f"{owner}: landmarks must be None, 'auto' or an integer of at least 1; got {wanted!r}.")
    if kernel == "precomputed":
        raise ValueError(
            f"{owner}: landmarks replace the kernel matrix, which kernel='precomputed' requires. Set landmarks=None."
        )
    return kernel != "linear"


def landmark_space(X: Array, kernel: Kernel, wanted: int | str | None, held: KernelSpace | None) -> LandmarkSpace:
    """Return the space of the landmarks wanted: `held`, or a wider one, if that is of the same rows and kernel."""
    count = FIRST if wanted in (None, AUTO) else int(wanted)
    if isinstance(held, LandmarkSpace) and held.kernel == kernel and np.array_equal(held.rows, X):
        return held if wanted == AUTO or held.count == count else held.wider(count)
    return LandmarkSpace(X.copy(), kernel, min(count, len(X)))


def with_enough_landmarks(solve: Callable[[Sample], FitResult], sample: Sample) -> tuple[Sample, FitResult]:
    """Double the number of landmarks and solve again, each time from the last solution, until there is a reason to
    stop; return the last sample and result."""
    space = sample.space
    assert isinstance(space, LandmarkSpace)
    most = min(len(space), int((MOST_WORK / len(space)) ** 0.5))
    while True:
        result = solve(sample)
        if space.exhausted:
            return sample, result.and_fitted(landmarks_end_="rank")
        distance = UNKNOWN if result.exact is None else result.exact.distance()
        if distance.high <= TARGET or space.count >= most:
            end = "target" if distance.high <= TARGET else "budget"
            return sample, result.and_fitted(landmarks_end_=end, _distances_={None: distance})
        space = space.wider(min(2 * space.count, most))
        sample = replace(sample, space=space, last=result.last)
