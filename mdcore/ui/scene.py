"""A request of the browser in, the scene it draws out: runs packed as numbers, no Streamlit.

Everything the page shows is in one message and comes from the runs of one experiment; the browser computes pixels and
contours. A request that cannot be met answers with the reason and leaves the picture as it is.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from mdcore.data import Move, OwnSource, Prepared
from mdcore.experiment import VIEW, BadKey, Experiment, Run, parse_query
from mdcore.margin import STATISTICS, MarginDistribution, common_edges
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import SEVERAL
from mdcore.narrative import sentence, three_digits
from mdcore.projection import Projection, plane, several_plane, signed_distance
from mdcore.ui.catalog import catalog
from mdcore.ui.field import GRID, pack_field
from mdcore.ui.message import encode
from mdcore.ui.openings import PLAYGROUND, Opening
from mdcore.ui.project import packed

Array = NDArray[np.float64]
Arrays = dict[str, NDArray[Any]]

LIVE, PATIENT = 2.0, 20.0  # seconds a solver may take before the picture is shown with what it has
FINISH = "view.finish"  # set where a picture is worth more time
CHIPS = 4  # methods that are always in view to be switched on, on a page that names none
PINS = ("view.pin1", "view.pin2", "view.pin3")


@dataclass(frozen=True)
class Request:
    """What the browser wants drawn; `have` is the hash of the catalogue it holds, `own` the tables of its session.

    With `save` the answer brings the table along, for a project file.
    """

    query: str
    id: int = 0
    have: str = ""
    own: Collection[OwnSource] = ()
    save: bool = False


@dataclass(frozen=True, eq=False)
class Drawn:
    """What a session shows now, to tell the next picture's differences from."""

    experiment: Experiment
    runs: Mapping[str, Run]
    sentence: str = ""


def answer(request: Request, before: Drawn | None, opening: Opening = PLAYGROUND) -> tuple[bytes, Drawn | None]:
    """The message for a request, and what is on screen once it is drawn."""
    try:
        given = parse_query(request.query)
        experiment = Experiment.from_query(request.query, request.own, opening.query)
        header, arrays, drawn = _scene(experiment, given, before, opening, request.own)
        problem = None
    except ValueError as error:
        if before is not None:
            return refusal(request, error), before
        problem = _problem(error)
        header, arrays, drawn = _scene(Experiment.from_query(opening.query), {}, None, opening)
    else:
        header |= _table(experiment) if request.save else {}
    return encode({"id": request.id, "error": problem, **_catalog(request), **header}, arrays), drawn


def refusal(request: Request, error: ValueError) -> bytes:
    """The message that leaves the picture as it is and says why."""
    return encode({"id": request.id, "error": _problem(error), **_catalog(request)}, {})


def _problem(error: ValueError) -> dict[str, Any]:
    return {"message": str(error), "key": error.key if isinstance(error, BadKey) else None}


def _table(experiment: Experiment) -> dict[str, Any]:
    own = experiment.data.own
    return {"table": packed(experiment.data, own)} if own else {}


def _catalog(request: Request) -> dict[str, Any]:
    key, content = catalog(request.own)
    return {"catalogHash": key} if request.have == key else {"catalogHash": key, "catalog": content}


def _scene(
    experiment: Experiment,
    given: Mapping[str, str],
    before: Drawn | None,
    opening: Opening,
    own: Collection[OwnSource] = (),
) -> tuple[dict[str, Any], Arrays, Drawn]:
    runs, failures = _run_all(experiment, PATIENT if given.get(FINISH) == "1" else LIVE)
    shared = shared_plane(experiment)
    pinned = _pinned(given, experiment, own)
    again = before is not None and before.experiment == experiment
    if again:
        opening.pursue(experiment)
    said = before.sentence if before and again else _said(before, experiment, runs)
    header, arrays = picture(experiment, runs, failures, shared)
    header |= {
        "query": _canonical(experiment, given),
        "values": _values(experiment),
        "drawn": _numbers(experiment),
        "source": experiment.data.source,
        "pins": [_pin(slot, name, pin, shared, experiment, arrays) for name, slot, pin in pinned],
        "sentence": said,
        "probe": _probe(given, experiment, runs, shared),
        "charts": opening.charts,
        "offered": list(dict.fromkeys((*opening.methods, *METHODS))),
        "chips": max(CHIPS, len(opening.methods)),
        "lead": opening.lead,
        "several": opening.several,
    }
    more, charts = opening.extra(experiment, runs)
    header |= more
    arrays |= charts
    return header, arrays, Drawn(experiment, runs, said)


def _said(before: Drawn | None, experiment: Experiment, runs: Mapping[str, Run]) -> str:
    return sentence((before.experiment, before.runs) if before else None, (experiment, runs))


def shared_plane(experiment: Experiment) -> Projection | None:
    """The plane in which all methods are drawn: that of two features, of several classes principal components.

    Two classes with more features have no such plane, but a view of signed distances for each method.
    """
    prepared = experiment.prepare()
    if _planar(prepared):
        return plane(prepared)
    return several_plane(prepared) if _several(prepared) else None


def histogram_edges(runs: Mapping[str, Run]) -> Array:
    return common_edges([part for run in runs.values() for part in (run.train, run.test)])


def picture(
    experiment: Experiment,
    runs: Mapping[str, Run],
    failures: Mapping[str, str],
    shared: Projection | None,
    edges: Array | None = None,
) -> tuple[dict[str, Any], Arrays]:
    """What the views draw of these runs; `edges` of the histogram where other pictures share its axis."""
    prepared = experiment.prepare()
    if edges is None:
        edges = histogram_edges(runs)
    arrays = _points(experiment, shared)
    panels = [
        _failed(key, failures[key]) if key in failures else _panel(runs[key], shared, edges, arrays)
        for key in experiment.methods
    ]
    header = {
        "methods": list(experiment.methods),
        "classes": [str(label) for label in prepared.dataset.classes],
        "canEdit": _planar(prepared) and not _several(prepared),
        "plane": _plane(experiment, shared),
        "split": {"train": len(prepared.train), "test": len(prepared.test)},
        "histogram": {"edges": edges.tolist(), "unit": "counts"},
        "panels": panels,
    }
    return header, arrays


def _run_all(experiment: Experiment, budget: float = LIVE) -> tuple[dict[str, Run], dict[str, str]]:
    """Runs, and the reasons of the methods that cannot be fitted to these data."""
    runs, failures = {}, {}
    for key in experiment.methods:
        try:
            runs[key] = experiment.run_method(key, budget)
        except ValueError as error:
            failures[key] = str(error)
    return runs, failures


def _points(experiment: Experiment, shared: Projection | None) -> Arrays:
    prepared = experiment.prepare()
    rows = np.concatenate([prepared.train, prepared.test])
    labels = np.searchsorted(prepared.dataset.classes, np.concatenate([prepared.y_train, prepared.y_test]))
    part = np.repeat([0, 1], [len(prepared.train), len(prepared.test)])
    points = shared.points if shared else np.zeros((len(rows), 2))
    return {
        "x": points[:, 0].astype(np.float32),
        "y": points[:, 1].astype(np.float32),
        "label": labels.astype(np.uint8),
        "part": part.astype(np.uint8),
        "row": rows.astype(np.int32),
    }


def _panel(run: Run, shared: Projection | None, edges: Array, arrays: Arrays) -> dict[str, Any]:
    key, model = run.method.key, run.model
    own = shared or signed_distance(run)
    several, field_scale = _several(run.prepared), 0.0
    if several:
        arrays[f"predicted:{key}"] = _predicted(run)
        if _planar(run.prepared):
            arrays[f"region:{key}"], arrays[f"certainty:{key}"] = _regions(run, own)
    else:
        arrays[f"field:{key}"], field_scale = _field(run, own, planar=shared is not None)
    if shared is None:
        arrays[f"x:{key}"], arrays[f"y:{key}"] = (own.points[:, axis].astype(np.float32) for axis in (0, 1))
    arrays[f"margin:{key}"] = np.concatenate([run.train.values, run.test.values])
    flags = np.zeros(len(arrays["row"]), dtype=np.uint8)
    flags[model.support_] = 1
    arrays[f"flag:{key}"] = flags
    for part, distribution in (("train", run.train), ("test", run.test)):
        arrays[f"count:{key}:{part}"] = distribution.counts(edges).astype(np.int32)
        arrays[f"curve:{key}:{part}"] = distribution.ordered
    return {
        "key": key,
        "name": run.name,
        "color": run.method.color,
        "status": _status(run),
        "message": _honest_note(run),
        "badge": {
            "converged": bool(model.converged_),
            "gap": _number(model.gap_),
            "iterations": int(model.n_iter_),
            "seconds": run.fit.seconds,
            "support": len(model.support_),
            "supportLabel": run.method.support,
            "objective": _number(model.objective_),
            **_learned(run),
        },
        "norm": model.norm_,
        "window": None if shared else _window(own),
        "note": "" if shared else own.note,
        "levels": [-run.unit, 0, run.unit],
        "fieldScale": field_scale,
        "grid": GRID,
        "regions": several,
        "votes": run.votes,
        "marks": [
            {"low": mark.low, "high": mark.high, "label": mark.label, "strength": mark.strength} for mark in run.marks()
        ],
        "stats": {"train": statistics(run.train), "test": statistics(run.test)},
    }


def _failed(key: str, reason: str) -> dict[str, Any]:
    method = METHODS[key]
    nothing: dict[str, float | None] = dict.fromkeys(STATISTICS)
    return {
        "key": key,
        "name": method.name,
        "color": method.color,
        "status": "failed",
        "message": reason,
        "marks": [],
        "stats": {"train": nothing, "test": nothing},
    }


def _status(run: Run) -> str:
    if run.fit.on_the_way:
        return "underway"
    return "ok" if run.model.converged_ else "overbudget" if run.fit.cut else "unconverged"


def _learned(run: Run) -> dict[str, int]:
    """What an online learner counts."""
    if run.method.family != "online":
        return {}
    return {"updates": run.model.n_updates_, "mistakes": run.model.n_mistakes_}


def _honest_note(run: Run) -> str:
    """What a reader must know before trusting the picture."""
    if not run.method.kernels and run.fit.space.kernel.name != "linear":
        return f"{run.name} is linear: the kernel does not apply to it."
    return str(run.model.status_)


def _field(run: Run, own: Projection, *, planar: bool) -> tuple[NDArray[np.int16], float]:
    xs, ys = own.window.grid(GRID)
    field = run.field(xs, ys) if planar else np.broadcast_to(xs * run.norm, (GRID, GRID))
    return pack_field(field, run.unit)


def _several(prepared: Prepared) -> bool:
    return len(prepared.dataset.classes) > 2


def _planar(prepared: Prepared) -> bool:
    return prepared.dataset.d == 2


def _predicted(run: Run) -> NDArray[np.uint8]:
    """The class predicted for every training and test row, as its number among the data's classes."""
    rows = [part for part in (run.prepared.X_train, run.prepared.X_test) if len(part)]
    predicted = np.concatenate([run.model.predict(part) for part in rows])
    return np.searchsorted(run.prepared.dataset.classes, predicted).astype(np.uint8)


def _regions(run: Run, own: Projection) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The class predicted at each node, and how far its score is ahead of the next: 255 from a margin of one on."""
    predicted, scores = run.regions(*own.window.grid(GRID))
    second, first = np.sort(scores, axis=0)[-2:]
    known = np.searchsorted(run.prepared.dataset.classes, run.model.classes_)
    certainty = np.rint(np.clip((first - second) / run.unit, 0.0, 1.0) * 255)
    return known[predicted].astype(np.uint8), certainty.astype(np.uint8)


def _plane(experiment: Experiment, shared: Projection | None) -> dict[str, Any]:
    if shared is None:
        return {"kind": "distance", "note": "", "x": None, "y": None, "raw": None}
    if not _planar(experiment.prepare()):
        return {"kind": "components", "note": shared.note, **_window(shared), "raw": None}
    scaling = experiment.prepare().scaling
    raw = {axis: [float(scaling.shift[i]), float(scaling.scale[i])] for i, axis in enumerate("xy")}
    notes = {"none": "", "unit": "scaled to [0, 1]", "standard": "standardised"}
    return {"kind": "plane", "note": shared.note, **_window(shared), "raw": {**raw, "note": notes[scaling.name]}}


def _window(projection: Projection) -> dict[str, Any]:
    window = projection.window
    return {
        axis: {"label": label, "low": low, "high": high}
        for axis, label, (low, high) in zip("xy", projection.labels, (window.x, window.y), strict=True)
    }


def _pinned(
    given: Mapping[str, str], experiment: Experiment, own: Collection[OwnSource]
) -> list[tuple[str, str, Experiment]]:
    """(name, slot, experiment) of every pin, on the margin scale now shown."""
    pins = []
    for number, slot in enumerate(PINS, start=1):
        if slot in given:
            try:
                pin = replace(Experiment.from_query(given[slot], own), scale=experiment.scale)
            except ValueError as error:
                raise BadKey(slot, f"Pin {number} cannot be read: {error}") from None
            pins.append((f"pin{number}", slot, pin))
    return pins


def _pin(
    slot: str, name: str, pin: Experiment, shared: Projection | None, experiment: Experiment, arrays: Arrays
) -> dict[str, Any]:
    """The ghost of a pinned state; its contours are drawn where they live in the same plane."""
    runs, _ = _run_all(pin)
    planar = _planar(experiment.prepare()) and _planar(pin.prepare())
    same_plane = planar and pin.data.scaling == experiment.data.scaling
    panels = []
    for key, run in runs.items():
        field_scale = 0.0
        if same_plane and shared is not None and not _several(run.prepared):
            arrays[f"{name}:field:{key}"], field_scale = _field(run, shared, planar=True)
        for part, distribution in (("train", run.train), ("test", run.test)):
            arrays[f"{name}:curve:{key}:{part}"] = distribution.ordered
        panels.append(
            {
                "key": key,
                "name": run.name,
                "color": run.method.color,
                "stats": {"train": statistics(run.train), "test": statistics(run.test)},
                "grid": GRID,
                "fieldScale": field_scale,
            }
        )
    return {"slot": slot, "label": _pin_label(pin, experiment), "query": pin.to_query(), "panels": panels}


def _pin_label(pin: Experiment, now: Experiment) -> str:
    """The settings by which a pin differs from what is shown."""
    old, new = _values(pin), _values(now)
    symbols = {
        f"{method.key}.{param.name}": f"{method.name} {param.symbol}"
        for method in METHODS.values()
        for param in method.params
    }
    shown = [
        f"{symbols.get(key, key)} = {value if isinstance(value, str) else three_digits(value)}"
        for key, value in old.items()
        if new.get(key) != value and (key.split(".")[0] in pin.methods or "." not in key)
    ]
    return ", ".join(shown[:3]) + (" …" if len(shown) > 3 else "") if shown else "as now"


def _probe(
    given: Mapping[str, str], experiment: Experiment, runs: Mapping[str, Run], shared: Projection | None
) -> dict[str, Any] | None:
    """How much of the picture changes side because one point was moved away from where it was."""
    if "view.probe" not in given or shared is None or not _planar(experiment.prepare()):
        return None
    text = given["view.probe"]
    if not text.isdecimal():
        raise BadKey("view.probe", f"view.probe must be the number of a row; got {text!r}.")
    row = int(text)
    kept = tuple(edit for edit in experiment.data.edits if not (isinstance(edit, Move) and edit.row == row))
    unmoved, _ = _run_all(replace(experiment, data=replace(experiment.data, edits=kept)))
    xs, ys = shared.window.grid(GRID)
    turned = {
        key: float(np.mean(run.regions(xs, ys)[0] != unmoved[key].regions(xs, ys)[0]))
        for key, run in runs.items()
        if key in unmoved
    }
    return {"row": row, "turned": turned}


def _canonical(experiment: Experiment, given: Mapping[str, str]) -> str:
    view = {key: value for key, value in given.items() if key.startswith(VIEW)}
    return experiment.to_query() + (f"&{urlencode(view)}" if view else "")


def _values(experiment: Experiment) -> dict[str, Any]:
    """The resolved value of every control."""
    data, kernel = experiment.data, experiment.kernel
    values: dict[str, Any] = {"data": data.source, **dict(data.options), "seed": data.seed}
    values |= {"test": data.test, "scaling": data.scaling, "kernel": kernel.name, "gamma": kernel.gamma}
    values |= {"degree": kernel.degree, "coef0": kernel.coef0, "bias": str(int(kernel.bias)), "scale": experiment.scale}
    values[SEVERAL.name] = experiment.several
    if math.isfinite(experiment.step):
        values["step"] = experiment.step
    for key in METHODS:
        values |= {f"{key}.{name}": _json(value) for name, value in experiment.settings(key).items()}
    return values


def _numbers(experiment: Experiment) -> dict[str, Any]:
    """The parameters of the picture: the shown methods', choices included, and the numbers common to all."""
    shown = {
        f"{key}.{name}": _json(value) for key in experiment.methods for name, value in experiment.settings(key).items()
    }
    numbers = {
        key: value
        for key, value in _values(experiment).items()
        if "." not in key and isinstance(value, int | float) and not isinstance(value, bool)
    }
    return numbers | shown


def statistics(distribution: MarginDistribution) -> dict[str, float | None]:
    return {name: _number(getattr(distribution, name)) for name in STATISTICS}


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _json(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
