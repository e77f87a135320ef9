"""From a request of the browser to the message it draws.

Everything on screen comes in one message and from the runs of one experiment; the browser computes only pixels and
contours. An invalid request is answered with the reason, and the picture stays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mdcore.data import OwnSource
from mdcore.experiment import Experiment
from mdcore.experiment.query import BadKey, parse_query
from mdcore.experiment.run import Run
from mdcore.methods import METHODS
from mdcore.narrative import Probe, State, sentence
from mdcore.serving.stage.arrays import Arrays, method_of
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.examples import hint_for, with_opening
from mdcore.serving.stage.files import FILES, Runs
from mdcore.serving.stage.header import Heading, Problem, StageScene
from mdcore.serving.stage.last_picture import FRESH, LastPicture
from mdcore.serving.stage.live import LIVE, PATIENT, run_all, shown_while_dragged
from mdcore.serving.stage.message import encode
from mdcore.serving.stage.picture import picture, shared_plane
from mdcore.serving.stage.pins import Pin, pack_pin, pinned_states, probe_of
from mdcore.serving.stage.project_file import packed
from mdcore.serving.stage.stage_page import PLAYGROUND, StagePage
from mdcore.serving.stage.values import earlier_state, numbers_of, settings_text, values_of, with_view
from mdcore.serving.stage.view_keys import check_view

FINISH = "view.finish"  # requests a longer time limit for the solvers
CHIPS = 4  # the number of methods with a visible switch, on a page that names no methods


@dataclass(frozen=True)
class Request:
    """A request of the browser.

    `have` is the hash of its catalogue, `own` are the tables of its session, which has `heard`
    of the request if it lives in this process. A query that `opens` a page is its address.
    With `save`, the answer includes the table, for a project file; `file` names an exported file to include. The answer
    repeats `id`, which identifies the request. Requests with the same `gesture` form one drag, described as one change;
    while it is `held`, data with many rows are previewed, and an axis stays that has become too wide. With `fit` the
    picture starts anew: its axes are recomputed instead of kept, and a new state is described by itself, not as a
    change. `room` is the code of the room that the picture is presented to, and the presenter's key.
    """

    query: str
    id: int = 0
    have: str = ""
    own: Collection[OwnSource] = ()
    heard: bool = True
    opens: bool = False
    save: bool = False
    gesture: int | None = None
    held: bool = False
    fit: bool = False
    file: str = ""
    room: tuple[str, str] | None = None


def answer(
    request: Request,
    before: LastPicture | None,
    page: StagePage = PLAYGROUND,
    drawn: Callable[[Experiment, Runs], None] = lambda experiment, runs: None,
) -> tuple[bytes, LastPicture | None]:
    """Return the message for a request, and the picture on screen once it is drawn.

    Everything that it depends on is an argument. `drawn` is called with the runs of a picture that shows the request.
    """
    try:
        given: Mapping[str, str] = parse_query(request.query)
        if request.opens:
            given = with_opening(given, several=page.several)
        check_view(given)
        experiment = Experiment.from_texts(given, request.own, page.query).settled()
        header, arrays, runs, now = _scene(experiment, given, before, page, request)
        drawn(experiment, runs)
        problem = None
    except ValueError as error:
        if before is not None:
            return refusal(request, error), before
        problem = _problem(error)
        experiment = Experiment.from_query(page.query)
        header, arrays, _, now = _scene(experiment, {}, None, page, Request(page.query))
    else:
        header = {**header, **(_table(experiment) if request.save else {}), **_file(request.file, experiment, runs)}
    return encode({**_heading(request, problem), **header}, arrays), now


def refusal(request: Request, error: ValueError) -> bytes:
    """Return a message that gives the reason and keeps the picture."""
    return encode(_heading(request, _problem(error)), {})


def _heading(request: Request, problem: Problem | None) -> Heading:
    key, content = catalog(request.own)
    heading: Heading = {"id": request.id, "heard": request.heard, "error": problem, "catalogHash": key}
    if request.have != key:
        heading["catalog"] = content
    return heading


def _problem(error: ValueError) -> Problem:
    return {"message": str(error), "key": error.key if isinstance(error, BadKey) else None}


def _table(experiment: Experiment) -> dict[str, Any]:
    own = experiment.data.own
    return {"table": packed(experiment.data, own)} if own else {}


def _file(name: str, experiment: Experiment, runs: Runs) -> dict[str, Any]:
    """Return the requested export, made from the picture's own runs: the address of a private table would not
    suffice."""
    if name not in FILES or not runs:
        return {}
    kind, make = FILES[name]
    return {"file": {"name": name, "kind": kind, "text": make(experiment, runs)}}


def _scene(
    experiment: Experiment, given: Mapping[str, str], before: LastPicture | None, page: StagePage, request: Request
) -> tuple[Mapping[str, Any], Arrays, Runs, LastPicture]:
    computed = shown_while_dragged(experiment) if request.held else experiment
    preview = computed is not experiment
    begun = time.perf_counter()
    runs, failures = run_all(computed, PATIENT if given.get(FINISH) == "1" else LIVE)
    seconds = time.perf_counter() - begun
    now = experiment, _as_asked(experiment, runs)
    query = experiment.to_query()
    start, gesture = "" if before is None or request.fit else before.start_of(request.gesture), request.gesture
    if before and (before.recipe, before.preview) == (query, preview):  # the same picture again, told as before
        start, gesture = before.start, before.gesture
        page.fit_more(experiment)
    axes = before.axes.applicable_to(experiment) if before and not request.fit else FRESH
    shared = shared_plane(computed, axes)
    pinned = pinned_states(given, experiment, request.own)
    probe = probe_of(given, computed, runs, shared)
    text = _told(_state_at(start, request.own, preview=preview), now, pinned, probe)
    ghosts = [run for pin in pinned for run in pin.runs.values()]
    loose = axes.are_loose_for([*runs.values(), *ghosts])  # as after a wide state; held while a hand compares
    if loose and not request.held:
        axes = replace(axes, edges=None)
    shown, arrays, axes = picture(computed, runs, failures, shared, axes, ghosts)
    contents = {"": shown["content"]} | {each["key"]: each["content"] for each in shown["panels"]}
    known = {key for key, content in contents.items() if before and before.contents.get(key) == content}
    kept = [name for name in arrays if method_of(name) in known]
    edges = np.array(shown["histogram"]["edges"])
    more, charts = page.extra(computed, runs, edges)
    last = LastPicture(with_view(query, given), start, gesture, preview, axes, contents)
    values = values_of(experiment)
    scene: StageScene = {
        **shown,
        "query": last.query,
        "values": values,
        "drawn": numbers_of(experiment, values),
        "source": experiment.data.source,
        "settings": settings_text(experiment),
        "pins": [pack_pin(pin, shared, experiment, edges, arrays) for pin in pinned],
        "sentence": f"{_of_rows(computed, seconds, before)} {text}".strip(),
        "probe": {"row": probe.row, "turned": probe.turned} if probe else None,
        "page": page.key,
        "opening": page.query,
        "charts": list(page.charts),
        "offered": list(dict.fromkeys((*page.methods, *METHODS))),
        "chips": max(CHIPS, len(page.methods)),
        "lead": list(page.lead),
        "several": page.several,
        "kept": kept,
        "last": last.packed(),
    }
    sent = {name: array for name, array in arrays.items() if name not in kept} | charts
    rest = {"unfinished": True} if preview or (loose and request.held) else {}
    return {**scene, **more, **rest}, sent, now[1], last


def _told(start: State | None, now: State, pinned: Sequence[Pin], probe: Probe | None) -> str:
    """Return the sentence on what has changed since the start of the drag, and the hint of an example state."""
    change = sentence(start, now, pin=pinned[-1].pinned if pinned else None, probe=probe)
    return f"{change} {hint_for(now[0])}".rstrip()


def _as_asked(experiment: Experiment, runs: Runs) -> dict[str, Run]:
    """Return the runs with the parameters that the page shows; a preview is fitted with rescaled ones."""
    return {key: replace(run, params=experiment.settings(key)) for key, run in runs.items()}


def _state_at(query: str, own: Collection[OwnSource], *, preview: bool) -> State | None:
    """Return the state with which the sentence compares a picture, None if there is none; for a preview also a preview,
    so that the smaller sample is not described as a change."""
    if not query:
        return None
    try:
        experiment = earlier_state(query, own)
    except ValueError:  # of a table that the session has forgotten since
        return None
    shown = shown_while_dragged(experiment) if preview else experiment
    return experiment, _as_asked(experiment, run_all(shown)[0])


def _of_rows(experiment: Experiment, seconds: float, before: LastPicture | None) -> str:
    """Return the note on a preview's sample size, or, for the picture after it, on the time of the fit on all rows."""
    rows = experiment.training_rows
    if experiment.sample is not None:
        return f"Preview on {experiment.sample:,} of {rows:,} training rows; release to fit all."
    if before is None or not before.preview:
        return ""
    return f"All {rows:,} training rows, fitted in {seconds:.2g} s."
