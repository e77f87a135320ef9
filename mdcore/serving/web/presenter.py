"""The presenter's routes: open a room, control it from the lecture's page or a remote, and end it."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mdcore.serving.lecture.lesson import LARGEST, read_lesson
from mdcore.serving.lecture.lesson_files import find_lesson
from mdcore.serving.room.computing import queue_truth
from mdcore.serving.room.network import qr_code, reaches_others
from mdcore.serving.room.room import Refused, Room
from mdcore.serving.room.rooms import ROOMS
from mdcore.serving.web.callers import FRESH, guarded, read_json
from mdcore.serving.web.join import PRESENTER, join_address, own_cookie, page, presents, room_of

COMMAND_BYTES = 1024
COMMANDS = ("next", "back", "open", "again")


@guarded
async def _open(request: Request) -> Response:
    """Open a room for a lesson, given by name or as text."""
    sent = await read_json(request, LARGEST + COMMAND_BYTES)
    text = sent.get("text")
    if isinstance(text, str):
        shelf, lesson = None, await run_in_threadpool(read_lesson, text)
    else:
        shelf = str(sent.get("lesson", ""))
        lesson = await run_in_threadpool(find_lesson, shelf)
    room = ROOMS.open(lesson, shelf)
    join = join_address(request, room)
    opened = {"code": room.code, "key": room.key, "join": join, "network": reaches_others(urlsplit(join).netloc)}
    answer = JSONResponse(opened, 201, FRESH)
    own_cookie(answer, request, room, PRESENTER, room.key)
    return answer


@guarded
async def _present(request: Request) -> Response:
    room = _led_by(request)
    sent = await read_json(request, COMMAND_BYTES)
    if "go" in sent:
        if sent["go"] not in COMMANDS:
            raise Refused(422, f"go must be one of {', '.join(COMMANDS)}.")
        room.store_command(sent["go"])
    else:
        step, turn = sent.get("step"), sent.get("round", 1)
        if type(step) is not int or type(turn) is not int:
            raise Refused(422, "step and round must be whole numbers.")
        room.present(step, sent.get("phase", "ask"), opened=sent.get("opened") is True, round=turn)
        if sent.get("phase") != "ask":
            queue_truth(room, step)
    return JSONResponse(room.public(), headers=FRESH)


@guarded
async def _end(request: Request) -> Response:
    ROOMS.end(_led_by(request))
    return JSONResponse({"ended": True}, headers=FRESH)


@guarded
async def _notes(request: Request) -> Response:
    """Answer with the notes of all steps, for the presenter's second window and phone."""
    room = _led_by(request)
    steps = [
        {"title": step["title"], "notes": step.get("notes", ""), "question": step.get("question", {}).get("text", "")}
        for step in room.lesson.steps
    ]
    return JSONResponse({"lesson": room.lesson.title, "steps": steps}, headers=FRESH)


@guarded
async def _remote(request: Request) -> Response:
    """Answer with the remote's page. The page is public: its key is in the URL fragment, which is never sent to a
    server."""
    room = room_of(request)
    return page("remote", code=room.code, title=room.lesson.title)


@guarded
async def _remote_qr(request: Request) -> Response:
    """Answer with a QR code of the remote's URL, for the presenter alone: it contains the key."""
    room = _led_by(request)
    code = qr_code(f"{join_address(request, room)}/remote#{room.key}")
    return Response(code, media_type="image/svg+xml", headers=FRESH)


def _led_by(request: Request) -> Room:
    room = room_of(request)
    if not presents(request, room):
        raise Refused(403, "Only the presenter of this room can do this.")
    return room


PRESENT = [
    Route("/rooms", _open, methods=["POST"]),
    Route("/join/{room}/present", _present, methods=["POST"]),
    Route("/join/{room}/end", _end, methods=["POST"]),
    Route("/join/{room}/notes", _notes, methods=["GET"]),
    Route("/join/{room}/remote", _remote, methods=["GET"]),
    Route("/join/{room}/remote.svg", _remote_qr, methods=["GET"]),
]
