"""A visitor without a browser: opens a page by Streamlit's protocol, as far as its token, and asks for pictures."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from mdcore.serving.stage.message import decode

PATIENCE = 30.0
PAUSE = 0.15  # seconds until a busy server is asked again


@dataclass(frozen=True)
class Scenario:
    """A page, its query, and the parameter that moves between two powers of two."""

    page: str
    query: str
    moved: str
    low: float
    high: float

    @property
    def key(self) -> str:
        """The name under which the page asks for its pictures."""
        return self.page or "playground"


SCENARIOS = (
    Scenario("", "data=moons&n=300&noise=0.25&gamma=1&methods=svm,ldm", "ldm.lambda1", -8, 10),
    Scenario("", "data=circles&n=200&noise=0.15&gamma=1&methods=svm,ldm,odm,msvmav", "odm.lam", -4, 10),
    Scenario("", "data=blobs&n=400&noise=1.2&kernel=linear&methods=svm,lssvm", "svm.C", -6, 8),
    Scenario("multiclass", "data=blobs-k&each=40&classes=3&noise=0.5&gamma=1&methods=mcodm,ova", "mcodm.lam", 4, 12),
    Scenario("online", "data=blobs&n=200&noise=0.3&kernel=linear&methods=pumma,romma", "pumma.p", 1, 3),
)


class Session:
    """A session on one page."""

    def __init__(self, socket: ClientConnection, number: int, scenario: Scenario, cookie: str) -> None:
        self.socket = socket
        self.scenario = scenario
        self.query = f"{scenario.query}&seed={number}"
        self.values = np.random.default_rng(number)
        self.id, self.have = 0, ""
        self.last: Any = None
        self.token = ""
        self.cookie = cookie
        self.line: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def open(self) -> None:
        """Run the page, and draw its first picture."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string, rerun.page_name = self.query, self.scenario.page
        rerun.context_info.timezone, rerun.context_info.locale = "UTC", "en-US"
        rerun.widget_states.SetInParent()
        await self.socket.send(message.SerializeToString())
        async with asyncio.timeout(PATIENCE):
            while not self.token:
                self._hear(ForwardMsg.FromString(bytes(await self.socket.recv(decode=False))))
        await self._picture(self.query)

    async def change(self) -> float:
        """Return the milliseconds from a request to its picture."""
        query = self.next_query()
        begun = time.perf_counter()
        await self._picture(query)
        return 1e3 * (time.perf_counter() - begun)

    def next_query(self) -> str:
        """Return the state after the next move."""
        value = 2.0 ** self.values.uniform(self.scenario.low, self.scenario.high)
        return f"{self.query}&{self.scenario.moved}={value!r}"

    def close(self) -> None:
        if self.line:
            self.line[1].close()

    def _hear(self, message: ForwardMsg) -> None:
        """Take the token from the message that mounts the stage."""
        if message.WhichOneof("type") != "delta" or message.delta.WhichOneof("type") != "new_element":
            return
        element = message.delta.new_element
        if element.WhichOneof("type") == "exception":
            raise RuntimeError(element.exception.message)
        component = element.bidi_component
        if element.WhichOneof("type") == "bidi_component" and "stage" in component.component_name:
            self.token = json.loads(component.json)["token"]

    async def _picture(self, query: str) -> None:
        """Ask until the picture arrives."""
        self.id += 1
        around = {
            "id": self.id,
            "have": self.have,
            "page": self.scenario.key,
            "last": self.last,
            "gesture": self.id // 20,
        }
        body = json.dumps({"query": query, "held": True, **around}).encode()
        async with asyncio.timeout(PATIENCE):
            while (reply := await self._post(body))[0] == 503:
                await asyncio.sleep(PAUSE)
        status, content = reply
        header = decode(content)[0] if status == 200 else {"error": {"message": f"{status}: {content!r}"}}
        if header["error"]:
            raise RuntimeError(header["error"]["message"])
        self.have, self.last = header["catalogHash"], header["last"]

    async def _post(self, body: bytes) -> tuple[int, bytes]:
        """Send a request on the session's connection, and return status and content of the reply."""
        host, port = self.socket.remote_address[:2]
        reader, writer = self.line = self.line or await asyncio.open_connection(host, port)
        try:
            name = f"localhost:{port}"
            head = (
                f"POST /stage/picture HTTP/1.1\r\nhost: {name}\r\norigin: http://{name}\r\naccept-encoding: gzip\r\n"
                f"content-type: application/json\r\ncontent-length: {len(body)}\r\n"
                f"cookie: {self.cookie}\r\nx-margin-lab-token: {self.token}\r\n\r\n"
            )
            writer.write(head.encode() + body)
            status, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
            headers = dict(line.split(": ", 1) for line in lines if line)
            content = await reader.readexactly(int(headers["content-length"]))
            zipped = headers.get("content-encoding") == "gzip"
            return int(status.split()[1]), gzip.decompress(content) if zipped else content
        except (ConnectionError, asyncio.IncompleteReadError):  # the server closes a connection that was idle for long
            self.close()
            self.line = None
            return await self._post(body)


@asynccontextmanager
async def session(address: str, number: int, scenario: Scenario) -> AsyncIterator[Session]:
    """Connect a session to a server."""
    stream = f"{address.replace('http', 'ws')}/_stcore/stream"
    cookie = {"Cookie": f"margin_lab={number:032x}"}  # by which a proxy finds the process of the session
    async with connect(stream, max_size=None, open_timeout=None, additional_headers=cookie) as socket:
        made = Session(socket, number, scenario, cookie["Cookie"])
        try:
            yield made
        finally:
            made.close()
