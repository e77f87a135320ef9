"""The BLAS and OpenMP libraries, whose number of threads can be limited."""

from __future__ import annotations

from functools import cache

import numpy as np  # noqa: F401
import scipy.linalg  # noqa: F401
import sklearn.utils  # noqa: F401  # these three imports load all of the libraries
from threadpoolctl import ThreadpoolController


@cache
def libraries() -> ThreadpoolController:
    """Return the controller of their threads, cached because finding the libraries takes longer than a small fit."""
    return ThreadpoolController()
