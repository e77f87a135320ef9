"""The controls below the picture (parameters, ranges, statistic, repeats) and the choice of the picture above it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.query import number_text
from mdcore.spec import Param
from mdcore.sweep import AT_ONCE, MEASURES, Axis, Sweep, axis_params, spaced
from mdcore.ui.pages.sensitivity.address import controls
from mdcore.ui.pages.sensitivity.choice import COST, NONE, PICTURES, POINTS, REPEATS, THRESHOLD, SweepChoice, axis_label

WIDTHS = [2, 1, 1, 1, 2, 1]  # columns: the first parameter, its three inputs, the second parameter, the repeats


def choose_sweep(experiment: Experiment, view: Mapping[str, str], top: DeltaGenerator) -> SweepChoice:
    """Return the sweep and the picture; the picture is chosen at the `top`."""
    axes, repeats, chosen = _choose_axes(experiment, view)
    left, middle, right = st.columns([2, 1, 2])
    with left:
        statistic = _choose_statistic(view)
    with middle:
        if statistic == "test.cost":
            ratio, threshold = _choose_number(COST, "view.cost", view), THRESHOLD.default
        else:
            ratio, threshold = COST.default, _choose_number(THRESHOLD, "view.t", view)
    with right:
        method = _choose_method(axes, experiment, view)
    with top:
        picture = _choose_picture(len(axes), view)
    statistics = AT_ONCE if statistic in AT_ONCE else (*AT_ONCE, statistic)
    sweep = Sweep(experiment, axes, statistics, repeats=repeats, threshold=threshold, ratio=ratio)
    chosen |= {"view.repeats": str(repeats), "view.stat": statistic, "view.t": number_text(threshold)}
    chosen |= {"view.cost": number_text(ratio)} if statistic == "test.cost" else {}
    return SweepChoice(sweep, statistic, picture, method, chosen | {"view.method": method, "view.show": picture})


def _choose_axes(experiment: Experiment, view: Mapping[str, str]) -> tuple[tuple[Axis, ...], int, dict[str, str]]:
    """Return one or two axes, the number of repeats, and the query keys of the axes."""
    params = axis_params(experiment)
    top = st.columns(WIDTHS)
    with top[0]:
        x = _pick("x", "parameter on x", list(params), view, experiment)
    first, ends = _axis(x, params[x], "x", view, top[1:4])
    with top[4]:
        y = _pick("y", "parameter on y", [NONE, *(key for key in params if key != x)], view, experiment)
    axes, chosen = [first], {"view.x": x, "view.y": y} | ends
    if y != NONE:
        second, ends = _axis(y, params[y], "y", view, st.columns(WIDTHS)[1:4])
        axes, chosen = [first, second], chosen | ends
    with top[5]:
        repeats = controls().ask_number(REPEATS, first=_number_in(view, "view.repeats", REPEATS))
    return tuple(axes), repeats, chosen


def _choose_statistic(view: Mapping[str, str]) -> str:
    return st.selectbox(
        "statistic",
        list(MEASURES),
        index=index_of(list(MEASURES), view.get("view.stat"), "test.accuracy"),
        format_func=lambda key: MEASURES[key].title,
        help="The statistic on the y-axis. All are measured at once, so changing it recomputes nothing, except for "
        "those that need fits inside the training part.\n\n"
        + "\n".join(f"- {measure.title}: {measure.help}" for measure in MEASURES.values()),
        key=controls().key("statistic"),
    )


def _choose_number(param: Param, key: str, view: Mapping[str, str]) -> float:
    return float(controls().ask_number(param, first=_number_in(view, key, param)))


def _choose_method(axes: tuple[Axis, ...], experiment: Experiment, view: Mapping[str, str]) -> str:
    return st.selectbox(
        "method",
        list(experiment.methods),
        index=index_of(list(experiment.methods), view.get("view.method"), _concerned(axes, experiment)),
        format_func=lambda key: METHODS[key].name,
        help="The method whose heatmap, objective and changing sides are shown.",
        key=controls().key(f"method {experiment.methods}"),
    )


def _choose_picture(axes: int, view: Mapping[str, str]) -> str:
    pictures = list(PICTURES) if axes == 1 else ["curves", "table"]
    names = PICTURES | ({"curves": "Heatmap"} if axes == 2 else {})
    picture = st.segmented_control(
        "picture",
        pictures,
        default=view["view.show"] if view.get("view.show") in pictures else "curves",
        format_func=names.__getitem__,
        help="Curves with bands, the objective split into its terms, the examples that change side, the best "
        "method by three criteria, the whole path under a slider, or the numbers.",
        key=controls().key(f"picture {axes}"),
        required=True,
    )
    return str(picture)


def _pick(name: str, label: str, keys: list[str], view: Mapping[str, str], experiment: Experiment) -> str:
    default = "ldm.lambda1" if name == "x" and "ldm.lambda1" in keys else keys[0]
    return st.selectbox(
        label,
        keys,
        index=index_of(keys, view.get(f"view.{name}"), default),
        format_func=lambda key: axis_label(key, experiment),
        help="A parameter of one method, of all methods that have it, of the kernel, or of the data."
        + (" With a second parameter the picture is a heatmap." if name == "y" else ""),
        key=controls().key(f"{name} {keys}"),
    )


def _axis(key: str, param: Param, name: str, view: Mapping[str, str], places: Any) -> tuple[Axis, dict[str, str]]:
    """Return an axis, and its query keys; a newly chosen parameter starts with the range of its slider."""
    own = view if view.get(f"view.{name}") == key else {}
    low, high = param.slider.low if not param.slider.zero else 0.0, param.slider.high
    texts = {}
    for place, end, value in zip(places, ("low", "high"), (low, high), strict=False):
        text = own.get(f"view.{name}{end}", number_text(value))
        label = f"{name} {'from' if end == 'low' else 'to'}"
        help = f"{param.help} Legal: {param.legal}."
        texts[end] = place.text_input(label, text, help=help, key=controls().key(f"{key} {name} {end}")).strip()
    with places[2]:
        count = controls().ask_number(POINTS, key, name, first=_number_in(own, f"view.{name}n", POINTS))
    low, high = (param.parse(text, "sweep") for text in texts.values())
    ends = {f"view.{name}low": texts["low"], f"view.{name}high": texts["high"], f"view.{name}n": str(count)}
    return Axis(key, spaced(param, count, low, high)), ends


def _number_in(view: Mapping[str, str], key: str, param: Param) -> float:
    """Return the number at a query key, or else the default."""
    return float(param.parse(view[key], key)) if key in view else param.default


def index_of(options: list[str], wanted: str | None, default: str) -> int:
    return options.index(wanted if wanted in options else default)


def _concerned(axes: tuple[Axis, ...], experiment: Experiment) -> str:
    """Return the method whose parameter is swept, or else the first method."""
    owner = axes[0].key.rpartition(".")[0]
    return owner if owner in experiment.methods else experiment.methods[0]
