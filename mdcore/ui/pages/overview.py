"""The definition of margins, and an overview of all methods with their effect on the margins."""

from __future__ import annotations

from functools import cache

import numpy as np
import streamlit as st

from mdcore.experiment import Experiment
from mdcore.experiment.run import Run
from mdcore.methods import METHODS
from mdcore.spec import Method
from mdcore.ui.pages.reference import CHOSEN, effect_of

COLUMNS = 3
BINS = 28
WIDTH, HEIGHT = 260.0, 56.0
GREY = "#9aa1aa"

PRIMER = r"""
**What a margin is.** A classifier scores an example $x$ with $f(x)$ and answers with its sign. The *functional* margin
$y f(x)$ is positive where the answer is right; divided by $\lVert w\rVert$ it is the *geometric* margin, the distance
of the example to the boundary in the space where the method works. With several classes the margin is
$f_y(x) - \max_{l \ne y} f_l(x)$: how far the right class is ahead of the next.

**Why its distribution matters.** A support vector machine makes the smallest margin large. Bounds on the error on new
examples that use all margins, through their mean and variance, can be tighter, and many of the methods below optimise
such quantities. Each card says which part of the distribution its method uses.
"""


def overview() -> None:
    """Draw the introduction and a card for each method: its summary, and its margins at the default parameters."""
    st.markdown(PRIMER)
    st.caption(
        "The pictures show training margins at the default parameters, on the geometric scale, with zero marked; for "
        "two classes, the SVM on the same data is grey. Press a name for parameters, limits, bounds and code."
    )
    methods = list(METHODS.values())
    for start in range(0, len(methods), COLUMNS):
        for place, method in zip(st.columns(COLUMNS), methods[start : start + COLUMNS], strict=False):
            with place.container(border=True, height="stretch", vertical_alignment="distribute"):
                with st.container():
                    name = f"card {method.key}"
                    st.button(method.name, key=name, type="tertiary", on_click=_choose, args=(method.key,))
                    st.caption(method.summary)
                st.image(margin_picture(method.key), width="stretch", alt=f"Histogram of the margins of {method.name}")


def _choose(key: str) -> None:
    st.query_params[CHOSEN] = key


@cache
def margin_picture(key: str) -> str:
    """Return an SVG histogram of a method's margins at its default parameters, drawn over the SVM's margins on the same
    data."""
    method = METHODS[key]
    experiment = Experiment.from_query(effect_of(method)[0])
    runs = [(run_at_defaults(experiment, method), method.color)]
    if key != "svm" and not method.multiclass:
        runs.insert(0, (run_at_defaults(experiment, METHODS["svm"]), GREY))
    values = [run.train.values for run, _ in runs]
    low, high = min(0.0, *(own.min() for own in values)), max(own.max() for own in values)
    edges = np.linspace(low, high, BINS + 1)
    counts = [np.histogram(own, edges)[0] for own in values]
    most = max(int(own.max()) for own in counts)
    bars = "".join(
        f'<path d="{_steps(own, most)}" fill="{color}" fill-opacity="0.3" stroke="{color}" stroke-width="1.5"/>'
        for own, (_, color) in zip(counts, runs, strict=True)
    )
    zero = WIDTH * (0.0 - low) / (high - low)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT + 4:g}" width="{WIDTH:g}" '
        f'height="{HEIGHT + 4:g}">{bars}'
        f'<path d="M{zero:.1f} 0V{HEIGHT:g}" stroke="{GREY}" stroke-width="2"/>'
        f'<path d="M0 {HEIGHT:g}H{WIDTH:g}" stroke="{GREY}" stroke-opacity="0.6"/></svg>'
    )


def run_at_defaults(experiment: Experiment, method: Method) -> Run:
    moved = experiment
    for setting in method.params:
        moved = moved.with_param(method.key, setting.name, setting.default)
    return moved.run_method(method.key)


def _steps(counts: np.ndarray, most: int) -> str:
    """Return the outline of a histogram as an SVG path, closed at the baseline."""
    wide = WIDTH / len(counts)
    tops = HEIGHT * (1.0 - counts / max(1, most))
    steps = "".join(f"V{top:.1f}H{(at + 1) * wide:.1f}" for at, top in enumerate(tops))
    return f"M0 {HEIGHT:g}{steps}V{HEIGHT:g}Z"
