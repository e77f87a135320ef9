"""The cache of recent results."""

from __future__ import annotations

from mdcore.basics.memo import LRUCache


def test_a_result_is_made_once_and_the_least_used_goes_first() -> None:
    made: list[str] = []
    recent: LRUCache[str] = LRUCache(capacity=2)

    def ask(key: str) -> str:
        return recent.get(key, lambda: made.append(key) or key)  # type: ignore[func-returns-value]

    for key in ("a", "b", "a", "c", "a", "b"):
        assert ask(key) == key
    assert made == ["a", "b", "c", "b"]
    assert "a" in recent
    assert "c" not in recent
    assert (recent.peek("a"), recent.peek("c")) == ("a", None)
    assert made == ["a", "b", "c", "b"], "a look makes nothing"
    recent.peek("a")
    ask("d")
    assert "a" in recent, "a look is a use"


def test_room_is_counted_by_weight_and_one_result_always_fits() -> None:
    recent: LRUCache[list[int]] = LRUCache(capacity=5, weight=len)
    kept = recent.get("small", lambda: [1, 2])
    assert recent.get("small", list) is kept
    huge = recent.get("huge", lambda: [0] * 50)
    assert recent.get("huge", list) is huge
    assert recent.get("small", lambda: [9]) == [9]
    recent.clear()
    assert recent.get("huge", list) == []
