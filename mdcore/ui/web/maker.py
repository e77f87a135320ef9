"""The page on which a lesson is put together; it keeps the lesson in the browser until it is saved as a file."""

from __future__ import annotations

from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mdcore.experiment import Experiment
from mdcore.query import SCALE
from mdcore.ui.lecture.lesson import EDIT
from mdcore.ui.room.room import Refused
from mdcore.ui.stage.catalog import catalog
from mdcore.ui.web.callers import FRESH, guarded

ASSETS = Path(__file__).parents[1] / "assets" / "maker"
TYPES = {"maker.js": "text/javascript", "maker.css": "text/css"}


async def _page(request: Request) -> Response:
    return Response((ASSETS / "maker.html").read_bytes(), media_type="text/html", headers=FRESH)


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in TYPES:
        return Response("There is no such file.", 404)
    return Response((ASSETS / name).read_bytes(), media_type=TYPES[name], headers={"cache-control": "no-cache"})


@guarded
async def _controls(request: Request) -> Response:
    """Return what can stay on a step with this state: its data's options, its methods' parameters, the scale, the
    tools."""
    return JSONResponse(await run_in_threadpool(controls_of, request.url.query), headers=FRESH)


def controls_of(query: str) -> list[dict[str, str]]:
    try:
        experiment = Experiment.from_query(query)
    except ValueError as error:
        raise Refused(422, str(error)) from None
    _, known = catalog()
    source = next(source for source in known["sources"] if source["key"] == experiment.data.source)
    methods = {method["key"]: method for method in known["methods"]}
    common = [control for control in known["common"] if control["group"] in ("kernel", "split")]
    found = [(option["name"], option["symbol"]) for option in [*source["options"], *common]]
    for key in experiment.methods:
        found += [(param["name"], f"{methods[key]['name']} {param['symbol']}") for param in methods[key]["params"]]
    found += [(SCALE.name, SCALE.symbol), (EDIT, "tools to edit examples")]
    return [{"name": name, "label": label} for name, label in dict(found).items()]


MAKER = [
    Route("/lesson-maker", _page, methods=["GET"]),
    Route("/maker/{name}", _asset, methods=["GET"]),
    Route("/lessons/controls", _controls, methods=["GET"]),
]
