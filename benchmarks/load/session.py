"""A visitor without a browser: speaks Streamlit's protocol and waits for the data of each picture."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection

from mdcore.ui.stage.message import decode

PATIENCE = 30.0


@dataclass(frozen=True)
class Scenario:
    """A page, its query, and the parameter that moves between two powers of two."""

    page: str
    query: str
    moved: str
    low: float
    high: float


SCENARIOS = (
    Scenario("", "data=moons&n=300&noise=0.25&gamma=1&methods=svm,ldm", "ldm.lambda1", -8, 10),
    Scenario("", "data=circles&n=200&noise=0.15&gamma=1&methods=svm,ldm,odm,msvmav", "odm.lam", -4, 10),
    Scenario("", "data=blobs&n=400&noise=1.2&kernel=linear&methods=svm,lssvm", "svm.C", -6, 8),
    Scenario("multiclass", "data=blobs-k&each=40&classes=3&noise=0.5&gamma=1&methods=mcodm,ova", "mcodm.lam", 4, 12),
    Scenario("online", "data=blobs&n=200&noise=0.3&kernel=linear&methods=pumma,romma", "pumma.p", 1, 3),
)


class Session:
    """A session on one page. Streamlit's ids of widget, page and fragment are read from the first picture."""

    def __init__(self, socket: ClientConnection, number: int, scenario: Scenario = SCENARIOS[0]) -> None:
        self.socket = socket
        self.scenario = scenario
        self.query = f"{scenario.query}&seed={number}"
        self.values = np.random.default_rng(number)
        self.id = 0
        self.place: dict[str, str] = {}
        self.have = ""

    async def open(self) -> None:
        await self._send({}, {})
        await self._picture()

    async def change(self) -> float:
        """Return the milliseconds from a request to its picture."""
        self.id += 1
        value = 2.0 ** self.values.uniform(self.scenario.low, self.scenario.high)
        request = {"query": f"{self.query}&{self.scenario.moved}={value!r}", "id": self.id, "have": self.have}
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
            rerun.page_name = self.scenario.page
            rerun.widget_states.SetInParent()
        await self.socket.send(message.SerializeToString())

    async def _picture(self) -> None:
        """Read messages until the requested picture arrives."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message = ForwardMsg.FromString(bytes(await self.socket.recv(decode=False)))
                if message.WhichOneof("type") != "delta" or message.delta.WhichOneof("type") != "new_element":
                    continue
                element = message.delta.new_element
                if element.WhichOneof("type") == "exception":
                    raise RuntimeError(element.exception.message)
                component = element.bidi_component
                if element.WhichOneof("type") != "bidi_component" or "stage" not in component.component_name:
                    continue
                header, _ = decode(component.bytes)
                if header["error"]:
                    raise RuntimeError(header["error"]["message"])
                if header["id"] == self.id:
                    self.have = header["catalogHash"]
                    self.place = {
                        "widget": component.id,
                        "page": message.metadata.active_script_hash,
                        "fragment": message.delta.fragment_id,
                    }
                    return
