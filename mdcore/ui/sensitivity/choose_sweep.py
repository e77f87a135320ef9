"""Parameters, ranges, statistic and repeats, above the picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.query import number_text
from mdcore.spec import Param
from mdcore.sweep import MEASURES, Axis, Sweep, axis_params, spaced
from mdcore.ui.sensitivity.choice import NONE, PICTURES, POINTS, REPEATS, THRESHOLD, Chosen, axis_label
from mdcore.ui.sensitivity.fields import index_of, key_of, numeral


def choose_sweep(experiment: Experiment, view: Mapping[str, str]) -> Chosen:
    """What is to be computed, and which picture of it is to be shown."""
    params = axis_params(experiment)
    top = st.columns([2, 1, 1, 1, 2, 1])
    chosen: dict[str, str] = {}
    with top[0]:
        x = _pick("x", "parameter on x", list(params), view, experiment)
    y_keys = [NONE, *(key for key in params if key != x)]
    axes = [_axis(x, params[x], "x", view, chosen, top[1:4])]
    with top[4]:
        y = _pick("y", "parameter on y", y_keys, view, experiment)
    if y != NONE:
        axes.append(_axis(y, params[y], "y", view, chosen, st.columns([2, 1, 1, 1, 2, 1])[1:4]))
    with top[5]:
        repeats = REPEATS.parse(numeral(REPEATS, view.get("view.repeats"), key_of("repeats")), "repeats")
    lower = st.columns([2, 1, 2])
    with lower[0]:
        statistic = st.selectbox(
            "statistic",
            list(MEASURES),
            index=index_of(list(MEASURES), view.get("view.stat"), "test.accuracy"),
            format_func=lambda key: MEASURES[key].title,
            help="What stands on the y-axis. All are measured at once: changing it computes nothing anew.\n\n"
            + "\n".join(f"- {measure.title}: {measure.help}" for measure in MEASURES.values()),
            key=key_of("statistic"),
        )
    with lower[1]:
        threshold = st.number_input(
            THRESHOLD.symbol,
            value=float(view.get("view.t", THRESHOLD.default)),
            step=THRESHOLD.slider.step,
            format="%g",
            help=THRESHOLD.help,
            key=key_of("threshold"),
        )
    with lower[2]:
        method = st.selectbox(
            "method",
            list(experiment.methods),
            index=index_of(list(experiment.methods), view.get("view.method"), _concerned(axes, experiment)),
            format_func=lambda key: METHODS[key].name,
            help="Of which method heatmap, objective and changing sides are shown.",
            key=key_of(f"method {experiment.methods}"),
        )
    pictures = list(PICTURES) if len(axes) == 1 else ["curves", "table"]
    names = PICTURES | ({"curves": "Heatmap"} if len(axes) == 2 else {})
    picture = st.segmented_control(
        "picture",
        pictures,
        default=view["view.show"] if view.get("view.show") in pictures else "curves",
        format_func=names.__getitem__,
        help="Curves with bands, the objective split into its terms, the examples that change side, the best "
        "method by three criteria, the whole path to be scrubbed, or the numbers.",
        key=key_of(f"picture {len(axes)}"),
        required=True,
    )
    sweep = Sweep(experiment, tuple(axes), repeats=int(repeats), threshold=threshold)
    chosen = {"view.x": x, "view.y": y} | chosen | {"view.repeats": str(int(repeats)), "view.stat": statistic}
    chosen |= {"view.t": number_text(threshold), "view.method": method, "view.show": str(picture)}
    return Chosen(sweep, statistic, str(picture), method, chosen)


def _pick(name: str, label: str, keys: list[str], view: Mapping[str, str], experiment: Experiment) -> str:
    default = "ldm.lambda1" if name == "x" and "ldm.lambda1" in keys else keys[0]
    return st.selectbox(
        label,
        keys,
        index=index_of(keys, view.get(f"view.{name}"), default),
        format_func=lambda key: axis_label(key, experiment),
        help="Of one method, of all methods that have it, of the kernel, or of the data."
        + (" With a second parameter the picture is a heatmap." if name == "y" else ""),
        key=key_of(f"{name} {keys}"),
    )


def _axis(key: str, param: Param, name: str, view: Mapping[str, str], chosen: dict[str, str], places: Any) -> Axis:
    """Low, high and number of points of one axis; a parameter chosen anew starts with its slider's reach."""
    own = view if view.get(f"view.{name}") == key else {}
    low, high = param.slider.low if not param.slider.zero else 0.0, param.slider.high
    texts = {}
    for place, end, value in zip(places, ("low", "high"), (low, high), strict=False):
        text = own.get(f"view.{name}{end}", number_text(value))
        label = f"{name} {'from' if end == 'low' else 'to'}"
        help = f"{param.help} Legal: {param.legal}."
        texts[end] = place.text_input(label, text, help=help, key=key_of(f"{key} {name} {end}")).strip()
    with places[2]:
        count = numeral(POINTS, own.get(f"view.{name}n"), key_of(f"{key} {name} points"))
    chosen |= {f"view.{name}low": texts["low"], f"view.{name}high": texts["high"], f"view.{name}n": count}
    low, high = (param.parse(text, "sweep") for text in texts.values())
    return Axis(key, spaced(param, int(count), low, high))


def _concerned(axes: list[Axis], experiment: Experiment) -> str:
    """The method whose parameter is swept, else the first."""
    owner = axes[0].key.rpartition(".")[0]
    return owner if owner in experiment.methods else experiment.methods[0]
