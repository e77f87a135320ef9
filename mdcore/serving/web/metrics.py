"""Prometheus metrics at `/metrics`, on a server started with MARGIN_LAB_METRICS=1."""

from __future__ import annotations

import os

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

VARIABLE = "MARGIN_LAB_METRICS"


async def _metrics(request: Request) -> Response:
    if os.environ.get(VARIABLE) != "1":
        return PlainTextResponse(f"Start the server with {VARIABLE}=1 to have metrics here.\n", status_code=404)
    return Response(generate_latest(), headers={"content-type": CONTENT_TYPE_LATEST})


METRICS = Route("/metrics", _metrics, methods=["GET"])
