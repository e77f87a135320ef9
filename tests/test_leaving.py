"""A server that shuts down gracefully informs its visitors; a page that reconnects to another learns what is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from mdcore.serving.jobs.job import SHUTDOWN_MESSAGE, Job
from mdcore.serving.jobs.pool import Pool
from mdcore.serving.jobs.progress import Progress, counted
from mdcore.serving.web.leaving import end
from mdcore.solvers.budget import over_budget
from mdcore.ui.frame import LOST_SESSION
from mdcore.ui.shared.words import plain
from mdcore.ui.workarounds.returning import requested_session
from tests.browser.server import serve
from tests.phones import Phone, open_room
from tests.waiting import PATIENCE

LONG = "data=moons&n=600&noise=0.3&methods=svm,ldm&view.x=ldm.lambda1&view.xn=41"  # minutes of work, begun unasked
# What a page sends after its server has gone; the third value is its session there.
BACK = [Subprotocol("streamlit"), Subprotocol("token"), Subprotocol("gone")]


def ask(socket: ClientConnection, page: str = "", fragment: str = "") -> None:
    message = BackMsg()
    message.rerun_script.page_script_hash = page
    message.rerun_script.page_name = "" if page else "sensitivity"
    message.rerun_script.fragment_id = fragment
    message.rerun_script.query_string = LONG
    message.rerun_script.widget_states.SetInParent()
    socket.send(message.SerializeToString())


def messages(socket: ClientConnection) -> Iterator[ForwardMsg]:
    while True:
        try:
            yield ForwardMsg.FromString(bytes(socket.recv(timeout=PATIENCE)))
        except ConnectionClosed:
            return


@pytest.mark.process
def test_a_server_that_is_stopped_tells_rooms_and_pages_what_ends_with_it() -> None:
    with serve() as running:
        _, join, _ = open_room(running.address)
        events = Phone(running.address).events(join)
        assert next(events)[0] == "state"
        address = f"{running.address.replace('http', 'ws')}/_stcore/stream"
        with connect(address, subprotocols=BACK, max_size=None, close_timeout=1) as socket:  # the server goes first
            ask(socket, fragment="of the page as the last server ran it")
            toasts, again = set(), ("", "")
            for message in messages(socket):
                toasts.add(message.delta.new_element.toast.body)
                if message.WhichOneof("type") == "auto_rerun":
                    again = message.metadata.active_script_hash, message.auto_rerun.fragment_id
                if message.delta.new_element.progress.text:  # the job is running
                    break
            assert LOST_SESSION in toasts
            os.kill(running.pid, signal.SIGTERM)
            ask(socket, *again)  # as the page does twice a second to follow its job
            for message in messages(socket):
                if message.delta.new_element.alert.body == plain(SHUTDOWN_MESSAGE):
                    break
                if message.WhichOneof("type") == "script_finished":
                    ask(socket, *again)
            else:
                pytest.fail("the socket was closed without a word")
        assert [state for name, state in events if name == "state"] == [{"ended": True}]  # closed properly, not cut


def test_whoever_has_no_job_at_work_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdcore.serving.web.leaving.REFRESH_WAIT", 2 * PATIENCE)
    stopped: list[bool] = []
    pool = Pool(1)
    asyncio.run(asyncio.wait_for(end(lambda: stopped.append(True), pool), PATIENCE))
    late = Job("late", counted(1, lambda: iter([1])), pool=pool, needs=0.0)
    assert stopped
    assert (late.running, late.problem, late.items) == (False, SHUTDOWN_MESSAGE, ())


def test_jobs_at_work_and_waiting_end_with_words_of_what_is_kept() -> None:
    reached = threading.Event()
    pool = Pool(1)

    def endless(progress: Progress) -> Iterator[int]:
        yield 1
        reached.set()
        while True:
            over_budget()  # as a solver asks

    at_work = Job("long", endless, pool=pool, needs=0.0, shutdown_message="The first is kept.")
    waiting = Job("next", endless, pool=pool, needs=0.0)
    reached.wait()
    assert len(pool.close()) == 2
    at_work.wait()
    assert (at_work.items, at_work.problem) == ((1,), "The first is kept.")
    assert (waiting.running, waiting.problem) == (False, SHUTDOWN_MESSAGE)


@pytest.mark.parametrize(
    ("protocols", "earlier"), [("streamlit, token, s-1", "s-1"), ("streamlit, token", ""), ("streamlit", ""), ("", "")]
)
def test_the_session_that_a_page_had_before_is_the_third_it_tells(protocols: str, earlier: str) -> None:
    assert requested_session(protocols) == earlier
