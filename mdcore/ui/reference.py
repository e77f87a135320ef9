"""The reference of the methods, read from their records alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import streamlit as st

from mdcore.digits import short
from mdcore.experiment import Experiment
from mdcore.figures.effect import effect_figure
from mdcore.methods import METHODS
from mdcore.query import OPENING, number_text
from mdcore.run import Run
from mdcore.spec import Method, Param

CHOSEN = "method"
EFFECT = {  # by family: on which data the effect of a parameter is shown, and what they are called
    "batch": (OPENING, "noisy moons with outliers"),
    "online": ("data=blobs&n=200&noise=0.3&seed=0&kernel=linear", "two separable blobs"),
}
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def choose_method() -> Method:
    """The method of the URL, or the one picked."""
    keys = list(METHODS)
    asked = st.query_params.get(CHOSEN, keys[0])
    if asked not in METHODS:
        st.warning(f"There is no method {asked!r}; here is {METHODS[keys[0]].name}.")
        asked = keys[0]
    picked = st.selectbox(
        "Method",
        keys,
        index=keys.index(asked),
        format_func=lambda key: f"{METHODS[key].name}: {METHODS[key].summary}",
        help="Everything on this page is read from the method's own record in the library.",
    )
    if picked != asked:  # an address that says as much already gets no entry of its own in the browser's history
        st.query_params[CHOSEN] = picked
    return METHODS[picked]


def show(method: Method) -> None:
    """Problem, parameters, picture, limits, bound, cost, paper, code."""
    st.header(method.name, anchor=False)
    st.write(method.summary)
    st.subheader("Problem", anchor=False)
    st.latex(method.latex)
    st.subheader("Parameters", anchor=False)
    st.table(list(parameter_rows(method)))
    st.subheader("What it does to the margins", anchor=False)
    _picture(method)
    for title, text in (("Limits", method.limits), ("Bound", method.bound), ("Cost", method.complexity)):
        if text:
            st.subheader(title, anchor=False)
            st.write(text)
    st.subheader("Paper", anchor=False)
    st.write(f"{method.paper.authors}: *{method.paper.title}*. {method.paper.venue}. {method.paper.equations}.")
    st.subheader("Code", anchor=False)
    st.code(code(method), language="python")
    st.link_button("Open it on the stage", f"/?{stage_query(method)}")


def parameter_rows(method: Method) -> Iterator[dict[str, str]]:
    for setting in method.params:
        legal = str(setting.legal) if isinstance(setting, Param) else ", ".join(setting.options)
        grid = ", ".join(power_text(value) for value in setting.grid) if isinstance(setting, Param) else ""
        yield {
            "symbol": setting.symbol,
            "name": setting.name,
            "legal": legal,
            "default": setting.default if isinstance(setting.default, str) else short(setting.default),
            "paper's grid": grid or "–",
            "what it does": setting.help,
        }


def power_text(value: float) -> str:
    """A power of two beyond 2^±3 as one, other numbers with three digits."""
    exponent = math.log2(value) if value > 0 else 0.0
    if abs(exponent) > 3 and exponent.is_integer():
        return "2" + str(int(exponent)).translate(SUPERSCRIPTS)
    return short(value)


def code(method: Method) -> str:
    """Lines that run as they stand."""
    name = method.estimator.__name__
    chosen = ", ".join(f"{p.name}={number_text(p.default)!s}" for p in method.params if isinstance(p, Param))
    return (
        f"from mdcore import {name}, MarginDistribution, load_dataset\n\n"
        'data = load_dataset("moons", n=300, noise=0.25, seed=0)\n'
        f"model = {name}({chosen}).fit(data.X, data.y)\n"
        'margins = MarginDistribution(model.margins(data.X, data.y, scale="geometric"), scale="geometric")\n'
        'print(f"mean {margins.mean:.3g}, variance {margins.variance:.3g}, accuracy {margins.accuracy:.1%}")\n'
    )


def effect_runs(method: Method) -> tuple[list[Run], list[str], Param] | None:
    """Runs with the first parameter small, at its default and large."""
    param = next((p for p in method.params if isinstance(p, Param)), None)
    if param is None:
        return None
    values = sorted({_at(param, 0.15), param.default, _at(param, 0.85)})
    base = Experiment.from_query(EFFECT[method.family][0])
    runs = [base.with_param(method.key, param.name, value).run_method(method.key) for value in values]
    return runs, [f"{param.symbol} = {power_text(value)}" for value in values], param


def _picture(method: Method) -> None:
    made = effect_runs(method)
    if made is None:
        return
    runs, labels, param = made
    query, sample = EFFECT[method.family]
    beside = None if method.key == "svm" else Experiment.from_query(query).run_method("svm")
    st.plotly_chart(effect_figure(runs, labels, beside), key=f"effect {method.key}")
    st.caption(
        f"Cumulative training margins on {sample}, geometric scale: {param.symbol} from small to large"
        + (", the SVM dotted." if beside else ".")
    )


def _at(param: Param, share: float) -> float:
    """The value a share of the way along the slider."""
    low, high = param.slider.low, param.slider.high
    value = low * (high / low) ** share if param.slider.log else low + share * (high - low)
    return round(value) if param.integer else float(value)


def stage_query(method: Method) -> str:
    """The opening picture with this method beside the SVM."""
    shown = dict.fromkeys(("svm", method.key))
    return replace(Experiment.from_query(OPENING), methods=tuple(shown)).to_query()
