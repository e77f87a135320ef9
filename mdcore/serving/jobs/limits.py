"""Limits on the resources of one visitor and of all visitors, which the operator of a server can set."""

from __future__ import annotations

import math
import os


def limit(variable: str, otherwise: float) -> float:
    """Return the number in an environment variable, or `otherwise` if it is unset or empty.

    Raise ValueError if the value is not a finite number above 0.
    """
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
