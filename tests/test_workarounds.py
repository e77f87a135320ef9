"""Workarounds for Streamlit are on one list, and each of them is still needed."""

from __future__ import annotations

import asyncio
import inspect
import re
import socket
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
import streamlit as st
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartParser
from streamlit.errors import StreamlitAPIException
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.fragment import MemoryFragmentStorage
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunData
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from mdcore.ui.workarounds import uploads
from mdcore.ui.workarounds.nodelay import send_at_once
from mdcore.ui.workarounds.pages_manager import run_pages_in_the_frame
from mdcore.ui.workarounds.returning import run_the_whole_page_first
from mdcore.ui.workarounds.uploads import keep_uploads_in_memory

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "mdcore" / "ui" / "workarounds"
LIST = (FOLDER / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([^`]+)` \| (.+?) \| (.+?) \| (.+?) \|$", LIST, re.M)


def test_every_file_is_on_the_list_and_every_entry_is_a_file() -> None:
    python = {path.name for path in FOLDER.glob("*.py")} - {"__init__.py"}
    scripts = {f"browser/workarounds/{path.name}" for path in (ROOT / "mdcore/browser/workarounds").glob("*.js")}
    assert {file for file, *_ in ROWS} == python | scripts


def test_the_list_was_looked_at_for_the_streamlit_that_is_installed() -> None:
    seen = re.search(r"Seen in Streamlit (\d+\.\d+)\.", LIST)
    assert seen
    assert version("streamlit").startswith(f"{seen[1]}."), "look at the list again, and say so in it"


@pytest.mark.parametrize("test", re.findall(r"`(tests/[\w/]+\.py::\w+)`", LIST))
def test_the_tests_that_tell_exist(test: str) -> None:
    file, _, name = test.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def test_a_server_begins_with_the_pages_of_the_folder() -> None:
    source = inspect.getsource(PagesManager)
    assert "uses_pages_directory" in source, "Streamlit has no pages directory any more: pages_manager.py can go"


def test_no_session_begins_outside_the_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that begin together cannot tell each other, so that this is settled before the first."""
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    PagesManager(str(ROOT / "frame.py"))
    assert PagesManager.uses_pages_directory
    monkeypatch.setattr(PagesManager, "uses_pages_directory", None)
    run_pages_in_the_frame()
    PagesManager(str(ROOT / "frame.py"))
    assert not PagesManager.uses_pages_directory


def test_streamlit_tells_nobody_that_a_session_has_lost_its_browser() -> None:
    told = [name for name in dir(st) if re.search(r"disconnect|session_end|on_close", name)]
    assert not told, f"Streamlit has {told}: sessions.py can go"


def test_streamlit_declares_no_component_without_an_app() -> None:
    with pytest.raises(StreamlitAPIException, match="must be declared"):
        st.components.v2.component("mdcore.stage", js="stage.js", isolate_styles=False)


class NewSession(AppSession):
    """A session that has not run yet, and records what it would run: a fragment of its page, or None for the page."""

    def __init__(self) -> None:
        self._state, self._scriptrunner = AppSessionState.APP_NOT_RUNNING, None
        self._fragment_storage, self.runs = MemoryFragmentStorage(), list[str | None]()

    def __del__(self) -> None:
        """Do nothing: there is nothing to end."""

    def _create_scriptrunner(self, initial_rerun_data: RerunData) -> None:
        self.runs.append(initial_rerun_data.fragment_id)


def test_streamlit_drops_what_a_new_session_is_asked_of_a_part_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AppSession, "request_rerun", AppSession.request_rerun)
    session, part = NewSession(), ClientState(fragment_id="of the page as another server ran it")
    session.request_rerun(part)
    assert not session.runs, "the page is run: half of returning.py can go"
    run_the_whole_page_first()
    for _ in range(2):
        session.request_rerun(ClientState(fragment_id=part.fragment_id))
    assert session.runs == [None], "the first request runs the page; a part that is gone later stays gone"


def parsed(size: int) -> UploadFile:
    """Parse a form with a file of a number of bytes."""
    head = b'--x\r\ncontent-disposition: form-data; name="f"; filename="a.csv"\r\n\r\n'

    async def stream() -> AsyncIterator[bytes]:
        yield head + b"1" * size + b"\r\n--x--\r\n"

    headers = Headers({"content-type": "multipart/form-data; boundary=x"})
    with ThreadPoolExecutor(1) as thread:
        form = thread.submit(asyncio.run, MultiPartParser(headers, stream()).parse()).result()
    found = form["f"]
    assert isinstance(found, UploadFile)
    return found


def test_streamlit_writes_a_large_upload_to_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MultiPartParser, "spool_max_size", MultiPartParser.spool_max_size)
    assert parsed(3 * 2**20).file._rolled, "nothing is written any more: half of uploads.py can go"  # type: ignore[attr-defined]
    keep_uploads_in_memory()
    assert not parsed(3 * 2**20).file._rolled  # type: ignore[attr-defined]


def test_a_file_that_is_let_go_takes_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = MemoryUploadedFileManager("/uploads")
    manager.add_file("mine", UploadedFileRec("1", "a.csv", "text/csv", b"12345"))
    manager.add_file("mine", UploadedFileRec("2", "b.csv", "text/csv", b"123"))
    runtime = SimpleNamespace(exists=lambda: True, instance=lambda: SimpleNamespace(uploaded_file_mgr=manager))
    monkeypatch.setattr(uploads, "Runtime", runtime)
    assert uploads.uploaded_bytes("mine") == 8
    uploads.remove_upload("mine", "1")
    uploads.remove_upload("mine", "none of its files")
    assert uploads.uploaded_bytes("mine") == 3


def holds_back() -> bool:
    """Return whether a server holds back the second part of an answer, on a socket made as Streamlit's is."""

    async def connect() -> bool:
        found = asyncio.get_running_loop().create_future()

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            found.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as bound:
            bound.bind(("127.0.0.1", 0))
            server = await asyncio.start_server(accept, sock=bound)
            _, writer = await asyncio.open_connection(*bound.getsockname())
            nodelay = await found
            writer.close()
            server.close()
        return not nodelay

    with ThreadPoolExecutor(1) as thread:  # this one may have a loop of Playwright's
        return thread.submit(asyncio.run, connect()).result()


def test_python_holds_back_what_follows_on_a_socket_without_a_protocol() -> None:
    assert holds_back(), "asyncio switches Nagle's algorithm off by itself: nodelay.py can go"


def test_an_answer_is_sent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio.base_events, "_set_nodelay", None)  # restored afterwards
    send_at_once()
    assert not holds_back()
