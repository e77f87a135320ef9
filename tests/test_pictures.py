"""The stage's own line: who gets a picture, who is refused, and that nothing of one session is told to another."""

from __future__ import annotations

import asyncio
import gc
import gzip
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.middleware.gzip import GZipMiddleware
from streamlit import config

from mdcore.data import OwnSource, own_source, propose, read_table
from mdcore.serving import visits
from mdcore.serving.lecture.lesson_files import find_lesson
from mdcore.serving.room.rooms import ROOMS
from mdcore.serving.room.small_picture import small_picture
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.message import decode, encode
from mdcore.serving.stage.project_file import packed
from mdcore.serving.visits import MAX_AGE, VISITS, OwnSources, Stages, Visit, read_token, shared_key, token_for
from mdcore.ui.web import pictures
from mdcore.ui.web.pictures import MOST_BYTES, MOST_WAITING, PICTURES
from mdcore.ui.web.tuning_stream import TUNING
from tests.asgi import asked
from tests.waiting import PATIENCE

APP = Starlette(routes=[*PICTURES, *TUNING])
GOOD: dict[str, Any] = {"query": "data=moons&n=40&methods=svm", "id": 7, "have": "", "page": "playground"}
PAGE = {"host": "lab.example", "origin": "http://lab.example", "content-type": "application/json"}
KEY = "own:" + "k" * 20


def visit_of(key: str, *tables: OwnSource) -> Visit:
    made = Visit(key, Stages(), OwnSources())
    for table in tables:
        made.tables.keep("file", table)
    VISITS[key] = made
    return made


def table(content: str) -> OwnSource:
    """Return a table of which every session of these tests has one under the same key and name."""
    read = read_table(content.encode(), "people.csv")
    return own_source(read, propose(read, "ill"), KEY)


def people(height: int) -> OwnSource:
    rows = [f"{height + i % 7},{i % 5},{'yes' if i % 2 else 'no'}" for i in range(40)]
    return table("\n".join(["height,age,ill", *rows]))


def post(path: str, body: Any, token: str = "", *, app: Any = APP, **headers: str) -> tuple[int, Headers, bytes]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = PAGE | {"x-margin-lab-token": token, "content-length": str(len(content))} | headers
    sent = asked(
        app,
        {
            "type": "http",
            "method": "POST",
            "path": path,
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in named.items() if value],
        },
        [content],
    )
    whole = b"".join(message.get("body", b"") for message in sent)
    return sent[0]["status"], Headers(raw=sent[0]["headers"]), whole


def picture(token: str, **request: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    status, _, body = post("/stage/picture", GOOD | request, token)
    assert status == 200, body
    return decode(body)


def test_a_picture_of_catalogue_data_needs_the_token_alone() -> None:
    header, arrays = picture(token_for("a session of another process"))
    assert (header["id"], header["methods"], header["heard"]) == (7, ["svm"], False)
    assert len(arrays["row"]) == 40


def test_the_session_knows_what_its_page_shows() -> None:
    own = visit_of("mine")
    header, _ = picture(token_for("mine"))
    assert header["heard"]
    assert own.stages.drawn["playground"].to_query() == own.stages.query["playground"] == header["query"]
    refused, _ = picture(token_for("mine"), query="data=nowhere", last=header["last"])
    assert refused["error"]["key"] == "data"
    assert own.stages.query["playground"] == header["query"]
    picture(token_for("mine"), page="multiclass", query="data=blobs-k&each=8&classes=3&methods=mcsvm")
    assert set(own.stages.drawn) == {"playground", "multiclass"}


def test_any_process_goes_on_with_a_drag() -> None:
    """The sentence and the axes of a picture come from the last one, which is sent along."""
    token, query = token_for("of no session here"), GOOD["query"]
    first, _ = picture(token)
    last = first["last"]
    for C in (2, 4, 8):
        header, _ = picture(token, query=f"{query}&svm.C={C}", gesture=5, held=True, last=last)
        last = header["last"]
    assert header["sentence"].startswith("SVM, C 10 → 8")
    assert header["histogram"]["held"]
    alone, _ = picture(token, query=f"{query}&svm.C=8")
    assert not alone["histogram"]["held"]


@pytest.mark.parametrize("path", ["/stage/picture", "/stage/table", "/stage/tuning"])
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x_margin_lab_token": "made up"}, 403),
        ({"x_margin_lab_token": ""}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": ""}, 403),
        ({"origin": "null"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"content_type": ""}, 415),
    ],
)
def test_whoever_is_no_page_of_ours_is_refused(path: str, headers: dict[str, str], status: int) -> None:
    own = visit_of("whose page it is")
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    token = named.pop("x-margin-lab-token", token_for(own.key))
    answered, _, body = post(path, GOOD, token, **named)
    assert answered == status
    assert json.loads(body)["error"]


def test_a_host_that_is_not_allowed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    allowed = ["*.example"]
    monkeypatch.setattr(config, "get_option", lambda name: allowed if name == "server.allowedHosts" else None)
    assert post("/stage/picture", GOOD, token_for("a"))[0] == 200
    allowed[:] = ["elsewhere.test"]
    assert post("/stage/picture", GOOD, token_for("a"))[0] == 403


def test_a_request_that_is_too_large_or_unreadable_is_refused_in_words() -> None:
    token = token_for("a")
    assert post("/stage/picture", GOOD | {"query": "x" * MOST_BYTES}, token)[0] == 413
    assert post("/stage/picture", GOOD | {"query": "x" * (MOST_BYTES - 1000)}, token)[0] == 200
    assert post("/stage/picture", b"{", token)[0] == 400
    for wrong in ({"id": None}, {"page": "nowhere"}, {"page": ["playground"]}, {"last": "text"}, {"query": 3}):
        status, _, body = post("/stage/picture", GOOD | wrong, token)
        assert status == 422
        assert json.loads(body)["error"]


def test_nobody_compresses_a_picture() -> None:
    """Starlette's middleware, which Streamlit uses for all routes, leaves alone what says how it is encoded."""
    app = GZipMiddleware(APP, minimum_size=500)
    known = GOOD | {"have": catalog()[0]}
    _, headers, body = post("/stage/picture", known, token_for("a"), app=app, **{"accept-encoding": "gzip"})
    assert headers["content-encoding"] == "identity"
    assert headers["cache-control"] == "no-store"
    assert decode(body)[0]["id"] == 7


def test_phones_get_the_presenters_pictures_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """The presenter's browser already has most arrays of the second picture; with another key, none is shown."""
    monkeypatch.setattr("mdcore.serving.room.room.PACE", 0.0)
    visit_of("the presenter's")
    token, lecture = token_for("the presenter's"), {"page": "lecture"}
    room = ROOMS.open(find_lesson("margins"))
    first, _ = picture(token, **lecture, room={"code": room.code, "key": "guess"})
    assert "scene" not in room.news(presents=False)
    header, arrays = picture(token, **lecture, last=first["last"], room={"code": room.code, "key": room.key})
    assert header["kept"] == []
    _, told = room.news(presents=False)["scene"]
    assert json.loads(told.split(b"data: ")[1]) == small_picture(encode(header, arrays))
    ROOMS.end(room)


def test_the_first_picture_is_compressed_with_the_catalogue_that_it_brings() -> None:
    app = GZipMiddleware(APP, minimum_size=500)
    _, headers, body = post("/stage/picture", GOOD, token_for("a"), app=app, **{"accept-encoding": "gzip"})
    assert headers["content-encoding"] == "gzip"
    assert "catalog" in decode(gzip.decompress(body))[0]
    _, headers, plain = post("/stage/picture", GOOD, token_for("a"), app=app, **{"accept-encoding": "identity"})
    assert headers["content-encoding"] == "identity"
    assert "catalog" in decode(plain)[0]


def test_a_spare_process_draws_what_any_process_can_and_lets_the_rest_be_tried_again() -> None:
    token, spare = token_for("of another process"), pictures.SPARE
    status, _, body = post(spare, GOOD, token)
    assert status == 200
    assert not decode(body)[0]["heard"]
    assert post(spare, GOOD | {"query": f"data={KEY}&methods=svm"}, token)[0] == 503
    assert post(spare, GOOD | {"page": "lecture", "room": {"code": "ABCDEF", "key": "k"}}, token)[0] == 503
    own = visit_of("of this process")
    assert decode(post(spare, GOOD, token_for(own.key))[2])[0]["heard"]


# Tokens


def test_a_token_is_good_for_its_time_and_only_with_our_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    token = token_for("a")
    assert read_token(token) == "a"
    assert token != token_for("a"), "a page that runs again gets another, so that its stage is told"
    assert read_token(token[:-2] + ("AA" if token[-2:] != "AA" else "BB")) is None
    monkeypatch.setattr(visits, "MAX_AGE", -1)
    assert read_token(token) is None
    monkeypatch.setattr(visits, "MAX_AGE", MAX_AGE)
    monkeypatch.setenv("MARGIN_LAB_KEY", str(tmp_path / "another"))
    visits._serializer.cache_clear()
    assert read_token(token) is None
    visits._serializer.cache_clear()


def test_processes_that_start_together_share_one_key(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "key"
    with ThreadPoolExecutor(8) as processes:
        keys = set(processes.map(shared_key, [path] * 32))
    assert len(keys) == 1
    assert path.stat().st_mode & 0o077 == 0, "only its owner reads it"
    assert [*path.parent.iterdir()] == [path]


def test_without_a_place_for_the_key_a_process_has_its_own(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert shared_key(blocked / "key") != shared_key(blocked / "key")
    with pytest.raises(ValueError, match="MARGIN_LAB_KEY must name a file of at least 32 random bytes"):
        shared_key(blocked)


# Tables of one's own


def test_two_sessions_with_equal_names_get_each_their_own_table() -> None:
    mine, theirs = visit_of("mine", people(150)), visit_of("theirs", people(180))
    query = f"data={KEY}&methods=svm&scaling=none&kernel=linear"
    lows = []
    for own in (mine, theirs):
        header, _ = picture(token_for(own.key), query=query)
        assert header["error"] is None
        lows.append(header["plane"]["x"]["low"])
    assert lows[1] - lows[0] == pytest.approx(30.0)


def test_a_table_is_refused_to_every_other_session_and_goes_with_its_own() -> None:
    own, other = visit_of("owner", people(150)), visit_of("other")
    query = f"data={KEY}&methods=svm"
    header, _ = picture(token_for("other"), query=query)
    assert "exists only in the session that loaded it" in header["error"]["message"]
    assert "people" not in json.dumps(header)
    pinned, _ = picture(token_for("other"), query=f"{GOOD['query']}&view.pin1=data%3D{KEY}", last=header["last"])
    assert pinned["error"]["message"].startswith("Pin 1 cannot be read")
    assert picture(token_for("owner"), query=query)[0]["error"] is None
    del own
    gc.collect()
    assert "owner" not in VISITS
    assert post("/stage/picture", GOOD | {"query": query}, token_for("owner"))[0] == 403
    assert other.stages.drawn == {}


def test_a_projects_table_goes_to_its_session_alone() -> None:
    source = people(150)
    saved = packed(source_key(source), source)
    own, other = visit_of("reader"), visit_of("bystander")
    assert post("/stage/table", saved, token_for("reader"))[0] == 200
    assert own.tables.known[KEY].table.name == "people.csv"
    assert not other.tables.known
    header, _ = picture(token_for("reader"), query=f"data={KEY}&methods=svm")
    assert header["error"] is None
    status, _, body = post("/stage/table", saved | {"key": "own:" + "x" * 20, "content": "?"}, token_for("reader"))
    assert status == 200
    assert "It is damaged" in json.loads(body)["error"]
    assert post("/stage/table", saved, token_for("nobody here"))[0] == 403


def source_key(source: OwnSource) -> Any:
    from mdcore.experiment import Experiment

    return Experiment.from_query(f"data={source.key}", [source]).data


# The queue


def test_a_full_queue_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full:
        waiting = MOST_WAITING

    monkeypatch.setattr(pictures, "ANSWER_QUEUE", Full())
    status, _, body = post("/stage/picture", GOOD, token_for("a"))
    assert status == 503
    assert json.loads(body)["error"]


def test_of_three_requests_of_a_stage_the_middle_one_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    go, begun, drawn = threading.Event(), threading.Event(), list[int]()

    def draw(asked: dict[str, Any], *_: object) -> bytes:
        begun.set()
        go.wait(PATIENCE)
        drawn.append(asked["id"])
        return b"picture"

    monkeypatch.setattr(pictures, "_draw", draw)

    async def ask(number: int) -> int:
        body = json.dumps(GOOD | {"id": number}).encode()
        status = list[int]()

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            status.extend([message["status"]] if "status" in message else [])

        headers = PAGE | {"x-margin-lab-token": token_for("a")}
        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": "POST", "path": "/stage/picture", "query_string": b"", "headers": raw}
        await APP(scope, receive, send)
        return status[0]

    async def three() -> list[int]:
        async with asyncio.TaskGroup() as group:
            first = group.create_task(ask(1))
            await asyncio.to_thread(begun.wait, PATIENCE)
            middle = group.create_task(ask(2))
            await asyncio.sleep(0)
            last = group.create_task(ask(3))
            assert await middle == 409
            go.set()
        return [task.result() for task in (first, middle, last)]

    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(asyncio.run, three()).result(PATIENCE) == [200, 409, 200]
    assert drawn == [1, 3]


def test_nobody_draws_for_a_browser_that_has_left_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = list[object]()
    monkeypatch.setattr(pictures, "_draw", lambda *asked: drawn.append(asked))
    body = iter([{"type": "http.request", "body": json.dumps(GOOD).encode(), "more_body": False}])

    async def leave() -> None:
        async def receive() -> dict[str, Any]:
            return next(body, {"type": "http.disconnect"})

        async def send(message: Any) -> None:
            """Reach nobody."""

        raw = [(n.encode(), v.encode()) for n, v in (PAGE | {"x-margin-lab-token": token_for("a")}).items()]
        scope = {"type": "http", "method": "POST", "path": "/stage/picture", "query_string": b"", "headers": raw}
        await APP(scope, receive, send)

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, leave()).result(PATIENCE)
    assert drawn == []


@pytest.mark.parametrize("key", [KEY, KEY.replace(":", "%3A"), KEY.replace(":", "%3a")])
def test_a_table_however_it_is_spelled_is_not_looked_for_elsewhere(key: str) -> None:
    """As in an address, where another process would take it for a mistyped name of public data."""
    token = token_for("of no session here")
    assert post("/stage/picture", GOOD | {"query": f"data={key}&methods=svm", "opens": True}, token)[0] == 403
    assert post(pictures.SPARE, GOOD | {"query": f"methods=svm&data={key}"}, token)[0] == 503


def test_a_token_is_never_logged(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("mdcore.serving.jobs.timing.SLOW", 0.0)
    own = visit_of("a session with a secret name")
    token = token_for(own.key)
    with caplog.at_level(0):
        picture(token)
        post("/stage/picture", GOOD, token + "x")
        post("/stage/picture", GOOD | {"query": 3}, token)
    assert "picture took" in caplog.text
    assert token not in caplog.text
    assert own.key not in caplog.text
