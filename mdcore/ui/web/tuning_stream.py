"""The tuning of what a stage shows, as a stream of its progress, one JSON object a line; the last one has the chosen
settings. It ends with its last listener.

Nobody waits for a fit here: a job of the pool tunes, one at a time for everybody. Those who ask the same follow the
same job.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Hashable
from functools import partial
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from mdcore.experiment import Experiment
from mdcore.experiment.keys import method_keys
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.pool import EVERYBODY, POOL
from mdcore.serving.room.room import Refused
from mdcore.serving.stage_pages import STAGE_PAGES
from mdcore.serving.visits import VISITS, Visit
from mdcore.serving.web.callers import guarded, read_json
from mdcore.study.picture_tuning import Tuned, bytes_for, subject_of, tune
from mdcore.ui.web.pictures import MOST_BYTES, UNCOMPRESSED, sender

LOOK = 0.1  # seconds between two looks at a job
LONGEST = 300.0  # seconds that a tuning may take
MOST_WAITING = 20  # jobs in the queue of the pool
SHUTDOWN_MESSAGE = "The server is shutting down and has stopped tuning: try again when it is back."
HEADERS = {**UNCOMPRESSED, "x-accel-buffering": "no"}

Tuning = Job[tuple[str, Tuned]]
_JOBS: WeakValueDictionary[Hashable, Tuning] = WeakValueDictionary()  # a job lives as long as a stream follows it
_LOCK = Lock()


@guarded
async def _tuning(request: Request) -> Response:
    visit = VISITS.get(sender(request))
    asked = await read_json(request, MOST_BYTES)
    if POOL.load[1] >= MOST_WAITING:
        raise Refused(503, "The server is busy: try again in a minute.")
    job = await run_in_threadpool(_job, asked, visit)
    return StreamingResponse(_course(job), media_type="application/x-ndjson", headers=HEADERS)


def _job(asked: dict[str, Any], visit: Visit | None) -> Tuning:
    """Return the job that tunes the methods of a state."""
    page, query = STAGE_PAGES.get(str(asked.get("page"))), asked.get("query")
    if page is None or not isinstance(query, str):
        raise Refused(422, "There is no such page.")
    try:
        experiment = Experiment.from_query(query, visit.tables.all() if visit else (), page.query)
        needs = bytes_for(experiment)
    except ValueError as error:
        raise Refused(422, str(error)) from None
    subject = experiment.data, *(subject_of(experiment, method) for method in experiment.methods)
    with _LOCK:
        job = _JOBS.get(subject)
        if job is None:
            job = Job(
                subject,
                partial(tune, experiment),
                EVERYBODY,
                needs=needs,
                longest=LONGEST,
                shutdown_message=SHUTDOWN_MESSAGE,
            )
            _JOBS[subject] = job
    return job


async def _course(job: Tuning) -> AsyncIterator[bytes]:
    """Yield how far a job is whenever that has changed, and at the end the chosen settings or the reason for none."""
    told = None
    while job.running:
        made, total = job.steps
        now = {"made": made, "total": total, "ahead": job.waiting_for}
        if now != told:
            yield _line(now)
            told = now
        await asyncio.sleep(LOOK)
    yield _line({"error": job.problem} if job.problem else {"settings": _settings(job.items)})


def _settings(found: tuple[tuple[str, Tuned], ...]) -> dict[str, str]:
    """Return the chosen parameters as a query has them."""
    pairs = (
        (key, one.settings[name])
        for method, one in found
        for name, key in zip(one.settings, method_keys(method).values(), strict=True)
    )
    return {key.name: key.text(value) for key, value in pairs}


def _line(event: dict[str, Any]) -> bytes:
    return json.dumps(event).encode() + b"\n"


TUNING = [Route("/stage/tuning", _tuning, methods=["POST"])]
