"""The place where long jobs run: this process, or the Dask cluster named by an environment variable."""

from __future__ import annotations

import os

CLUSTER = "MARGIN_LAB_DASK"


def cluster_address() -> str:
    """Return the address of the Dask scheduler, or "" without a cluster."""
    return os.environ.get(CLUSTER, "")
