"""Fuzz targets: functions that take untrusted bytes and either use them or refuse them with a message."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mdcore.data import Choices, Table, own_source, propose, read_table
from mdcore.data.tables.columns import apply_changes
from mdcore.experiment import Experiment
from mdcore.experiment.query import parse_query
from mdcore.papers.store import Store
from mdcore.serving.lecture.lesson import read_lesson
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.project_file import unpacked
from mdcore.serving.stage.scene import answer
from mdcore.serving.stage.stage_page import PLAYGROUND
from mdcore.serving.stage.validation import read_last, read_request
from mdcore.serving.stage.view_keys import check_view

CORPUS = Path(__file__).with_name("corpus")
SMALL = "data=moons&n=20&methods=mamc&kernel=linear"
SCRATCH = "/dev/shm" if Path("/dev/shm").is_dir() else None  # in memory, because a disk is fifty times slower
LONGEST_MESSAGE = 10_000  # characters, because people read messages


def reader(content: bytes) -> None:
    """Read an uploaded file into a source of examples."""
    table = read_table(content, "table.csv")
    own_source(table, propose(table))


def query(content: bytes) -> None:
    """Read the query string of a page with a stage."""
    text = _text(content)
    check_view(parse_query(text))
    experiment = Experiment.from_query(text, (), PLAYGROUND.query)
    assert Experiment.from_query(experiment.to_query()) == experiment


def choices(content: bytes) -> None:
    """Read the choices about a table, from a URL or a saved file."""
    apply_changes(_table(), _text(content))
    Choices.from_json(_text(content))


def project(content: bytes) -> None:
    """Read a project file as the browser sends it: any JSON."""
    unpacked(_json(content))


def message(content: bytes) -> None:
    """Answer a request that anyone sends in place of the stage: any JSON."""
    asked = _json(content)
    request = read_request(asked)
    header, _ = decode(answer(replace(request, query=f"{SMALL}&view.t=0"), read_last(asked.get("last")))[0])
    assert header["id"] == request.id


def store(content: bytes) -> None:
    """Open a file as a store of results."""
    with TemporaryDirectory(dir=SCRATCH) as folder:
        path = Path(folder) / "store.db"
        path.write_bytes(content)
        with Store(path) as opened:
            opened.owners()
            opened.standing("a run")


def lesson(content: bytes) -> None:
    """Read a lesson file."""
    read_lesson(_text(content))


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    target.__name__: target for target in (reader, query, choices, project, message, store, lesson)
}


def check(name: str, content: bytes) -> None:
    """Run a target; a refusal must be a ValueError with a message that is neither empty nor too long."""
    try:
        TARGETS[name](content)
    except ValueError as error:
        message = str(error)
    else:
        return
    assert message.strip(), "a refusal without a word"
    assert len(message) <= LONGEST_MESSAGE, f"{len(message):,} characters"


def seeds(name: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


@cache
def _table() -> Table:
    return read_table(b"x,colour,y\n1,red,a\n2,blue,b\n3,red,b\n4,blue,a\n", "table.csv")


def _text(content: bytes) -> str:
    return content.decode("utf-8", errors="replace")


def _json(content: bytes) -> Any:
    try:
        return json.loads(_text(content))
    except RecursionError:
        raise ValueError("The browser reads no JSON that is nested so deeply.") from None
