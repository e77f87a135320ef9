"""The latest complete comparisons on shared data: several visitors may ask for one, such as a class on one page."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from mdcore.basics.memo import LRUCache
from mdcore.study.comparison import Comparison
from mdcore.study.evaluation import Result
from mdcore.study.notes import Note

BYTES = 128 * 2**20


@dataclass(frozen=True, eq=False)
class Completed:
    """A complete comparison with its notes."""

    comparison: Comparison
    notes: tuple[Note, ...]

    @property
    def bytes(self) -> float:
        results = (outcome for outcome in self.comparison.outcomes if isinstance(outcome, Result))
        return float(sum(value.nbytes for r in results for value in vars(r).values() if isinstance(value, np.ndarray)))


_COMPLETED: LRUCache[Completed] = LRUCache(capacity=BYTES, weight=lambda found: found.bytes)


def completed(subject: Hashable) -> Completed | None:
    """Return what an earlier visitor's comparison of the same data and plan found, or None."""
    return _COMPLETED.peek(subject)


def keep(subject: Hashable, found: Completed) -> None:
    """Keep a comparison for all visitors: never one of a visitor's own table, nor one with failures, which may have
    been a lack of memory."""
    if found.comparison.complete and not found.comparison.failures:
        _COMPLETED.put(subject, found)


def forget_completed() -> None:
    _COMPLETED.clear()
