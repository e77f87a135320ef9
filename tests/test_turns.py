"""Answers take turns: a limited number at once, first come, first served, and slow ones do not block others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mdcore.serving.jobs.turns import Newest, Replaced, Turns
from tests.waiting import PATIENCE

NEVER = 1e6  # seconds, longer than any test waits


def run(work: Coroutine[Any, Any, Any]) -> Any:
    """Run in an event loop of its own, as this thread may have one from Playwright."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result(PATIENCE)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0)


def test_whoever_came_first_is_answered_first() -> None:
    async def visitors() -> list[int]:
        turns, answered = Turns(slots=1, brief=NEVER), list[int]()

        async def ask(number: int) -> None:
            async with turns.one():
                answered.append(number)

        async with asyncio.TaskGroup() as group, turns.one():
            for number in range(8):
                group.create_task(ask(number))
                await until(lambda number=number: turns.waiting == number + 1)  # type: ignore[misc]
            assert answered == []
        assert turns.waiting == 0
        return answered

    assert run(visitors()) == [*range(8)]


def test_as_many_are_given_at_once_as_there_are_places_and_no_more() -> None:
    async def visitors() -> set[int]:
        turns, inside, seen = Turns(slots=2, brief=NEVER), set[int](), set[int]()

        async def ask(number: int) -> None:
            async with turns.one():
                inside.add(number)
                for _ in range(5):  # let the others go as far as they can
                    await asyncio.sleep(0)
                    seen.add(len(inside))
                inside.remove(number)

        await asyncio.gather(*map(ask, range(40)))
        return seen

    assert max(run(visitors())) == 2


def test_an_answer_that_takes_long_gives_its_place_away() -> None:
    async def visitors() -> None:
        turns = Turns(slots=1, brief=0.01)
        async with turns.one():
            for _ in range(3):
                async with asyncio.timeout(PATIENCE), turns.one():
                    pass
            await asyncio.gather(*(be_answered(turns) for _ in range(3)))
        await be_answered(turns)

    run(visitors())


def test_an_answer_that_failed_or_was_called_off_gives_its_place_back() -> None:
    async def visitors() -> None:
        turns = Turns(slots=1, brief=NEVER)
        with pytest.raises(ValueError, match="why"):
            async with turns.one():
                raise ValueError("why")
        async with turns.one():
            called_off, waiting = (asyncio.create_task(be_answered(turns)) for _ in range(2))
            await until(lambda: turns.waiting == 2)
            called_off.cancel()
            await until(called_off.cancelled)
            assert not waiting.done()
        await waiting
        await be_answered(turns)

    run(visitors())


async def be_answered(turns: Turns) -> None:
    async with turns.one():
        pass


def test_of_a_stage_one_runs_and_the_newest_waits() -> None:
    async def requests() -> tuple[list[str], list[str]]:
        newest, drawn, replaced = Newest(), list[str](), list[str]()
        go = asyncio.Event()

        async def ask(stage: str, name: str) -> None:
            try:
                async with newest.of(stage):
                    await go.wait()
                    drawn.append(name)
            except Replaced:
                replaced.append(name)

        async with asyncio.TaskGroup() as group:
            for stage, name in (("a", "a1"), ("a", "a2"), ("b", "b1"), ("a", "a3"), ("a", "a4")):
                group.create_task(ask(stage, name))
                await asyncio.sleep(0)
            await until(lambda: len(replaced) == 2)
            go.set()
        async with newest.of("a"):  # free again
            pass
        return drawn, replaced

    drawn, replaced = run(requests())
    assert replaced == ["a2", "a3"]
    assert sorted(drawn) == ["a1", "a4", "b1"]
    assert drawn.index("a1") < drawn.index("a4")


def test_a_request_that_comes_while_a_place_is_handed_over_is_not_forgotten() -> None:
    async def requests() -> list[str]:
        newest, drawn = Newest(), list[str]()

        async def ask(name: str) -> None:
            async with newest.of("a"):
                drawn.append(name)
                await asyncio.sleep(0)

        async with asyncio.TaskGroup() as group:
            for name in "123":
                group.create_task(ask(name))
                await until(lambda name=name: len(drawn) >= int(name) - 1)  # type: ignore[misc]
        return drawn

    assert run(requests()) == ["1", "2", "3"]
