"""For supervisors of a server: its health, and Prometheus metrics if it was started with MARGIN_LAB_METRICS=1."""

from __future__ import annotations

import os

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

VARIABLE = "MARGIN_LAB_METRICS"


async def _healthy(request: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"}, headers={"cache-control": "no-store"})


async def _metrics(request: Request) -> Response:
    if os.environ.get(VARIABLE) != "1":
        return PlainTextResponse(f"Start the server with {VARIABLE}=1 to have metrics here.\n", status_code=404)
    return Response(generate_latest(), headers={"content-type": CONTENT_TYPE_LATEST})


SUPERVISION = [
    Route("/healthz", _healthy, methods=["GET"]),
    Route("/metrics", _metrics, methods=["GET"]),
]
