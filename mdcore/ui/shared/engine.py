"""Where long jobs are computed: in this process, or on the cluster that the environment names."""

from __future__ import annotations

import os

CLUSTER = "MARGIN_LAB_DASK"


def cluster_address() -> str:
    """Return the scheduler's address; "" where there is no cluster."""
    return os.environ.get(CLUSTER, "")
