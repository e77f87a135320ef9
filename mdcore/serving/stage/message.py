"""The binary message to the browser: a JSON header, then typed arrays, each aligned to eight bytes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 8
CODES = {"float64": "f64", "float32": "f32", "int16": "i16", "uint8": "u8", "int32": "i32"}


def encode(header: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Encode as the header's length (uint32), the header with the offset of every array, and the arrays."""
    places, chunks, offset = {}, [], 0
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array).tobytes()
        places[name] = {"offset": offset, "length": array.size, "dtype": CODES[array.dtype.name]}
        chunks.append(raw.ljust(_aligned(len(raw)), b"\0"))
        offset += len(chunks[-1])
    text = json.dumps({**header, "arrays": places}, allow_nan=False, separators=(",", ":")).encode()
    text = text.ljust(_aligned(4 + len(text)) - 4, b" ")
    return b"".join([np.uint32(len(text)).tobytes(), text, *chunks])


def decode(message: bytes) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Decode a message, for tests and tools: the inverse of `encode`."""
    names = {code: name for name, code in CODES.items()}
    length = int(np.frombuffer(message, np.uint32, 1)[0])
    header = json.loads(message[4 : 4 + length])
    arrays = {
        name: np.frombuffer(message, names[at["dtype"]], at["length"], 4 + length + at["offset"])
        for name, at in header.pop("arrays").items()
    }
    return header, arrays


def finite(value: float) -> float | None:
    """Return the number, or None for NaN and infinities, which JSON cannot represent."""
    return float(value) if math.isfinite(value) else None


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
