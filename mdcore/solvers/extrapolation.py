"""Anderson's extrapolation, which reaches the limit of a fixed-point iteration in fewer steps."""

from __future__ import annotations

from collections import deque

import numpy as np

from mdcore.solvers.arrays import Array

MEMORY = 6  # steps that are combined
GROWTH = 2.0  # growth of the change over its least size at which earlier steps are forgotten
NEGLIGIBLE = 1e-10  # relative size of a singular value that counts as zero


class Extrapolation:
    """The combination of the states after the last steps, with weights that sum to one, for which the same combination
    of their changes is shortest."""

    def __init__(self) -> None:
        self._states: deque[Array] = deque(maxlen=MEMORY)
        self._changes: deque[Array] = deque(maxlen=MEMORY)
        self._least = np.inf

    def after(self, state: Array, change: Array) -> Array:
        """Return the extrapolated state, given the state after one more step and the step's change."""
        size = float(np.linalg.norm(change))
        if size > GROWTH * self._least:
            self._states.clear()
            self._changes.clear()
        self._least = min(self._least, size)
        self._states.append(state)
        self._changes.append(change)
        if len(self._changes) == 1:
            return state
        differences = np.diff(np.array(self._changes), axis=0)
        square = differences @ differences.T
        weights = np.linalg.lstsq(square, differences @ change, rcond=NEGLIGIBLE)[0]
        return state - np.tensordot(weights, np.diff(np.array(self._states), axis=0), axes=1)
