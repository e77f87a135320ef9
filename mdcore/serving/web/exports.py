"""Exports of a picture as files; the state is in the URL, as on the page itself."""

from __future__ import annotations

import asyncio

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mdcore.experiment import Experiment
from mdcore.serving.room.room import Refused
from mdcore.serving.stage.files import FILES, Maker
from mdcore.serving.stage.live import run_all
from mdcore.serving.web.callers import FRESH, guarded

LONGEST = 20_000  # characters of a URL
EXPORT_SLOTS = asyncio.Semaphore(2)  # concurrent exports; others wait


@guarded
async def _export(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in FILES:
        raise Refused(404, f"There is no export {name[:40]!r}; there are {', '.join(FILES)}.")
    if len(request.url.query) > LONGEST:
        raise Refused(414, "This address is too long: save the project file instead.")
    kind, make = FILES[name]
    async with EXPORT_SLOTS:
        text = await run_in_threadpool(_make, request.url.query, make)
    headers = {**FRESH, "content-disposition": f'attachment; filename="{name}"'}
    return Response(text.encode(), media_type=kind, headers=headers)


def _make(query: str, make: Maker) -> str:
    """Return the exported text; fits that are on screen are taken from the cache."""
    try:
        experiment = Experiment.from_query(query)
        runs, failures = run_all(experiment)
    except ValueError as error:
        raise Refused(422, str(error)) from None
    if not runs:
        raise Refused(422, " ".join(failures.values()))
    return make(experiment, runs)


EXPORTS = [Route("/export/{name}", _export, methods=["GET"])]
