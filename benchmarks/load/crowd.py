"""`python -m benchmarks.load.crowd`: a simulated course, to know how many processes it needs.

Every student reads, drags a slider, and reads again. While a student drags, one picture is under way, and the next is
asked for when it has come, at most 32 times a second. A process answers in order of arrival; a student's pictures go to
one process, and to the least busy one when that has `MOST_WAITING` in its queue.
"""

from __future__ import annotations

import argparse
import heapq
from dataclasses import dataclass

import numpy as np

from mdcore.ui.web.pictures import MOST_WAITING

INPUTS = 32.0  # of a hand per second
DRAG, READ = 4.0, 16.0  # seconds, on average


@dataclass(frozen=True)
class Found:
    """Milliseconds from request to picture, pictures per second of a hand that drags, and the share of time at work."""

    p50: float
    p95: float
    pictures: float
    busy: float


def simulate(
    students: int, processes: int, milliseconds: float, *, always: float = 0.0, seconds: float = 120.0
) -> Found:
    """Simulate a crowd whose pictures take this much processor time.

    With `always`, students never read, and ask so many times a second, as the sessions of `make load`.
    """
    rng = np.random.default_rng(0)
    service, period = milliseconds / 1e3, 1.0 / (always or INPUTS)
    free = np.zeros(processes)
    own = rng.integers(processes, size=students)
    ends = np.full(students, np.inf if always else 0.0)  # of the drag under way
    waiting = [(float(rng.uniform(0.0, period if always else DRAG + READ)), student) for student in range(students)]
    heapq.heapify(waiting)
    latencies, dragged, worked = list[float](), 0.0, 0.0
    while waiting:
        now, student = heapq.heappop(waiting)
        if now > seconds:
            break
        if now > ends[student]:
            ends[student] = now + rng.exponential(DRAG)
            dragged += ends[student] - now
        process = own[student]
        if free[process] - now > MOST_WAITING * service:
            process = int(free.argmin())
        free[process] = max(now, free[process]) + service
        worked += service
        latencies.append(free[process] - now)
        following = max(free[process], now + period)
        if following > ends[student]:
            following += rng.exponential(READ)
        heapq.heappush(waiting, (following, student))
    p50, p95 = 1e3 * np.percentile(latencies, [50, 95])
    hands = students * seconds if always else dragged
    return Found(float(p50), float(p95), len(latencies) / hands, worked / (processes * seconds))


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.load.crowd", description=__doc__)
    parser.add_argument("--milliseconds", type=float, default=6.0, help="processor time of a picture")
    parser.add_argument("--students", type=int, nargs="+", default=[40, 100, 1000, 10_000])
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 3, 20, 200])
    parser.add_argument(
        "--always", type=float, default=0.0, help="changes per second without reading, as in `make load`"
    )
    chosen = parser.parse_args()
    print(f"{'students':>8}  {'processes':>9}  {'p50 ms':>7}  {'p95 ms':>7}  {'pictures/s':>10}  {'busy':>5}")
    for students in chosen.students:
        for processes in chosen.processes:
            found = simulate(students, processes, chosen.milliseconds, always=chosen.always)
            times = f"{found.p50:7.0f}  {found.p95:7.0f}  {found.pictures:10.1f}  {found.busy:5.0%}"
            print(f"{students:8d}  {processes:9d}  {times}")


if __name__ == "__main__":
    main()
