"""From a request of the browser to the message it draws. Uses no Streamlit.

Everything on screen comes in one message and from the runs of one experiment; the browser computes only pixels and
contours. An invalid request is answered with the reason, and the picture stays.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mdcore.data import OwnSource
from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.narrative import Probe, State, sentence
from mdcore.query import BadKey, parse_query
from mdcore.run import Run
from mdcore.ui.own_table.project import packed
from mdcore.ui.stage.arrays import Arrays
from mdcore.ui.stage.catalog import catalog
from mdcore.ui.stage.examples import hint_for
from mdcore.ui.stage.files import FILES
from mdcore.ui.stage.held import Axes
from mdcore.ui.stage.live import LIVE, PATIENT, run_all, shown_while_dragged
from mdcore.ui.stage.message import encode
from mdcore.ui.stage.openings import PLAYGROUND, Opening
from mdcore.ui.stage.picture import FRESH, picture, shared_plane
from mdcore.ui.stage.pins import PINS, PROBE, Pin, pack_pin, pinned_states, probe_of
from mdcore.ui.stage.values import canonical, numbers_of, settings_text, values_of
from mdcore.ui.stage.view_keys import check_view

FINISH = "view.finish"  # requests a longer time limit for the solvers
CHIPS = 4  # the number of methods with a visible switch, on a page that names no methods


@dataclass(frozen=True)
class Request:
    """A request of the browser.

    `have` is the hash of its catalogue, `own` are the tables of its session. With `save`, the answer includes the
    table, for a project file; `file` names an exported file to include. The answer repeats `id` and `page_run`, which
    identify the request and the run of the page. Requests with the same `gesture` form one drag, described as one
    change; while it is `held`, data with many rows are previewed. With `fit` the picture starts anew: its axes are
    recomputed instead of kept, and a new state is described by itself, not as a change.
    """

    query: str
    id: int = 0
    page_run: str = ""
    have: str = ""
    own: Collection[OwnSource] = ()
    save: bool = False
    gesture: int | None = None
    held: bool = False
    fit: bool = False
    file: str = ""


@dataclass(frozen=True, eq=False)
class Drawn:
    """The picture that a session shows: its runs, sentence and axes, the values of its pins and its probe, and the
    state at the start of the current drag."""

    experiment: Experiment
    runs: Mapping[str, Run]
    sentence: str = ""
    axes: Axes = FRESH
    gesture: int | None = None
    start: State | None = None
    pins_and_probe: tuple[str, ...] = ()
    preview: bool = False

    def start_of(self, gesture: int | None) -> State | None:
        """Return the state with which the sentence compares a picture of this gesture."""
        return self.start if gesture is not None and gesture == self.gesture else (self.experiment, self.runs)


def answer(request: Request, before: Drawn | None, opening: Opening = PLAYGROUND) -> tuple[bytes, Drawn | None]:
    """Return the message for a request, and the picture on screen once it is drawn."""
    try:
        given = parse_query(request.query)
        check_view(given)
        experiment = Experiment.from_query(request.query, request.own, opening.query).settled()
        header, arrays, drawn = _scene(experiment, given, before, opening, request)
        problem = None
    except ValueError as error:
        if before is not None:
            return refusal(request, error), before
        problem = _problem(error)
        header, arrays, drawn = _scene(Experiment.from_query(opening.query), {}, None, opening, Request(opening.query))
    else:
        header |= (_table(experiment) if request.save else {}) | _file(request.file, drawn)
    return encode({**_heading(request, problem), **header}, arrays), drawn


def refusal(request: Request, error: ValueError) -> bytes:
    """Return a message that gives the reason and keeps the picture."""
    return encode(_heading(request, _problem(error)), {})


def _heading(request: Request, problem: dict[str, Any] | None) -> dict[str, Any]:
    return {"id": request.id, "pageRun": request.page_run, "error": problem, **_catalog(request)}


def _problem(error: ValueError) -> dict[str, Any]:
    return {"message": str(error), "key": error.key if isinstance(error, BadKey) else None}


def _table(experiment: Experiment) -> dict[str, Any]:
    own = experiment.data.own
    return {"table": packed(experiment.data, own)} if own else {}


def _file(name: str, drawn: Drawn) -> dict[str, Any]:
    """Return the requested export, made from the picture's own runs: the address of a private table would not
    suffice."""
    if name not in FILES or not drawn.runs:
        return {}
    kind, make = FILES[name]
    return {"file": {"name": name, "kind": kind, "text": make(drawn.experiment, drawn.runs)}}


def _catalog(request: Request) -> dict[str, Any]:
    key, content = catalog(request.own)
    return {"catalogHash": key} if request.have == key else {"catalogHash": key, "catalog": content}


def _scene(
    experiment: Experiment, given: Mapping[str, str], before: Drawn | None, opening: Opening, request: Request
) -> tuple[dict[str, Any], Arrays, Drawn]:
    computed = shown_while_dragged(experiment) if request.held else experiment
    preview = computed is not experiment
    begun = time.perf_counter()
    runs, failures = run_all(computed, PATIENT if given.get(FINISH) == "1" else LIVE)
    seconds = time.perf_counter() - begun
    now = experiment, _as_asked(experiment, runs)
    axes = before.axes.applicable_to(experiment) if before and not request.fit else FRESH
    shared = shared_plane(computed, axes)
    pinned = pinned_states(given, experiment, request.own)
    again = before is not None and (before.experiment, before.preview) == (experiment, preview)
    if again:
        opening.fit_more(experiment)
    start = before.start_of(request.gesture) if before and not request.fit else None
    probe = probe_of(given, computed, runs, shared)
    pins_and_probe = tuple(given[key] for key in (*PINS, PROBE) if key in given)
    if before and again and before.pins_and_probe == pins_and_probe:
        text = before.sentence
    else:
        text = _told(_previewed(start) if preview else start, now, pinned, probe)
    ghosts = [run for pin in pinned for run in pin.runs.values()]
    header, arrays, axes = picture(computed, runs, failures, shared, axes, ghosts)
    edges = np.array(header["histogram"]["edges"])
    more, charts = opening.extra(computed, runs, edges)
    header |= {
        **_of_state(experiment, given),
        **_of_page(opening),
        "pins": [pack_pin(pin, shared, experiment, edges, arrays) for pin in pinned],
        "sentence": f"{_of_rows(computed, seconds, before)} {text}".strip(),
        "probe": {"row": probe.row, "turned": probe.turned} if probe else None,
        **more,
        **({"unfinished": True} if preview else {}),
    }
    return header, arrays | charts, Drawn(*now, text, axes, request.gesture, start, pins_and_probe, preview)


def _told(start: State | None, now: State, pinned: Sequence[Pin], probe: Probe | None) -> str:
    """Return the sentence on what has changed since the start of the drag, and the hint of an example state."""
    change = sentence(start, now, pin=pinned[-1].pinned if pinned else None, probe=probe)
    return f"{change} {hint_for(now[0])}".rstrip()


def _of_state(experiment: Experiment, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the settings of the state shown."""
    return {
        "query": canonical(experiment, given),
        "values": values_of(experiment),
        "drawn": numbers_of(experiment),
        "source": experiment.data.source,
        "settings": settings_text(experiment),
    }


def _of_page(opening: Opening) -> dict[str, Any]:
    """Return what the page offers, whatever state it shows."""
    return {
        "page": opening.key,
        "opening": opening.query,
        "charts": opening.charts,
        "offered": list(dict.fromkeys((*opening.methods, *METHODS))),
        "chips": max(CHIPS, len(opening.methods)),
        "lead": opening.lead,
        "several": opening.several,
    }


def _as_asked(experiment: Experiment, runs: Mapping[str, Run]) -> dict[str, Run]:
    """Return the runs with the parameters that the page shows; a preview is fitted with rescaled ones."""
    return {key: replace(run, params=experiment.settings(key)) for key, run in runs.items()}


def _previewed(state: State | None) -> State | None:
    """Return the state with which the sentence compares a preview: also a preview, so that the smaller sample is not
    described as a change."""
    if state is None:
        return None
    experiment, _ = state
    shown = shown_while_dragged(experiment)
    return state if shown is experiment else (experiment, _as_asked(experiment, run_all(shown)[0]))


def _of_rows(experiment: Experiment, seconds: float, before: Drawn | None) -> str:
    """Return the note on a preview's sample size, or, for the picture after it, on the time of the fit on all rows."""
    rows = experiment.training_rows
    if experiment.sample is not None:
        return f"Preview on {experiment.sample:,} of {rows:,} training rows; all of them when you release."
    if before is None or not before.preview:
        return ""
    return f"All {rows:,} training rows, fitted in {seconds:.2g} s."
