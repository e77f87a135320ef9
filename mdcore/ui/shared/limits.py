"""What a server gives to one visitor and to all: limits that whoever runs it may set."""

from __future__ import annotations

import math
import os


def limit(variable: str, otherwise: float) -> float:
    """Return what the environment says, a number above 0; a ValueError where it says something else."""
    said = os.environ.get(variable, "").strip()
    if not said:
        return otherwise
    try:
        found = float(said)
    except ValueError:
        found = math.nan
    if not 0.0 < found < math.inf:
        raise ValueError(f"{variable} must be a number above 0; got {said[:40]!r}.")
    return found
