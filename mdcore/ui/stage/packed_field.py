"""The function of a panel as 16-bit numbers: fine where the boundary is, clipped where only the colour counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GRID = 100
REACH = 4.0  # in units of the outer contours: no deeper colour beyond
LARGEST = 32000


def pack_field(f: Array, unit: float) -> tuple[NDArray[np.int16], float]:
    """f on a grid in whole numbers, and how many of them make one of f.

    It reaches as far as f jumps from node to node across zero, as the contour between them is interpolated. Where f
    stays below the outer contours it is measured by itself: the boundary is there however small f is.
    """
    largest = float(np.abs(f).max()) or unit
    reach = max(REACH * min(unit, largest), _largest_jump(f))
    scale = LARGEST / reach
    return np.rint(np.clip(f, -reach, reach) * scale).astype(np.int16), scale


def _largest_jump(f: Array) -> float:
    """Return the largest |f| next to a change of sign."""
    size, largest = np.abs(f), 0.0
    for a, b, first, second in (
        (f[1:], f[:-1], size[1:], size[:-1]),
        (f[:, 1:], f[:, :-1], size[:, 1:], size[:, :-1]),
    ):
        crossing = a * b < 0.0
        if crossing.any():
            largest = max(largest, float(first[crossing].max()), float(second[crossing].max()))
    return largest
