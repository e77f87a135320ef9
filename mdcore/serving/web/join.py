"""The audience's routes: a small page, answers and events, without a Streamlit session."""

from __future__ import annotations

import html
import json
from string import Template

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route

from mdcore.serving.bundle import BROWSER
from mdcore.serving.room.computing import queue_run
from mdcore.serving.room.network import public_host, qr_code
from mdcore.serving.room.room import Refused, Room
from mdcore.serving.room.rooms import ROOMS
from mdcore.serving.web.callers import FRESH, guarded, read_json
from mdcore.serving.web.events import listen
from mdcore.serving.web.modules import version

ASSETS = BROWSER / "audience"
DEVICE, PRESENTER = "margin-lab-device", "margin-lab-presenter"  # cookies
ANSWER = 4096  # bytes
STREAMS = 4000  # for all rooms together
AGE = 8 * 3600


def room_of(request: Request) -> Room:
    return ROOMS.find(request.path_params["room"])


def device_of(request: Request, room: Room) -> str | None:
    """Return the device named by the cookie, or None if this room did not issue it."""
    found = request.cookies.get(DEVICE, "")
    return found if room.knows(found) else None


def presents(request: Request, room: Room) -> bool:
    return room.is_presenter(request.headers.get("x-room-key") or request.cookies.get(PRESENTER, ""))


def page(name: str, **words: str) -> HTMLResponse:
    made = Template((ASSETS / f"{name}.html").read_text(encoding="utf-8"))
    escaped = {key: html.escape(word) for key, word in words.items()}
    return HTMLResponse(made.substitute(escaped, version=version()), headers=FRESH)


def own_cookie(answer: Response, request: Request, room: Room, name: str, value: str) -> None:
    secure = request.url.scheme == "https"
    answer.set_cookie(name, value, AGE, path=f"/join/{room.code}", httponly=True, samesite="strict", secure=secure)


@guarded
async def _door(request: Request) -> Response:
    """Answer with the form for a room code, or redirect to the room of the code submitted."""
    code = request.query_params.get("room", "").strip()
    if code:
        return RedirectResponse(f"/join/{ROOMS.find(code).code}", 303)
    return page("door")


async def _page(request: Request) -> Response:
    try:
        room = room_of(request)
    except Refused as refused:
        gone = page("gone", reason=str(refused))
        gone.status_code = refused.status
        return gone
    if request.path_params["room"] != room.code:
        return RedirectResponse(f"/join/{room.code}", 303)
    answer = page("room", code=room.code, title=room.lesson.title)
    if device_of(request, room) is None:
        own_cookie(answer, request, room, DEVICE, room.new_device())
    return answer


@guarded
async def _answers(request: Request) -> Response:
    room = room_of(request)
    sent = await read_json(request, ANSWER)
    answer = room.answer(request.cookies.get(DEVICE, ""), sent.get("step"), sent.get("answer"))
    queue_run(room, sent["step"], answer)
    return JSONResponse({"counted": True}, headers=FRESH)


@guarded
async def _events(request: Request) -> Response:
    room = room_of(request)
    if ROOMS.followers >= STREAMS:
        raise Refused(503, f"All {STREAMS} streams of this server are taken.")
    stream = listen(room, device_of(request, room), presents=presents(request, room))
    headers = {**FRESH, "x-accel-buffering": "no"}
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


@guarded
async def _state(request: Request) -> Response:
    return Response(json.dumps(room_of(request).public()), media_type="application/json", headers=FRESH)


@guarded
async def _qr(request: Request) -> Response:
    return Response(qr_code(join_address(request, room_of(request))), media_type="image/svg+xml", headers=FRESH)


def join_address(request: Request, room: Room) -> str:
    """Return the room's URL, to be typed or scanned, with a host that is reachable from the network."""
    return f"{request.url.scheme}://{public_host(request.headers.get('host', 'localhost'))}/join/{room.code}"


JOIN = [
    Route("/join", _door, methods=["GET"]),
    Route("/join/{room}", _page, methods=["GET"]),
    Route("/join/{room}/answers", _answers, methods=["POST"]),
    Route("/join/{room}/events", _events, methods=["GET"]),
    Route("/join/{room}/state", _state, methods=["GET"]),
    Route("/join/{room}/qr.svg", _qr, methods=["GET"]),
]
