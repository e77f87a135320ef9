"""The controls of the sensitivity page: each one a key of the page's query, read from the records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import numpy as np
import streamlit as st

from mdcore.data import SCALING, SEED, TEST, all_sources, edits
from mdcore.experiment import Experiment
from mdcore.kernels import GAMMA, KERNEL
from mdcore.methods import METHODS
from mdcore.query import BIAS, METHOD_LIMIT, SCALE, BadKey, number_text
from mdcore.spec import Choice, Interval, Param, Setting, Slider
from mdcore.sweep import MEASURES, Axis, Sweep, axis_params, spaced
from mdcore.sweep.axis import KERNEL_PARAMS
from mdcore.ui.own import own_sources
from mdcore.ui.words import plain

NONE = "none"
STEPS = "sensitivity steps in the browser"
POINTS = Param(
    "points",
    "points",
    41,
    Interval(2, 401),
    Slider(2, 101, step=1),
    "Number of values, equally spaced, on a log slider in log2. For two parameters: along each of them.",
    integer=True,
)
REPEATS = Param(
    "repeats",
    "repeats",
    5,
    Interval(1, 100),
    Slider(1, 30, step=1),
    "Other seeds: other samples of generated data, other splits of given data. The curve is the median, the band goes "
    "from the 10 to the 90 % quantile.",
    integer=True,
)
THRESHOLD = Param(
    "t",
    "t",
    0.0,
    Interval(-np.inf, np.inf, open_low=True, open_high=True),
    Slider(-1.0, 1.0, step=0.05),
    "Threshold of P(margin ≤ t), on the margin scale shown.",
)
PICTURES = {
    "curves": "Curves",
    "terms": "Objective",
    "sides": "Changing side",
    "ranking": "Ranking",
    "path": "Path scrubber",
    "table": "Table",
}


@dataclass(frozen=True)
class Chosen:
    """What is asked for; `view` are the page's own keys of the query."""

    sweep: Sweep
    statistic: str
    picture: str
    method: str
    view: Mapping[str, str]

    @property
    def query(self) -> str:
        return f"{self.sweep.experiment.to_query()}&{urlencode(self.view)}"


def key_of(control: str) -> str:
    """A control's key: another one after each step back or forward in the browser, so that it takes up the address."""
    steps = st.session_state.get(STEPS, 0)
    return f"sensitivity {control} {steps}" if steps else f"sensitivity {control}"


def choose_experiment(now: Experiment) -> Experiment:
    """Data, kernel and methods, in the sidebar; BadKey where they cannot be read."""
    tables = own_sources()
    sources = {source.key: source for source in (*tables, *all_sources().values())}
    with st.sidebar:
        st.subheader("Data")
        source = st.selectbox(
            "source",
            list(sources),
            index=list(sources).index(now.data.source),
            format_func=lambda key: sources[key].title,
            help="Where the examples come from: generated, bundled, from your folder of CSV files, or the tables that "
            "you have loaded under Compare in this session.",
            key=key_of("source"),
        )
        if sources[source] in tables:
            st.caption(plain(sources[source].summary))
        query = {"data": source}
        same = source == now.data.source
        options = dict(now.data.options) if same else {}
        for option in (*sources[source].options, SEED, TEST):
            if option.name not in query:
                held = {"seed": now.data.seed, "test": now.data.test} | options
                query[option.name] = _field(option, held.get(option.name, option.default), source)
        query["scaling"] = _field(SCALING, now.data.scaling if same else sources[source].scaling, source)
        if now.data.edits and same:
            st.caption("The points edited by hand on the stage are part of the data.")
            query["edits"] = edits.format(now.data.edits)
        st.subheader("Kernel")
        query["kernel"] = kernel = _field(KERNEL, now.kernel.name)
        for param in KERNEL_PARAMS.get(kernel, ()):
            query[param.name] = _field(param, getattr(now.kernel, param.name))
        query["bias"] = _field(BIAS, str(int(now.kernel.bias)))
        st.subheader("Methods")
        shown = st.multiselect(
            "methods",
            list(METHODS),
            default=list(now.methods),
            max_selections=METHOD_LIMIT,
            format_func=lambda key: METHODS[key].name,
            help="One curve for each, at most four.",
            key=key_of("methods"),
        )
        query["methods"] = ",".join(shown)
        query["scale"] = _field(SCALE, now.scale)
        for method in shown:
            with st.expander(METHODS[method].name):
                settings = now.settings(method)
                for setting in METHODS[method].params:
                    query[f"{method}.{setting.name}"] = _field(setting, settings[setting.name], method)
    return Experiment.from_query(urlencode(query), tables)


def choose_sweep(experiment: Experiment, view: Mapping[str, str]) -> Chosen:
    """Parameters, ranges, statistic and repeats, above the picture."""
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
        repeats = REPEATS.parse(_numeral(REPEATS, view.get("view.repeats"), key_of("repeats")), "repeats")
    lower = st.columns([2, 1, 2])
    with lower[0]:
        statistic = st.selectbox(
            "statistic",
            list(MEASURES),
            index=_index(list(MEASURES), view.get("view.stat"), "test.accuracy"),
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
            index=_index(list(experiment.methods), view.get("view.method"), _concerned(axes, experiment)),
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


def axis_label(key: str, experiment: Experiment) -> str:
    """How a parameter is called in a list."""
    if key == NONE:
        return "none: curves"
    param = axis_params(experiment)[key]
    method, dot, _ = key.rpartition(".")
    if dot:
        return f"{METHODS[method].name}: {param.symbol}"
    owners = [METHODS[m].name for m in experiment.methods if any(p.name == key for p in METHODS[m].params)]
    return f"{' and '.join(owners)}: {param.symbol}" if owners else f"{key} ({param.symbol})"


def _pick(name: str, label: str, keys: list[str], view: Mapping[str, str], experiment: Experiment) -> str:
    default = "ldm.lambda1" if name == "x" and "ldm.lambda1" in keys else keys[0]
    return st.selectbox(
        label,
        keys,
        index=_index(keys, view.get(f"view.{name}"), default),
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
        count = _numeral(POINTS, own.get(f"view.{name}n"), key_of(f"{key} {name} points"))
    chosen |= {f"view.{name}low": texts["low"], f"view.{name}high": texts["high"], f"view.{name}n": count}
    low, high = (param.parse(text, "sweep") for text in texts.values())
    return Axis(key, spaced(param, int(count), low, high))


def _concerned(axes: list[Axis], experiment: Experiment) -> str:
    """The method whose parameter is swept, else the first."""
    owner = axes[0].key.rpartition(".")[0]
    return owner if owner in experiment.methods else experiment.methods[0]


def _numeral(param: Param, text: str | None, key: str) -> str:
    value = int(text) if text is not None and text.isdecimal() and float(text) in param.legal else int(param.default)
    low, high = int(param.legal.low), int(param.legal.high)
    return str(st.number_input(param.symbol, low, high, value, help=param.help, key=key))


def _field(setting: Setting, value: Any, owner: str = "") -> str:
    """One control; numbers are typed, so that inf, scale and 0.0625 are all possible."""
    key = key_of(f"{owner} {setting.name}")
    if isinstance(setting, Choice):
        options = list(setting.options)
        return str(st.selectbox(setting.symbol, options, index=options.index(str(value)), help=setting.help, key=key))
    words = " Or scale, or distance." if setting is GAMMA else ""
    help = f"{setting.help} Legal: {setting.legal}.{words}"
    return st.text_input(setting.symbol, number_text(value), help=help, key=key).strip()


def _index(options: list[str], wanted: str | None, default: str) -> int:
    return options.index(wanted if wanted in options else default)


def read_view(given: Mapping[str, str], experiment: Experiment) -> dict[str, str]:
    """The page's own keys; a bad value is refused like any other. The ends of an axis are checked where it is made."""
    view = {key: value for key, value in given.items() if key.startswith("view.")}
    params = tuple(axis_params(experiment))
    allowed = {
        "view.x": params,
        "view.y": (NONE, *params),
        "view.stat": tuple(MEASURES),
        "view.method": experiment.methods,
        "view.show": tuple(PICTURES),
    }
    for key in sorted(view.keys() & allowed.keys()):
        if view[key] not in allowed[key]:
            raise BadKey(key, f"{key} must be one of {', '.join(allowed[key])}; got {view[key]!r}.")
    for key, param in (("view.xn", POINTS), ("view.yn", POINTS), ("view.repeats", REPEATS), ("view.t", THRESHOLD)):
        if key in view:
            param.parse(view[key], key)
    return view
