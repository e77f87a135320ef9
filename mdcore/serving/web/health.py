"""The health check, for supervisors and load balancers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


async def _healthy(request: Request) -> JSONResponse:
    return JSONResponse({"status": "ok"}, headers={"cache-control": "no-store"})


HEALTH = Route("/healthz", _healthy, methods=["GET"])
