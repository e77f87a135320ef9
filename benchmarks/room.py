"""A room of phones, without browsers: `python -m benchmarks.room --phones 200`.

Every phone holds its stream of events and votes at a moment of its own within two seconds; meanwhile one session drags
a slider on the stage, as it had done alone before. Printed are the times of the votes, what was counted, how long the
presenter's screen waited for the last one, the drag beside the phones against alone, and the size of a picture.
"""

from __future__ import annotations

import argparse
import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from websockets.asyncio.client import connect

from benchmarks.load.session import Session
from mdcore import Experiment
from mdcore.ui.room.scene import pack_scene
from tests.browser.server import serve
from tests.phones import Phone, joined, open_room

SPREAD = 2.0  # seconds in which all vote
MOVES = 60  # of the slider


def drag(address: str) -> list[float]:
    """Milliseconds of so many moves, one after the other."""

    async def moves() -> list[float]:
        async with connect(f"{address.replace('http', 'ws')}/_stcore/stream", max_size=None) as socket:
            session = Session(socket, 0)
            await session.open()
            return [await session.change() for _ in range(MOVES)]

    return asyncio.run(moves())


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.room", description=__doc__)
    parser.add_argument("--phones", type=int, default=200)
    phones = parser.parse_args().phones
    with serve() as server:
        drag(server.address)  # warm
        alone = drag(server.address)
        _, join, _ = open_room(server.address)
        devices = [joined(server.address, join) for _ in range(phones)]
        listeners = [Phone(server.address) for _ in range(phones)]
        heard: list[float] = []
        screen = Phone(server.address)

        def watch() -> None:
            for name, state in screen.events(join):
                if name == "state" and state["votes"] == phones:
                    heard.append(time.perf_counter())
                    return

        def follow(phone: Phone) -> None:
            for name, state in phone.events(join):
                if name == "state" and state.get("ended"):
                    return

        for target, arguments in [(watch, ()), *((follow, (phone,)) for phone in listeners)]:
            threading.Thread(target=target, args=arguments, daemon=True).start()
        waits = np.random.default_rng(0).uniform(0, SPREAD, phones)

        def vote(number: int) -> tuple[float, float]:
            time.sleep(waits[number])
            reply = devices[number].vote(join, 1, number % 3)
            assert reply.status == 200, reply.body
            return reply.seconds, time.perf_counter()

        with ThreadPoolExecutor(phones + 1) as pool:
            beside = pool.submit(drag, server.address)
            done = list(pool.map(vote, range(phones)))
            dragged = beside.result()
        votes = screen_votes(server.address, join)
        seconds = np.array([seconds for seconds, _ in done])
        last = max(at for _, at in done)
        print(f"{phones} phones, all with a stream of events, voting within {SPREAD:g} s:")
        print(f"  a vote: median {1e3 * np.median(seconds):.0f} ms, p95 {1e3 * np.quantile(seconds, 0.95):.0f} ms")
        print(f"  counted: {votes} of {phones}")
        print(f"  last vote to the presenter's screen: {1e3 * (heard[0] - last):.0f} ms" if heard else "  not heard")
        old, new = np.median(alone), np.median(dragged)
        print(f"  drag: median {old:.0f} ms alone, {new:.0f} ms beside them, ratio {new / old:.2f}")
    experiment = Experiment.from_query("data=moons&n=300&noise=0.25&gamma=1&methods=svm,ldm")
    print(f"  a follower's picture: {len(pack_scene(experiment, experiment.run())) / 1e3:.1f} kB")


def screen_votes(address: str, join: str) -> int:
    return int(Phone(address).ask("GET", f"{join}/state").json["votes"])


if __name__ == "__main__":
    main()
