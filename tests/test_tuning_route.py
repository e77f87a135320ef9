"""Tuning as a stage asks for it: a stream of its course, one job for all who ask the same, none for those who leave."""

from __future__ import annotations

import asyncio
import gc
import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.applications import Starlette

from mdcore.experiment import Experiment
from mdcore.experiment.result_caches import clear_caches
from mdcore.serving.visits import token_for
from mdcore.solvers.budget import Stopped, raise_if_stopped
from mdcore.study.picture_tuning import chosen_for, tuned_methods
from mdcore.ui.web import tuning_stream as tuning
from mdcore.ui.web.tuning_stream import TUNING
from tests.test_pictures import KEY, PAGE, people, post, visit_of
from tests.waiting import PATIENCE

APP = Starlette(routes=TUNING)
STATE = {"page": "playground", "query": "data=moons&n=60&noise=0.3&kernel=rbf&gamma=2&methods=svm,ldm"}


@pytest.fixture(autouse=True)
def nothing_is_known() -> Iterator[None]:
    clear_caches()
    yield
    clear_caches()


class Listener:
    """A browser that asks for tuning and, as it reads the answer, may leave."""

    def __init__(self, state: dict[str, Any], session: str) -> None:
        self.body = json.dumps(state).encode()
        self.headers = PAGE | {"x-margin-lab-token": token_for(session)}
        self.status = 0
        self.text = b""
        self.begun, self.left = asyncio.Event(), asyncio.Event()

    async def listen(self) -> list[dict[str, Any]]:
        """Return the lines of the answer."""
        requests = [{"type": "http.request", "body": self.body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            if requests:
                return requests.pop()
            await self.left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            self.status = message.get("status", self.status)
            self.text += message.get("body", b"")
            self.begun.set()

        raw = [(name.encode(), value.encode()) for name, value in self.headers.items()]
        scope = {"type": "http", "method": "POST", "path": "/stage/tuning", "query_string": b"", "headers": raw}
        await APP(scope, receive, send)
        return [json.loads(line) for line in self.text.splitlines()]


def answers(*asked: tuple[dict[str, Any], str]) -> list[tuple[int, list[dict[str, Any]]]]:
    """Return the status and the lines of every answer to (state, session), asked at the same time."""

    async def all_at_once() -> list[tuple[int, list[dict[str, Any]]]]:
        listeners = [Listener(*one) for one in asked]
        lines = await asyncio.gather(*(listener.listen() for listener in listeners))
        return [(listener.status, read) for listener, read in zip(listeners, lines, strict=True)]

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, all_at_once()).result(PATIENCE)


def test_the_last_line_has_the_settings_that_make_the_picture_tuned() -> None:
    [(status, lines)] = answers((STATE, "a session of another process"))
    assert status == 200
    assert all(line.keys() == {"made", "total", "ahead"} for line in lines[:-1])
    query = "&".join([STATE["query"], *(f"{key}={value}" for key, value in lines[-1]["settings"].items())])
    assert lines[-1]["settings"].keys() == {"svm.C", "ldm.lambda1", "ldm.lambda2", "ldm.C"}
    assert tuned_methods(Experiment.from_query(query)) == ["svm", "ldm"]


def test_equal_requests_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Experiment] = []
    go = threading.Event()

    def tune(experiment: Experiment, progress: Any) -> Iterator[Any]:
        begun.append(experiment)
        go.wait(PATIENCE)
        return found(experiment, progress)

    found = tuning.tune
    monkeypatch.setattr(tuning, "tune", tune)
    other = STATE | {"query": f"{STATE['query']}&svm.C=3"}

    async def three() -> list[list[dict[str, Any]]]:
        listeners = [Listener(STATE, "one"), Listener(STATE, "another"), Listener(other, "from other settings")]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(listener.listen()) for listener in listeners]
            for listener in listeners:
                await listener.begun.wait()
            go.set()
        return [task.result() for task in tasks]

    with ThreadPoolExecutor(1) as thread:
        read = [lines[-1] for lines in thread.submit(asyncio.run, three()).result(PATIENCE)]
    assert read[0] == read[1] == read[2]
    assert "settings" in read[0]
    assert len(begun) == 1


def test_a_reason_is_given_for_no_choice() -> None:
    few = STATE | {"query": "data=moons&n=20&balance=0.1&methods=svm"}
    [(status, lines)] = answers((few, "a"))
    assert status == 200
    assert lines[-1]["error"].startswith("SVM: A class has fewer than 3")


@pytest.mark.parametrize(
    ("change", "word"),
    [({"query": "data=nowhere"}, "nowhere"), ({"query": 3}, "page"), ({"page": "elsewhere"}, "page")],
)
def test_what_no_stage_sends_is_refused_in_words(change: dict[str, Any], word: str) -> None:
    status, _, body = post("/stage/tuning", STATE | change, token_for("a"), app=APP)
    assert status == 422
    assert word in json.loads(body)["error"]


def test_a_table_is_tuned_for_its_own_session_alone() -> None:
    own, other = visit_of("owner", people(150)), visit_of("other", people(180))
    state = STATE | {"query": f"data={KEY}&methods=svm"}
    status, _, body = post("/stage/tuning", state, token_for("no session here"), app=APP)
    assert status == 422
    assert "exists only in the session that loaded it" in json.loads(body)["error"]
    [(_, lines)] = answers((state, "owner"))
    assert "settings" in lines[-1]
    known = [
        chosen_for(Experiment.from_query(state["query"], visit.tables.all()), "svm") is not None
        for visit in (own, other)
    ]
    assert known == [True, False]


def test_whoever_leaves_stops_what_nobody_else_waits_for(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def tune(experiment: Experiment, progress: Any) -> Iterator[Any]:
        begun.set()
        try:
            while True:
                raise_if_stopped()
        except Stopped:
            stopped.set()
            raise
        yield

    monkeypatch.setattr(tuning, "tune", tune)

    async def two() -> bool:
        first, second = Listener(STATE, "a"), Listener(STATE, "b")
        async with asyncio.TaskGroup() as group:
            tasks = []
            for listener in (first, second):
                tasks.append(group.create_task(listener.listen()))
                await listener.begun.wait()
            await asyncio.to_thread(begun.wait, PATIENCE)
            first.left.set()
            await tasks[0]
            early = stopped.is_set()
            second.left.set()
        return early

    with ThreadPoolExecutor(1) as thread:
        assert not thread.submit(asyncio.run, two()).result(PATIENCE)
    gc.collect()
    assert stopped.wait(PATIENCE)


def test_a_full_queue_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        load = 2, tuning.MOST_WAITING

    monkeypatch.setattr(tuning, "POOL", Full())
    status, _, body = post("/stage/tuning", STATE, token_for("a"), app=APP)
    assert status == 503
    assert "busy" in json.loads(body)["error"]
