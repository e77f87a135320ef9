"""The caches of the results of experiments, bounded by number or memory; users' own tables have caches of their own."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

from mdcore.basics.memo import LRUCache
from mdcore.data import OwnSource, Prepared
from mdcore.data.splitting import Rows
from mdcore.experiment.query import KernelKey
from mdcore.experiment.run import Fit
from mdcore.methods.online.trace import Trace
from mdcore.spaces.landmarks import FixedLandmarks, LandmarkSpace
from mdcore.spaces.space import KernelSpace

MEGABYTE = 2**20
LARGE_FITS = 8  # fits cached for samples too large for an exact kernel problem
BYTES_PER_PAIR = 40.0  # two Gram matrices, with and without the constant feature, and three derived ones
BYTES_PER_RESULT = 2000.0  # of one fit of a sweep, besides its rows


class ResultCaches:
    """The caches of the latest results."""

    def __init__(self, space_bytes: float, fits: int) -> None:
        self.prepared: LRUCache[Prepared] = LRUCache(capacity=64)
        self.spaces: LRUCache[KernelSpace] = LRUCache(capacity=space_bytes, weight=_bytes_of)
        # Separate caches, because the kinds that one drag needs must not evict each other.
        self.landmark_spaces: LRUCache[LandmarkSpace] = LRUCache(capacity=space_bytes, weight=_bytes_of)
        self.samples: LRUCache[KernelSpace] = LRUCache(capacity=space_bytes / 2, weight=_bytes_of)
        self.landmarks: LRUCache[FixedLandmarks] = LRUCache(capacity=64)  # landmarks of all rows, by kernel
        self.landmark_kernels: LRUCache[KernelKey] = LRUCache(capacity=8)  # the last with so many landmarks, by data
        self.sample_rows: LRUCache[tuple[Rows, Rows]] = LRUCache(capacity=8)
        self.previews: LRUCache[Any] = LRUCache(capacity=8)  # models to continue from
        self.fits: LRUCache[Fit] = LRUCache(capacity=fits)
        self.large_fits: LRUCache[Fit] = LRUCache(capacity=LARGE_FITS)
        self.sweeps: LRUCache[Any] = LRUCache(capacity=space_bytes / 8, weight=_bytes_of_results)
        self.comparisons: LRUCache[Any] = LRUCache(capacity=space_bytes / 4, weight=lambda found: float(found.bytes))
        self.tuned: LRUCache[Any] = LRUCache(capacity=fits)  # what study/picture_tuning.py chose for a method
        self.traces: LRUCache[Trace] = LRUCache(capacity=space_bytes / 2, weight=lambda trace: float(trace.nbytes))

    def clear(self) -> None:
        for cache in vars(self).values():
            cache.clear()


def _bytes_of(space: KernelSpace) -> float:
    if isinstance(space, LandmarkSpace):
        return 2.0 * space.bytes
    return BYTES_PER_PAIR * len(space) ** 2


def _bytes_of_results(results: Any) -> float:
    """Return the memory of the results of a sweep, of which most are the rows of every fit."""
    return float(sum(BYTES_PER_RESULT + result.rows.nbytes + result.correct.nbytes for result in results))


_SHARED = ResultCaches(512 * MEGABYTE, fits=256)
_OWN: WeakKeyDictionary[OwnSource, ResultCaches] = WeakKeyDictionary()


def caches_of(own: OwnSource | None) -> ResultCaches:
    """Return the caches of a user's own table, which are freed together with it, or the shared caches for None."""
    if own is None:
        return _SHARED
    return _OWN.get(own) or _OWN.setdefault(own, ResultCaches(64 * MEGABYTE, fits=32))


def clear_caches() -> None:
    for caches in (_SHARED, *_OWN.values()):
        caches.clear()
