"""The decision function of a panel as 16-bit integers: precise near the boundary, clipped where only the colour
matters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array

GRID = 100
REACH = 4.0  # in units of the outer contours: the colour is constant beyond
LARGEST = 32000


def pack_field(f: Array, unit: float) -> tuple[NDArray[np.int16], float]:
    """Return f on the grid as integers, and the scale: the integer that represents f = 1.

    The range covers the largest jump of f across zero between neighbouring nodes, as the contour is interpolated
    between them. Where |f| stays below the outer contours, the range is relative to max |f|, so that the boundary is
    precise however small f is.
    """
    largest = float(np.abs(f).max()) or unit
    reach = max(REACH * min(unit, largest), _largest_jump(f))
    scale = LARGEST / reach
    return np.rint(np.clip(f, -reach, reach) * scale).astype(np.int16), scale


def _largest_jump(f: Array) -> float:
    """Return the largest |f| at a node next to a change of sign."""
    size, largest = np.abs(f), 0.0
    for a, b, first, second in (
        (f[1:], f[:-1], size[1:], size[:-1]),
        (f[:, 1:], f[:, :-1], size[:, 1:], size[:, :-1]),
    ):
        crossing = a * b < 0.0
        if crossing.any():
            largest = max(largest, float(first[crossing].max()), float(second[crossing].max()))
    return largest
