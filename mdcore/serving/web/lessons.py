"""Routes of the lessons: the list, single lessons, their schema, the validation of a lesson's text, and the page for
composing one, which stays in the browser until it is saved as a file."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from mdcore.basics.memo import LRUCache
from mdcore.experiment import Experiment
from mdcore.experiment.query import SCALE
from mdcore.serving.lecture.handout import handout
from mdcore.serving.lecture.lesson import EDIT, LARGEST, BadLesson, read_lesson, schema
from mdcore.serving.lecture.lesson_files import find_lesson, lesson_names
from mdcore.serving.lecture.offline import offline_html
from mdcore.serving.room.room import Refused
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage_pages.lecture import picture_of
from mdcore.serving.web.callers import FRESH, guarded, read_body
from mdcore.serving.web.join import page

_OFFLINE: LRUCache[bytes] = LRUCache(capacity=4)
_SOLVING = threading.Lock()


@guarded
async def _all(request: Request) -> Response:
    """Answer with the name and title of each lesson, or with the error of an invalid one."""
    return JSONResponse(await run_in_threadpool(lambda: [_entry(name) for name in lesson_names()]), headers=FRESH)


def _entry(name: str) -> dict[str, object]:
    try:
        lesson = find_lesson(name)
    except BadLesson as bad:
        return {"name": name, "error": str(bad)}
    summary = str(lesson.content.get("summary", ""))
    return {"name": name, "title": lesson.title, "summary": summary, "steps": len(lesson.steps)}


@guarded
async def _one(request: Request) -> Response:
    lesson = await run_in_threadpool(find_lesson, request.path_params["name"])
    return JSONResponse(lesson.shown(), headers=FRESH)


@guarded
async def _check(request: Request) -> Response:
    """Answer with the lesson of a text as the browser shows it, or with the error and its line. Both have status 200:
    either is a valid result of the check."""
    text = (await read_body(request, 2 * LARGEST)).decode("utf-8-sig", errors="replace")
    try:
        lesson = await run_in_threadpool(read_lesson, text)
    except BadLesson as bad:
        return JSONResponse({"error": str(bad), "line": bad.line, "reason": bad.reason}, headers=FRESH)
    return JSONResponse(lesson.shown(), headers=FRESH)


async def _schema(request: Request) -> Response:
    return Response(json.dumps(schema(), indent=2), media_type="application/schema+json")


@guarded
async def _handout(request: Request) -> Response:
    lesson = await run_in_threadpool(find_lesson, request.path_params["name"])
    return HTMLResponse(handout(lesson, notes=request.query_params.get("notes") == "1"), headers=FRESH)


@guarded
async def _source(request: Request) -> Response:
    """Answer with the lesson's JSON source, as a starting point for a new lesson."""
    lesson = await run_in_threadpool(find_lesson, request.path_params["name"])
    return Response(
        json.dumps(lesson.content, indent=2, ensure_ascii=False), media_type="application/json", headers=FRESH
    )


@guarded
async def _offline(request: Request) -> Response:
    """Answer with the lesson as one offline file; the latest are cached, and one is computed at a time."""
    name = request.path_params["name"]
    page = await run_in_threadpool(_solved, name)
    return Response(
        page, media_type="text/html", headers={**FRESH, "content-disposition": f'attachment; filename="{name}.html"'}
    )


def _solved(name: str) -> bytes:
    lesson = find_lesson(name)
    with _SOLVING:
        return _OFFLINE.get(json.dumps(lesson.content), lambda: offline_html(lesson, picture_of).encode())


async def _maker(request: Request) -> Response:
    return page("maker")


@guarded
async def _controls(request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(_choices, request.url.query), headers=FRESH)


def _choices(query: str) -> dict[str, list[dict[str, str]]]:
    """Return the choices for a lesson step with this state: the controls that can stay visible, the methods shown, and
    their numeric parameters."""
    try:
        experiment = Experiment.from_query(query)
    except ValueError as error:
        raise Refused(422, str(error)) from None
    _, known = catalog()
    source = next(source for source in known["sources"] if source["key"] == experiment.data.source)
    methods = [method for method in known["methods"] if method["key"] in experiment.methods]
    common = [control for control in known["common"] if control["group"] in ("kernel", "split")]
    params = [(param, f"{method['name']} {param['symbol']}") for method in methods for param in method["params"]]
    data = {option["name"]: option["symbol"] for option in [*source["options"], *common]}
    more = {SCALE.name: SCALE.symbol, EDIT: "tools to edit examples"}
    return {
        "controls": _named(data | {param["name"]: label for param, label in params} | more),
        "methods": _named({method["key"]: method["name"] for method in methods}),
        "params": _named({param["name"]: label for param, label in params if param["kind"] == "number"}),
    }


def _named(labels: Mapping[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "label": label} for name, label in labels.items()]


LESSONS = [
    Route("/lessons", _all, methods=["GET"]),
    Route("/lessons/schema.json", _schema, methods=["GET"]),
    Route("/lessons/check", _check, methods=["POST"]),
    Route("/lessons/controls", _controls, methods=["GET"]),
    Route("/lesson-maker", _maker, methods=["GET"]),
    Route("/lessons/{name}.json", _one, methods=["GET"]),
    Route("/lessons/{name}/handout", _handout, methods=["GET"]),
    Route("/lessons/{name}/source", _source, methods=["GET"]),
    Route("/lessons/{name}/offline", _offline, methods=["GET"]),
]
