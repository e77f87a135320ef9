"""Many sessions at once, without a browser: `python -m benchmarks.load --sessions 20 --seconds 60`.

Every session speaks the protocol of Streamlit's page: it opens the playground, then changes one parameter once a second
and waits for the picture. What is timed is from the request to the message that the browser would draw.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from mdcore.ui.stage.message import decode
from tests.browser.server import serve

PERIOD = 1.0  # seconds between two changes of a session
PATIENCE = 30.0
QUERY = "data=moons&n=300&noise=0.25&seed={seed}&gamma=1&methods=svm,ldm"
MB = 2**20


@dataclass
class Findings:
    latencies: list[float] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)


class Session:
    """One visitor. What Streamlit calls the stage, its page and its fragment is read from the first picture."""

    def __init__(self, socket: ClientConnection, number: int) -> None:
        self.socket = socket
        self.query = QUERY.format(seed=number)
        self.values = np.random.default_rng(number)
        self.id = 0
        self.place: dict[str, str] = {}
        self.have = ""

    async def open(self) -> None:
        await self._send({}, {})
        await self._picture()

    async def change(self) -> float:
        """Milliseconds from the request to its picture."""
        self.id += 1
        value = 2.0 ** self.values.uniform(-8, 10)
        request = {"query": f"{self.query}&ldm.lambda1={value!r}", "id": self.id, "have": self.have}
        begun = time.perf_counter()
        await self._send({"request": request}, self.place)
        await self._picture()
        return 1e3 * (time.perf_counter() - begun)

    async def _send(self, state: dict[str, object], place: dict[str, str]) -> None:
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string = self.query
        rerun.context_info.timezone = "UTC"
        rerun.context_info.locale = "en-US"
        if place:
            rerun.page_script_hash, rerun.fragment_id = place["page"], place["fragment"]
            rerun.widget_states.widgets.add(id=place["widget"], json_value=json.dumps(state))
        else:
            rerun.widget_states.SetInParent()
        await self.socket.send(message.SerializeToString())

    async def _picture(self) -> None:
        """Reads until the picture that was asked for is there."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = ForwardMsg.FromString(bytes(await self.socket.recv(decode=False)))
                if message.WhichOneof("type") != "delta" or message.delta.WhichOneof("type") != "new_element":
                    continue
                element = message.delta.new_element
                if element.WhichOneof("type") == "exception":
                    raise RuntimeError(element.exception.message)
                if element.WhichOneof("type") != "bidi_component":
                    continue
                header, _ = decode(element.bidi_component.bytes)
                if header["error"]:
                    raise RuntimeError(header["error"]["message"])
                if header["id"] == self.id:
                    self.have = header["catalogHash"]
                    self.place = {
                        "widget": element.bidi_component.id,
                        "page": message.metadata.active_script_hash,
                        "fragment": message.delta.fragment_id,
                    }
                    return


async def visit(
    address: str, number: int, sessions: int, end: asyncio.Event, begin: asyncio.Barrier, into: Findings
) -> None:
    async with connect(f"{address}/_stcore/stream".replace("http", "ws"), max_size=None) as socket:
        session = Session(socket, number)
        await session.open()
        await begin.wait()
        due = time.monotonic() + PERIOD * number / sessions
        while not end.is_set():
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            due += PERIOD
            try:
                into.latencies.append(await session.change())
            except (RuntimeError, TimeoutError) as error:
                into.errors[f"{type(error).__name__}: {error}"] += 1


async def load(address: str, sessions: int, seconds: float, server: psutil.Process) -> None:
    findings, end, begin = Findings(), asyncio.Event(), asyncio.Barrier(sessions + 1)
    async with asyncio.TaskGroup() as group:
        for number in range(sessions):
            group.create_task(visit(address, number, sessions, end, begin, findings))
        await begin.wait()
        resident = [server.memory_info().rss / MB]
        for _ in range(10):
            await asyncio.sleep(seconds / 10)
            resident.append(server.memory_info().rss / MB)
        end.set()
    middle, high = np.percentile(findings.latencies, [50, 95])
    print(f"{sessions} sessions, {seconds:g} s, {len(findings.latencies)} changes")
    print(f"request to picture: p50 {middle:.0f} ms, p95 {high:.0f} ms, worst {max(findings.latencies):.0f} ms")
    print(f"errors: {sum(findings.errors.values())}", *findings.errors.items(), sep="\n  ")
    print(f"server, MB: {resident[0]:.0f} at the start, {resident[-1]:.0f} at the end")
    print(f"  on the way: {', '.join(f'{value:.0f}' for value in resident[1:-1])}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.load", description=__doc__)
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    with serve() as server:
        asyncio.run(load(server.address, chosen.sessions, chosen.seconds, psutil.Process(server.pid)))


if __name__ == "__main__":
    main()
