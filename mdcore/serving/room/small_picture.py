"""The presenter's picture for the audience's phones: the stage's message with fewer nodes and examples."""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.class_marks import CLASS_MARKS
from mdcore.data import OWN
from mdcore.serving.stage.arrays import Arrays, named
from mdcore.serving.stage.message import decode, encode
from mdcore.serving.stage.packed_field import GRID, LARGEST

# Entries of the header that the views on a phone read.
ENTRIES = ("methods", "classes", "canEdit", "plane", "split", "histogram", "query", "values", "drawn", "probe")
POINTS = 400  # drawn: more would only hide each other
STRIDE = 3  # between nodes of the grid, whose outermost nodes are kept
STEPS = 1000  # of a curve
FULL = 255  # certainty of a region


def small_picture(message: bytes) -> str | None:
    """Return a message of the stage as text for phones; None if it has no picture, or one of a private table."""
    header, arrays = decode(message)
    if "panels" not in header or header["source"].startswith(OWN):
        return None
    rows = max(1, -(-len(arrays["row"]) // POINTS))
    small = {name: _thinned(name.partition(":")[0], array, rows) for name, array in arrays.items()}
    panels = []
    for panel in header["panels"]:
        grids = _grids_of(panel, arrays)
        small |= grids
        panels.append(panel | {"grid": len(next(iter(grids.values()), ()))})
    marks = [asdict(mark) for mark in CLASS_MARKS]
    content = {**{name: header[name] for name in ENTRIES}, "panels": panels, "classMarks": marks}
    packed = encode(content, {name: array for name, array in small.items() if array is not None})
    return base64.b64encode(zlib.compress(packed)).decode()


def _thinned(kind: str, array: NDArray[Any], rows: int) -> NDArray[Any] | None:
    """Return what phones draw of an array, or None."""
    match kind:
        case "x" | "y" | "label" | "part" | "row" | "flag" | "predicted":
            return array[::rows]
        case "margin":
            return array[::rows].astype(np.float32)
        case "curve":
            return array[:: max(1, len(array) // STEPS)].astype(np.float32)
    return None


def _grids_of(panel: dict[str, Any], arrays: Arrays) -> Arrays:
    """Return the grids of a panel, with fewer nodes unless that would move its contours."""
    names = (named(kind, panel["key"]) for kind in ("field", "region", "certainty"))
    grids = {name: arrays[name].reshape(GRID, GRID) for name in names if name in arrays}
    fewer = {name: grid[::STRIDE, ::STRIDE] for name, grid in grids.items()}
    return fewer if _resolves(panel, *fewer.values()) else grids


def _resolves(panel: dict[str, Any], *grids: NDArray[Any]) -> bool:
    """Return whether each contour between two nodes is interpolated from values that are not clipped."""
    match grids:
        case (field,):
            sides = np.digitize(field, np.array(panel["levels"]) * panel["fieldScale"])
            clipped = np.abs(field) >= LARGEST
        case (region, certainty):
            sides, clipped = region, certainty == FULL
        case _:
            return True
    pairs = ((sides[1:] != sides[:-1]) & (clipped[1:] | clipped[:-1])).any()
    return not pairs and not ((sides[:, 1:] != sides[:, :-1]) & (clipped[:, 1:] | clipped[:, :-1])).any()
