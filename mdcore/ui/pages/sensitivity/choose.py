"""The sidebar, with data, kernel and methods; the controls below the picture, with parameters, ranges, statistic and
repeats; the choice of the picture above it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mdcore.data import SCALING, SEED, TEST, OwnSource, edits
from mdcore.experiment import Experiment
from mdcore.experiment.other_data import changed_settings, on_source
from mdcore.experiment.query import BIAS, METHOD_LIMIT, SCALE, number_text
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import SEVERAL
from mdcore.spaces.kernels import KERNEL
from mdcore.spec import Param
from mdcore.sweep import AT_ONCE, MEASURES, Axis, Sweep, axis_params, spaced
from mdcore.sweep.axis import KERNEL_PARAMS
from mdcore.ui.own_table.session_tables import own_sources, sources
from mdcore.ui.pages.sensitivity.address import controls, memory, open_on
from mdcore.ui.pages.sensitivity.choice import (
    COST,
    COSTS,
    NONE,
    PICTURES,
    POINTS,
    REPEATS,
    THRESHOLD,
    AxisView,
    SweepChoice,
    View,
    axis_label,
)
from mdcore.ui.shared.words import plain

ENDS = {"from": "low", "to": "high"}  # the words of an axis's ends on the page -> in the keys of its controls
WIDTHS = [2, 1, 1, 1, 2, 1]  # columns: the first parameter, its three inputs, the second parameter, the repeats


def choose_experiment(now: Experiment) -> Experiment:
    """Return the experiment set by the controls, which keeps what its methods are fitted on; raise BadKey if a value is
    invalid."""
    tables = own_sources()
    with st.sidebar:
        texts = _choose_data(now) | _choose_kernel(now) | _choose_methods(now)
    return replace(Experiment.from_texts(texts, tables), decided=now.decided).settled()


def _choose_data(now: Experiment) -> dict[str, str]:
    known = sources()
    st.subheader("Data")
    name = st.selectbox(
        "source",
        list(known),
        index=list(known).index(now.data.source),
        format_func=lambda key: known[key].title,
        help="The origin of the examples: generated, bundled, a folder of CSV files, or a table that you have loaded "
        "under Compare in this session.",
        key=controls().key("source"),
    )
    source = known[name]
    if name != now.data.source:
        open_on(on_source(now, source), changed_settings(now, on_source(now, source)))
    if memory().set_by_data:
        st.caption(plain(f"Set by the data: {memory().set_by_data}."))
    if isinstance(source, OwnSource):
        st.caption(plain(source.summary))
    ask, query = controls().ask, {"data": name}
    held = {"seed": now.data.seed, "test": now.data.test} | dict(now.data.options)
    for option in (*source.options, SEED, TEST):
        if option.name not in query:
            query[option.name] = ask(option, name, first=held.get(option.name))
    query["scaling"] = ask(SCALING, name, first=now.data.scaling)
    if now.data.edits:
        st.caption("The points edited by hand on the stage are part of the data.")
        query["edits"] = edits.format(now.data.edits)
    return query


def _choose_kernel(now: Experiment) -> dict[str, str]:
    st.subheader("Kernel")
    ask = controls().ask
    kernel = ask(KERNEL, first=now.kernel.name)
    params = KERNEL_PARAMS.get(kernel, ())
    query = {"kernel": kernel} | {param.name: ask(param, first=getattr(now.kernel, param.name)) for param in params}
    return query | {"bias": ask(BIAS, first=str(int(now.kernel.bias)))}


def _choose_methods(now: Experiment) -> dict[str, str]:
    """Return the methods, the margin scale, the treatment of several classes, and all parameters of the methods
    shown."""
    st.subheader("Methods")
    shown = st.multiselect(
        "methods",
        list(METHODS),
        default=list(now.methods),
        max_selections=METHOD_LIMIT,
        format_func=lambda key: METHODS[key].name,
        help="One curve for each, at most four.",
        key=controls().key("methods"),
    )
    ask = controls().ask
    query = {"methods": ",".join(shown), "scale": ask(SCALE, first=now.scale)}
    query[SEVERAL.name] = ask(SEVERAL, first=now.several)
    for method in shown:
        with st.expander(METHODS[method].name):
            settings = now.settings(method)
            for setting in METHODS[method].params:
                query[f"{method}.{setting.name}"] = ask(setting, method, first=settings[setting.name])
    return query


def choose_sweep(experiment: Experiment, before: View, top: DeltaGenerator) -> SweepChoice:
    """Return the sweep and the view of it; new controls start with the view `before`, the picture is chosen at the
    `top`."""
    axes, view = _choose_axes(experiment, before)
    left, middle, right = st.columns([2, 1, 2])
    with left:
        view = replace(view, statistic=_choose_statistic(before))
    with middle:
        if view.statistic == COSTS:
            view = replace(view, cost=float(controls().ask_number(COST, first=before.cost)))
        else:
            view = replace(view, threshold=float(controls().ask_number(THRESHOLD, first=before.threshold)))
    with right:
        view = replace(view, method=_choose_method(axes, experiment, before))
    with top:
        view = replace(view, picture=_choose_picture(len(axes), before))
    statistics = AT_ONCE if view.statistic in AT_ONCE else (*AT_ONCE, view.statistic)
    sweep = Sweep(experiment, axes, statistics, view.repeats, view.threshold, view.cost)
    return SweepChoice(sweep, view)


def _choose_axes(experiment: Experiment, before: View) -> tuple[tuple[Axis, ...], View]:
    """Return one or two axes, and the view with these axes and the number of repeats."""
    params = axis_params(experiment)
    top = st.columns(WIDTHS)
    with top[0]:
        x = _pick("x", "parameter on x", list(params), before.x, experiment)
    first = _choose_axis(x, params[x], "x", before.x, top[1:4])
    with top[4]:
        y = _pick("y", "parameter on y", [NONE, *(key for key in params if key != x)], before.y, experiment)
    second = None if y == NONE else _choose_axis(y, params[y], "y", before.y, st.columns(WIDTHS)[1:4])
    with top[5]:
        repeats = controls().ask_number(REPEATS, first=before.repeats)
    chosen = [first] if second is None else [first, second]
    axes = (Axis(one.key, spaced(params[one.key], one.points, one.low, one.high)) for one in chosen)
    return tuple(axes), View(first, second, repeats)


def _choose_statistic(before: View) -> str:
    return st.selectbox(
        "statistic",
        list(MEASURES),
        index=list(MEASURES).index(before.statistic),
        format_func=lambda key: MEASURES[key].title,
        help="The statistic on the y-axis. All are measured at once, so changing it recomputes nothing, except for "
        "those that need fits inside the training part.\n\n"
        + "\n".join(f"- {measure.title}: {measure.help}" for measure in MEASURES.values()),
        key=controls().key("statistic"),
    )


def _choose_method(axes: tuple[Axis, ...], experiment: Experiment, before: View) -> str:
    return st.selectbox(
        "method",
        list(experiment.methods),
        index=index_of(list(experiment.methods), before.method, _concerned(axes, experiment)),
        format_func=lambda key: METHODS[key].name,
        help="The method whose heatmap, objective and changing sides are shown.",
        key=controls().key(f"method {experiment.methods}"),
    )


def _choose_picture(axes: int, before: View) -> str:
    pictures = list(PICTURES) if axes == 1 else ["curves", "table"]
    names = PICTURES | ({"curves": "Heatmap"} if axes == 2 else {})
    picture = st.segmented_control(
        "picture",
        pictures,
        default=before.picture if before.picture in pictures else View.picture,
        format_func=names.__getitem__,
        help="Curves with bands, the objective split into its terms, the examples that change side, the best "
        "method by each criterion, the whole path under a slider, or the numbers.",
        key=controls().key(f"picture {axes}"),
        required=True,
    )
    return str(picture)


def _pick(name: str, label: str, keys: list[str], before: AxisView | None, experiment: Experiment) -> str:
    default = "ldm.lambda1" if name == "x" and "ldm.lambda1" in keys else keys[0]
    return st.selectbox(
        label,
        keys,
        index=index_of(keys, before.key if before else NONE, default),
        format_func=lambda key: axis_label(key, experiment),
        help="A parameter of one method, of all methods that have it, of the kernel, or of the data."
        + (" With a second parameter the picture is a heatmap." if name == "y" else ""),
        key=controls().key(f"{name} {keys}"),
    )


def _choose_axis(key: str, param: Param, name: str, before: AxisView | None, places: Any) -> AxisView:
    """Return an axis; a newly chosen parameter starts with the range of its slider."""
    first = before if before and before.key == key else AxisView(key)
    slider = param.slider
    low = (0.0 if slider.zero else slider.low) if first.low is None else first.low
    high = slider.high if first.high is None else first.high
    ends = []
    for place, end, value in zip(places, ("from", "to"), (low, high), strict=False):
        help = f"{param.help} Legal: {param.legal}."
        text = place.text_input(
            f"{name} {end}", number_text(value), help=help, key=controls().key(f"{key} {name} {ENDS[end]}")
        )
        ends.append(param.parse(text.strip(), "sweep"))
    with places[2]:
        points = controls().ask_number(POINTS, key, name, first=first.points)
    return AxisView(key, ends[0], ends[1], points)


def index_of(options: list[str], wanted: str, default: str) -> int:
    return options.index(wanted if wanted in options else default)


def _concerned(axes: tuple[Axis, ...], experiment: Experiment) -> str:
    """Return the method whose parameter is swept, or else the first method."""
    owner = axes[0].key.rpartition(".")[0]
    return owner if owner in experiment.methods else experiment.methods[0]
