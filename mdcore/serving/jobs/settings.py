"""What the operator of a server sets by environment variables: limits on resources, and where long jobs run."""

from __future__ import annotations

import math
import os

CLUSTER = "MARGIN_LAB_DASK"


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


def cluster_address() -> str:
    """Return the address of the Dask scheduler, or "" without a cluster."""
    return os.environ.get(CLUSTER, "")
