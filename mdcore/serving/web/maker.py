"""The lesson maker, a page for composing a lesson. The lesson stays in the browser until it is saved as a file."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from mdcore.experiment import Experiment
from mdcore.experiment.query import SCALE
from mdcore.methods import METHODS
from mdcore.serving.lecture.lesson import EDIT
from mdcore.serving.room.room import Refused
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.web.callers import FRESH, guarded
from mdcore.serving.web.join import page
from mdcore.spec import Param


async def _page(request: Request) -> Response:
    return page("maker")


@guarded
async def _controls(request: Request) -> Response:
    return JSONResponse(await run_in_threadpool(choices_of, request.url.query), headers=FRESH)


def choices_of(query: str) -> dict[str, list[dict[str, str]]]:
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
    params = [
        (param["name"], f"{method['name']} {param['symbol']}") for method in methods for param in method["params"]
    ]
    data = [(option["name"], option["symbol"]) for option in [*source["options"], *common]]
    numbers = {
        f"{key}.{param.name}" for key in experiment.methods for param in METHODS[key].params if isinstance(param, Param)
    }
    return {
        "controls": _named([*data, *params, (SCALE.name, SCALE.symbol), (EDIT, "tools to edit examples")]),
        "methods": _named([(method["key"], method["name"]) for method in methods]),
        "params": _named([param for param in params if param[0] in numbers]),
    }


def _named(found: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "label": label} for name, label in dict(found).items()]


MAKER = [
    Route("/lesson-maker", _page, methods=["GET"]),
    Route("/lessons/controls", _controls, methods=["GET"]),
]
