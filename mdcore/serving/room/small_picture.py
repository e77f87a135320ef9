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
from mdcore.serving.stage.message import decode, encode
from mdcore.serving.stage.packed_field import GRID

ENTRIES = (
    "methods",
    "classes",
    "canEdit",
    "plane",
    "split",
    "histogram",
    "panels",
    "query",
    "values",
    "drawn",
    "probe",
)
POINTS = 400  # drawn: more would only hide each other
STRIDE = 3  # between nodes of the grid, whose outermost nodes are kept
STEPS = 1000  # of a curve


def small_picture(message: bytes) -> str | None:
    """Return a message of the stage as text for phones; None if it has no picture, or one of a private table."""
    header, arrays = decode(message)
    if "panels" not in header or header["source"].startswith(OWN):
        return None
    stride = max(1, -(-len(arrays["row"]) // POINTS))
    small = {name: _thinned(name.partition(":")[0], array, stride) for name, array in arrays.items()}
    nodes = len(range(0, GRID, STRIDE))
    content = {
        **{name: header[name] for name in ENTRIES},
        "panels": [panel | {"grid": nodes} for panel in header["panels"]],
        "classMarks": [asdict(mark) for mark in CLASS_MARKS],
    }
    packed = encode(content, {name: array for name, array in small.items() if array is not None})
    return base64.b64encode(zlib.compress(packed)).decode()


def _thinned(kind: str, array: NDArray[Any], stride: int) -> NDArray[Any] | None:
    """Return what phones draw of an array, or None."""
    match kind:
        case "x" | "y" | "label" | "part" | "row" | "flag" | "predicted":
            return array[::stride]
        case "margin":
            return array[::stride].astype(np.float32)
        case "field" | "region" | "certainty":
            return array.reshape(GRID, GRID)[::STRIDE, ::STRIDE]
        case "curve":
            shown = np.rint(np.linspace(0, len(array) - 1, min(len(array), STEPS))).astype(int)
            return array[shown].astype(np.float32)
    return None
