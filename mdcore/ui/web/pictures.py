"""The stage's own line: a query in, the binary message out, without Streamlit.

A picture of catalogue data needs the page's token alone, so any process can answer; a table of one's own also needs the
session of the token, in the process where it lives.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from streamlit import config

from mdcore.data import OWN, DataProblem
from mdcore.experiment import Experiment
from mdcore.serving.jobs.timing import timed
from mdcore.serving.jobs.turns import ANSWER_QUEUE, STAGES, Replaced
from mdcore.serving.room.room import Refused
from mdcore.serving.room.rooms import ROOMS
from mdcore.serving.stage.files import Runs
from mdcore.serving.stage.project_file import unpacked
from mdcore.serving.stage.scene import answer
from mdcore.serving.stage.stage_page import StagePage
from mdcore.serving.stage.validation import read_last, read_request
from mdcore.serving.stage_pages import STAGE_PAGES
from mdcore.serving.visits import VISITS, Visit, read_token
from mdcore.serving.web.callers import FRESH, guarded, read_json
from mdcore.ui.workarounds.server import is_host_allowed

TOKEN = "x-margin-lab-token"
SPARE = "/stage/spare-picture"  # the path under which a proxy asks another process than the page's own
MOST_BYTES = 256 * 2**10  # of a request for a picture
MOST_WAITING = 100  # pictures in the queue of a process, about a second's work
PROJECT = "project file"  # the origin of its table
OF_OWN_DATA = re.compile(rf"(?:^|[?&])data={OWN.removesuffix(':')}(?::|%3A)", re.IGNORECASE)
WORKERS = ThreadPoolExecutor(32, "pictures")  # two at work, the others in answers that take long
# Streamlit compresses whatever does not say how it is encoded. A field hardly shrinks, and that takes as long as a fit.
UNCOMPRESSED = {**FRESH, "content-encoding": "identity"}


@guarded
async def _picture(request: HttpRequest) -> Response:
    key = sender(request)
    asked = await read_json(request, MOST_BYTES)
    page, visit = STAGE_PAGES.get(str(asked.get("page"))), VISITS.get(key)
    if page is None:
        raise Refused(422, "There is no such page.")
    # A proxy sends what its own process has no time for to another one, where neither tables nor rooms are.
    if ANSWER_QUEUE.waiting >= MOST_WAITING or (request.url.path.endswith(SPARE) and _needs_its_process(asked, visit)):
        raise Refused(503, "The server is busy.")
    with timed("picture", key):
        try:
            async with STAGES.of(key + page.key), ANSWER_QUEUE.one():
                if await request.is_disconnected():
                    raise Replaced
                loop = asyncio.get_running_loop()
                message = await loop.run_in_executor(WORKERS, _draw, asked, page, visit)
        except Replaced as replaced:
            raise Refused(409, "A newer request has taken the place of this one.") from replaced
    # The first message of a page has the catalogue, which is text.
    if not asked.get("have") and "gzip" in request.headers.get("accept-encoding", ""):
        message = await run_in_threadpool(gzip.compress, message, 1)
        return Response(message, media_type="application/octet-stream", headers=FRESH | {"content-encoding": "gzip"})
    return Response(message, media_type="application/octet-stream", headers=UNCOMPRESSED)


def _draw(asked: dict[str, Any], page: StagePage, visit: Visit | None) -> bytes:
    """Return the message, and let the session know what its page shows now."""
    try:
        own = visit.tables.all() if visit else ()
        request, before = read_request(asked, own, heard=bool(visit)), read_last(asked.get("last"))
    except ValueError as error:
        raise Refused(422, str(error)) from None
    if _needs_its_process(asked, visit) and not request.room:
        raise Refused(403, "This table belongs to another session, or to one that has ended.")

    def drawn(experiment: Experiment, runs: Runs) -> None:
        if visit:
            visit.stages.drawn[page.key] = experiment

    if request.room and before:
        before = replace(before, contents={})  # the phones, which get the message too, may have no picture yet
    message, now = answer(request, before, page, drawn)
    if request.room:
        ROOMS.show(*request.room, message)
    if visit and now and now is not before:
        visit.stages.query[page.key] = now.query
    return message


def _needs_its_process(asked: dict[str, Any], visit: Visit | None) -> bool:
    """Return whether only the process of the page's session, which is not this one, can answer."""
    return visit is None and (bool(asked.get("room")) or bool(OF_OWN_DATA.search(str(asked.get("query")))))


@guarded
async def _table(request: HttpRequest) -> Response:
    """Add the table of a project file to the session, unless it has it. The reason why it cannot be read is an answer,
    too, with status 200."""
    visit = VISITS.get(sender(request))
    if visit is None:
        raise Refused(403, "This page's session has ended.")
    sent = await read_json(request, int(config.get_option("server.maxMessageSize")) * 2**20)
    if sent.get("key") not in visit.tables.known:
        try:
            visit.tables.keep(PROJECT, await run_in_threadpool(unpacked, sent))
        except DataProblem as problem:
            return JSONResponse({"error": str(problem)}, headers=FRESH)
    return JSONResponse({}, headers=FRESH)


def sender(request: HttpRequest) -> str:
    """Return the key of the visit whose page has sent the request; raise Refused if none of ours has."""
    check_page(request)
    key = read_token(request.headers.get(TOKEN, ""))
    if key is None:
        raise Refused(403, "This page's token is no longer valid.")
    return key


def check_page(request: HttpRequest) -> None:
    """Raise Refused unless a page of this server sent the request, under a name by which the server may be called."""
    host, origin = request.headers.get("host"), request.headers.get("origin")
    if not is_host_allowed(host) or origin is None or urlsplit(origin).netloc != host:
        raise Refused(403, "This request comes from a page of another site.")


PICTURES = [
    *(Route(path, _picture, methods=["POST"]) for path in ("/stage/picture", SPARE)),
    Route("/stage/table", _table, methods=["POST"]),
]
