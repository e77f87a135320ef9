"""The BLAS and OpenMP libraries, whose number of threads can be limited."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from threading import Lock

import numpy as np  # noqa: F401
import scipy.linalg  # noqa: F401
import sklearn.utils  # noqa: F401  # these three imports load all of the libraries
from threadpoolctl import OpenBLASController, ThreadpoolController

SMALL = 3000  # below this many rows, a second BLAS thread makes nothing faster


@cache
def libraries() -> ThreadpoolController:
    """Return the controller of their threads, cached because finding the libraries takes longer than a small fit."""
    return ThreadpoolController()


class _OneThread:
    """A context manager that limits BLAS to one thread while any caller is inside.

    The limit applies to the whole process, in which several fits may run concurrently. The last caller to leave
    restores the limit, even from another thread than the one that set it: threadpoolctl ignores calls from threads
    other than the first to limit OpenBLAS, unless that thread is cleared.
    """

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limits = libraries().limit(limits=1, user_api="blas")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                OpenBLASController.clear_controlling_thread(force=True)
                self._limits.restore_original_limits()
                OpenBLASController.clear_controlling_thread()


_ONE_THREAD = _OneThread()


def one_blas_thread(m: int) -> AbstractContextManager[None]:
    """Return a context that limits BLAS to one thread if m < SMALL, and does nothing otherwise."""
    return _ONE_THREAD if m < SMALL else nullcontext()
