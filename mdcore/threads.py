"""The libraries that use threads of their own, BLAS and OpenMP, found once."""

from __future__ import annotations

from functools import cache

import numpy as np  # noqa: F401
import scipy.linalg  # noqa: F401
import sklearn.utils  # noqa: F401  # by these three all of the libraries are loaded
from threadpoolctl import ThreadpoolController


@cache
def libraries() -> ThreadpoolController:
    """Return what limits their threads: to find them takes milliseconds, more than a small fit."""
    return ThreadpoolController()
