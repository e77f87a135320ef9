"""Answers take turns: a limited number at once, first come, first served, and slow ones do not block others."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from mdcore.ui.shared.turns import Turns
from tests.apptest import NO_LIMIT

NEVER = 1e6  # seconds, longer than any test waits


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + NO_LIMIT
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)


def test_whoever_came_first_is_answered_first() -> None:
    turns = Turns(places=1, brief=NEVER)
    answered: list[int] = []

    def ask(number: int) -> None:
        with turns.one():
            answered.append(number)

    with ThreadPoolExecutor(8) as visitors, turns.one():
        for number in range(8):
            visitors.submit(ask, number)
            until(lambda number=number: turns.waiting == number + 1)  # type: ignore[misc]
        assert answered == []
    assert answered == [*range(8)]
    assert turns.waiting == 0


def test_as_many_are_given_at_once_as_there_are_places_and_no_more() -> None:
    turns = Turns(places=2, brief=NEVER)
    both = threading.Barrier(2, timeout=NO_LIMIT)
    inside: list[int] = []

    def ask(number: int) -> int:
        with turns.one():
            inside.append(number)
            both.wait()  # two are inside
            found = len(inside)
            both.wait()
            inside.remove(number)
            return found

    with ThreadPoolExecutor(8) as visitors:
        assert set(visitors.map(ask, range(40))) == {2}


def test_an_answer_that_takes_long_gives_its_place_away() -> None:
    turns = Turns(places=1, brief=0.01)
    with turns.one(), ThreadPoolExecutor(3) as visitors:
        for answered in [visitors.submit(be_answered, turns) for _ in range(3)]:
            answered.result(NO_LIMIT)


def test_an_answer_that_failed_gives_its_place_back() -> None:
    turns = Turns(places=1, brief=NEVER)
    with pytest.raises(ValueError, match="why"), turns.one():
        raise ValueError("why")
    be_answered(turns)
    with ThreadPoolExecutor(1) as visitors:
        with turns.one():
            waiting = visitors.submit(be_answered, turns)
            until(lambda: turns.waiting == 1)
            assert not waiting.done()
        waiting.result(NO_LIMIT)


def be_answered(turns: Turns) -> None:
    with turns.one():
        pass
