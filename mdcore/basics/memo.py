"""Small caches: of the latest results, and of results that live as long as an object."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class LRUCache(Generic[T]):
    """A thread-safe LRU cache with limited total weight. Two threads may compute the same value at the same time."""

    def __init__(self, capacity: float, weight: Callable[[T], float] = lambda _: 1.0) -> None:
        self.capacity = capacity
        self.weight = weight
        self._values: OrderedDict[Hashable, T] = OrderedDict()
        self._total = 0.0
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T], accept: Callable[[T], bool] = lambda _: True) -> T:
        """Return the cached value if `accept` accepts it, else compute and store it."""
        with self._lock:
            if key in self._values and accept(self._values[key]):
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        self.put(key, value)
        return value

    def put(self, key: Hashable, value: T) -> None:
        """Store a value, and evict the least recently used values if there is no room, but never the latest."""
        with self._lock:
            if key in self._values:
                self._total -= self.weight(self._values.pop(key))
            self._values[key] = value
            self._total += self.weight(value)
            while self._total > self.capacity and len(self._values) > 1:
                _, dropped = self._values.popitem(last=False)
                self._total -= self.weight(dropped)

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._values

    def peek(self, key: Hashable) -> T | None:
        """Return the cached value, which counts as a use of it, or None; compute nothing."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._total = 0.0


def cached_while_alive(function: Callable[..., T]) -> Callable[..., T]:
    """Cache the results of a function of an object and hashable arguments for as long as the object exists."""
    caches: WeakKeyDictionary[Any, dict[tuple[Hashable, ...], T]] = WeakKeyDictionary()

    @wraps(function)
    def cached(subject: Any, *rest: Hashable) -> T:
        results = caches.setdefault(subject, {})
        if rest not in results:
            results[rest] = function(subject, *rest)
        return results[rest]

    return cached
