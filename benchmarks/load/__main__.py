"""`make load`: latencies of many active sessions, with real browsers and heavy computations at the same time.

Every session opens a page of the stage, moves one parameter at a fixed rate, and waits for each picture; pages and
methods are mixed. If an answer takes longer than the period, the next change follows immediately, as a page only
requests its latest state. The first rows are for a single session.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import numpy as np
import psutil

from benchmarks.load.browsers import browsers
from benchmarks.load.fleet import fleet
from benchmarks.load.session import SCENARIOS, session

MB = 2**20
HEADING = (
    f"{'':>34}  {'changes':>7}  {'p50':>6}  {'p95':>6}  {'p99':>6}  {'worst':>6}  {'least':>5}  {'errors':>6}  "
    f"{'cores':>5}  {'others':>6}  {'MB':>5}"
)


@dataclass
class Findings:
    """Milliseconds of every change by visitor, and the errors."""

    latencies: dict[int, list[float]] = field(default_factory=dict)
    errors: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True)
class Crowd:
    sessions: int
    rate: float
    browsers: int = 0
    heavy: bool = False

    def __str__(self) -> str:
        company = f", {self.browsers} browsers" if self.browsers else ""
        return f"{self.sessions} sessions{company}, {self.rate:g}/s{', heavy' if self.heavy else ''}"


async def move(
    change: Callable[[], Awaitable[float]], number: int, crowd: Crowd, end: asyncio.Event, into: Findings
) -> None:
    """Make the changes of one visitor until `end` is set."""
    period = 1.0 / crowd.rate
    own = into.latencies.setdefault(number, [])
    due = time.monotonic() + period * number / (crowd.sessions + crowd.browsers)
    while not end.is_set():
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        due = max(due + period, time.monotonic())
        try:
            own.append(await change())
        except (RuntimeError, TimeoutError) as error:
            into.errors[f"{type(error).__name__}: {error}"] += 1


async def warm_up(address: str) -> None:
    """Open every page once, so that no row includes the loading of machine code."""
    for number, scenario in enumerate(SCENARIOS):
        async with session(address, number, scenario) as visitor:
            await visitor.open()
            await visitor.change()


async def measure(address: str, crowd: Crowd, seconds: float, servers: Sequence[psutil.Process]) -> None:
    """Measure one crowd and print its row."""
    with_page, without, end = Findings(), Findings(), asyncio.Event()
    async with AsyncExitStack() as open_now:
        hands = await open_now.enter_async_context(browsers(address, crowd.browsers, crowd.heavy))
        sessions = []
        for number in range(crowd.sessions):
            scenario = SCENARIOS[number % len(SCENARIOS)]
            sessions.append(await open_now.enter_async_context(session(address, number, scenario)))
        for visitor in sessions:
            await visitor.open()
        used, before = _worked(servers), time.monotonic()
        psutil.cpu_percent()
        async with asyncio.TaskGroup() as group:
            for number, visitor in enumerate(sessions):
                group.create_task(move(visitor.change, number, crowd, end, without))
            for number, hand in enumerate(hands):
                group.create_task(move(hand.change, crowd.sessions + number, crowd, end, with_page))
            await asyncio.sleep(seconds)
            end.set()
        cores = _worked(servers) - used
        spent = time.monotonic() - before
        others = psutil.cpu_percent() / 100.0 * psutil.cpu_count() - cores / spent
        memory = sum(server.memory_info().rss for server in servers) / MB
    print(_row(str(crowd), without, cores / spent, others, memory), flush=True)
    if hands:
        print(_row(f"the {crowd.browsers} browsers", with_page, np.nan, np.nan, np.nan), flush=True)
    for words, count in (without.errors + with_page.errors).items():
        print(f"  {count} times {words}", flush=True)


def _row(name: str, found: Findings, cores: float, others: float, memory: float) -> str:
    """Format a row. `least` is the number of changes of the visitor with the fewest, which reveals starvation."""
    every = np.concatenate([np.asarray(own) for own in found.latencies.values()])
    p50, p95, p99 = np.percentile(every, [50, 95, 99]) if every.size else [np.nan] * 3
    least = min(map(len, found.latencies.values()))
    return (
        f"{name:>34}  {every.size:7d}  {p50:6.0f}  {p95:6.0f}  {p99:6.0f}  {every.max(initial=0.0):6.0f}  {least:5d}  "
        f"{sum(found.errors.values()):6d}  {cores:5.2f}  {others:6.2f}  {memory:5.0f}"
    )


def _worked(servers: Sequence[psutil.Process]) -> float:
    """Return the seconds of processor time that these processes have used."""
    return float(sum(sum(server.cpu_times()[:2]) for server in servers))


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.load", description=__doc__)
    parser.add_argument("--sessions", type=int, nargs="+", default=[1, 10, 20, 40])
    parser.add_argument("--rates", type=float, nargs="+", default=[1.0, 5.0], help="changes per second of each session")
    parser.add_argument("--browsers", type=int, default=3, help="number of real browsers that drag a slider")
    parser.add_argument(
        "--light", action="store_true", help="without the two browsers that run a comparison and a heatmap"
    )
    parser.add_argument("--processes", type=int, default=1, choices=(1, 3), help="3: behind nginx, as in deploy/")
    parser.add_argument("--seconds", type=float, default=15.0, help="duration of each row")
    chosen = parser.parse_args()
    print(
        f"Milliseconds from request to picture, {chosen.seconds:g} s per row; cores used by the server and by others."
    )
    print(HEADING)
    with fleet(chosen.processes) as (address, servers):
        processes = [psutil.Process(server.pid) for server in servers]
        for server in servers:
            asyncio.run(warm_up(server.address))
        crowds = [Crowd(1, 1.0), Crowd(1, 5.0)]
        crowds += [
            Crowd(sessions, rate, chosen.browsers, not chosen.light)
            for rate in chosen.rates
            for sessions in chosen.sessions
        ]
        for crowd in crowds:
            asyncio.run(measure(address, crowd, chosen.seconds, processes))


if __name__ == "__main__":
    main()
