"""A whole lesson as one HTML file that needs neither server nor network, with all its pictures computed in advance."""

from __future__ import annotations

import base64
import html
import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from mdcore.basics.text import short
from mdcore.experiment import Experiment
from mdcore.experiment.query import SCALE
from mdcore.export.web_page import web_page
from mdcore.methods import METHODS
from mdcore.serving.bundle import script, stylesheet
from mdcore.serving.lecture.lesson import Lesson
from mdcore.serving.stage.message import decode, encode
from mdcore.serving.stage.scrubber_scene import FrameStore
from mdcore.spec import Param

STYLES = ("stage.css", "lecture.css")
MOST_VALUES = 9  # values of the one parameter that can be varied in a step

# Placed after the style sheets, to override them.
STYLE = """
body { margin: 0; }
.ml-lecture { height: 100dvh; }
h1 { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); }
"""
BODY = """<main id="lecture"><h1>{title}</h1></main>
<script type="application/json" id="lesson">{lesson}</script>
<script type="text/plain" id="pictures">{pictures}</script>
<script type="module">
{script}
const textOf = (id) => document.getElementById(id).textContent;
const bytes = Uint8Array.from(atob(textOf("pictures")), (letter) => letter.charCodeAt(0));
openOffline(document.getElementById("lecture"), bytes, JSON.parse(textOf("lesson")));
</script>"""

Draw = Callable[[str], bytes]  # query -> message of the stage


def offline_html(lesson: Lesson, draw: Draw) -> str:
    body = BODY.format(
        title=html.escape(lesson.title),
        lesson=json.dumps(lesson.shown()).replace("<", "\\u003c"),
        pictures=base64.b64encode(pack_lesson(lesson, draw)).decode(),
        script=script({"openOffline": ("lecture/offline.js", "openOffline")}),
    )
    sheets = "".join(stylesheet(name) for name in STYLES)
    return web_page(lesson.title, body, style=f"{sheets}{STYLE}")


def pack_lesson(lesson: Lesson, draw: Draw) -> bytes:
    """Return a message with every scene and every distinct array once, the number of each state's scene, and for each
    step the states along one parameter, None if it has none."""
    store, states = FrameStore(), dict[str, int]()
    scenes: list[dict[str, Any]] = []
    catalog: Mapping[str, Any] = {}

    def keep(query: str) -> str:
        nonlocal catalog
        if query not in states:
            header, arrays = decode(draw(query))
            catalog = header.pop("catalog", catalog)
            kept = {name: store.keep(array) for name, array in arrays.items()}
            states[query] = len(scenes)
            scenes.append({**header, "canEdit": False, "unfinished": False, "arrays": kept})
        return query

    plays: list[dict[str, Any] | None] = []
    for number, step in enumerate(lesson.steps, start=1):
        _, after = map(keep, lesson.states(number))
        path = path_of(after, step.get("keep", ()))
        if path is None:
            plays.append(None)
        else:
            places = [{"value": value, "state": keep(query)} for value, query in path[2]]
            plays.append({"key": path[0], "symbol": path[1], "places": places})
    return encode({"catalog": catalog, "scenes": scenes, "states": states, "plays": plays}, store.arrays)


def path_of(query: str, keep: Any) -> tuple[str, str, list[tuple[str, str]]] | None:
    """Return name, symbol and states of the first visible control that is the scale or a parameter of a method shown;
    None if there is none."""
    experiment = Experiment.from_query(query)
    for name in keep:
        if name == SCALE.name:
            scales = [(scale, experiment.with_value(name, scale).to_query()) for scale in SCALE.options]
            return name, SCALE.symbol, [(s, query if s == experiment.scale else other) for s, other in scales]
        method, _, own = name.partition(".")
        param = (
            next((p for p in METHODS[method].params if p.name == own), None) if method in experiment.methods else None
        )
        if isinstance(param, Param):
            now = float(experiment.settings(method)[own])
            values = sorted({*_values(param), now})
            queries = [experiment.with_param(method, own, value).to_query() for value in values]
            queries[values.index(now)] = query  # the reveal's own picture
            moved = list(zip(map(short, values), queries, strict=True))
            return name, f"{METHODS[method].name} {param.symbol}", moved
    return None


def _values(param: Param) -> list[float]:
    slider = param.slider
    if slider.log:
        low, high = np.log2(slider.low), np.log2(slider.high)
        found = [float(2.0**k) for k in np.unique(np.rint(np.linspace(low, high, MOST_VALUES)))]
        return [0.0, *found[1:]] if slider.zero else found
    found = [float(value) for value in np.linspace(slider.low, slider.high, MOST_VALUES)]
    return [float(round(value)) for value in found] if param.integer else found
