"""Small caches: of the latest results, and of results that live as long as an object."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


class Recent(Generic[T]):
    """A thread-safe LRU cache with limited total weight. Two threads may compute the same value at the same time."""

    def __init__(self, room: float, weight: Callable[[T], float] = lambda _: 1.0) -> None:
        self.room = room
        self.weight = weight
        self._held: OrderedDict[Hashable, T] = OrderedDict()
        self._filled = 0.0
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], T], will_do: Callable[[T], bool] = lambda _: True) -> T:
        """Return the cached value if `will_do` accepts it, else compute and store it."""
        with self._lock:
            if key in self._held and will_do(self._held[key]):
                self._held.move_to_end(key)
                return self._held[key]
        value = make()
        self.put(key, value)
        return value

    def put(self, key: Hashable, value: T) -> None:
        """Store a value, and evict the least recently used values if there is no room, but never the latest."""
        with self._lock:
            if key in self._held:
                self._filled -= self.weight(self._held.pop(key))
            self._held[key] = value
            self._filled += self.weight(value)
            while self._filled > self.room and len(self._held) > 1:
                _, dropped = self._held.popitem(last=False)
                self._filled -= self.weight(dropped)

    def __contains__(self, key: Hashable) -> bool:
        with self._lock:
            return key in self._held

    def peek(self, key: Hashable) -> T | None:
        """Return the cached value, or None; compute nothing."""
        with self._lock:
            return self._held.get(key)

    def clear(self) -> None:
        with self._lock:
            self._held.clear()
            self._filled = 0.0


def while_it_lives(function: Callable[..., T]) -> Callable[..., T]:
    """Cache the results of a function of an object and hashable arguments for as long as the object exists."""
    kept: WeakKeyDictionary[Any, dict[tuple[Hashable, ...], T]] = WeakKeyDictionary()

    @wraps(function)
    def remembered(subject: Any, *rest: Hashable) -> T:
        own = kept.setdefault(subject, {})
        if rest not in own:
            own[rest] = function(subject, *rest)
        return own[rest]

    return remembered
