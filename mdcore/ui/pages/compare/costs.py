"""What if errors cost differently? Two sliders move thresholds, costs and margins; probabilities beside them."""

from __future__ import annotations

from typing import get_args

import pandas as pd
import streamlit as st

from mdcore.figures.decisions import class_margin_figure, precision_figure, reliability_figure, roc_figure
from mdcore.study import LEARNERS, Comparison
from mdcore.study.comparison import Spread
from mdcore.study.decisions import Calibration, Costs, Split, costs, decisions, probabilities
from mdcore.text import short, steady
from mdcore.ui.pages.compare.ask import key_of
from mdcore.ui.pages.compare.job import ComparisonJob
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.words import plain

RATIOS = tuple(2.0 ** (k / 2) for k in range(-10, 11))
CALIBRATIONS: tuple[Calibration, ...] = get_args(Calibration)
CHOSEN, BY_HAND = "chosen for the cost", "by hand"


def what_if(job: ComparisonJob, comparison: Comparison) -> None:
    """For two classes whose plan held rows out inside the training part."""
    if len(comparison.classes) != 2:
        st.info("Costs and thresholds need two classes: keep two, or set one against all others.")
        return
    able = [key for key in comparison.keys_done if len(comparison.of(key)[0].inner)]
    if not able:
        st.info("Switch “Thresholds and probabilities” on, or choose a grid, and press Compare: that holds rows out.")
        return
    _look(comparison, able)


@st.fragment
def _look(comparison: Comparison, able: list[str]) -> None:
    classes = comparison.classes.tolist()
    positive = classes[-1] if comparison.plan.positive is None else comparison.plan.positive
    other = classes[0] if positive == classes[1] else classes[1]
    first, second, third = st.columns(3)
    names = comparison.names
    key = first.selectbox("Method", able, format_func=names.__getitem__, key=key_of("cost method"))
    ratio = second.select_slider(
        f"A missed {positive!r} costs",
        RATIOS,
        value=1.0,
        format_func=lambda value: _alarms(value),
        key=key_of("cost ratio"),
        help="How much worse it is to miss one of the positive class than to raise a false alarm.",
        persist_state="session",
    )
    how = third.segmented_control(
        "Threshold",
        [CHOSEN, BY_HAND],
        default=CHOSEN,
        required=True,
        key=key_of("threshold way"),
        help="The cheapest one on rows held out inside each training part, or one of yours, in spreads of f.",
    )
    shift = None
    if how == BY_HAND:
        shift = third.slider("f above", -3.0, 3.0, 0.0, 0.05, key=key_of("threshold"), persist_state="session")
    parts = [decisions(comparison, result) for result in comparison.of(key)]
    found = costs(comparison, key, float(ratio), shift)
    st.markdown(plain(sentence(names[key], found, parts, comparison.baseline_name)))
    _pictures(parts, found, LEARNERS[key].color, (str(other), str(positive)))
    _probabilities(comparison, key)


def _alarms(ratio: float) -> str:
    return f"{short(round(ratio, 3))} false alarm{'' if ratio == 1 else 's'}"


def sentence(name: str, found: Costs, parts: list[Split], always: str) -> str:
    """Return what the thresholds cost on test rows, against 0 and against the cheaper constant answer."""
    units = [at.threshold / part.unit for at, part in zip(found.splits, parts, strict=True)]
    middle = sum(units) / len(units)
    text = (
        f"{name}, f above {steady(middle)} spreads: cost of a test row {_told(found.cost)}; at f = 0: "
        f"{_told(found.at_zero)}; always saying the cheaper class: {_told(found.constant)}."
    )
    if found.cost.mean >= found.constant.mean:
        text += " At this cost no model is needed: the constant answer is as cheap."
    return text


def _told(value: Spread) -> str:
    return f"{steady(value.mean)} ± {steady(value.deviation)}"


def _pictures(parts: list[Split], found: Costs, color: str, names: tuple[str, str]) -> None:
    left, right = st.columns(2)
    with left:
        st.caption("How many of each class lie below m?")
        plot(class_margin_figure(parts, found, color, names), "Cumulative test margins, class by class.")
        st.caption("Rows are true classes, columns predicted ones; all splits together.")
        counts = pd.DataFrame(found.counts, index=names, columns=[f"said {name}" for name in names])
        st.dataframe(counts)
    with right:
        st.caption("What does another threshold find, and at what price?")
        plot(roc_figure(parts, found, color), "ROC curve of every split with its threshold.")
        plot(precision_figure(parts, found, color), "Precision and recall of every split with its threshold.")


def _probabilities(comparison: Comparison, key: str) -> None:
    st.markdown("## Can its probabilities be believed?")
    how: Calibration = st.segmented_control(
        "Margin to probability by",
        CALIBRATIONS,
        default=CALIBRATIONS[0],
        required=True,
        key=key_of("calibration"),
        help="Platt's sigmoid or a monotone step function, fitted to rows held out inside the training part.",
    )
    found = probabilities(comparison, key, how)
    plot(reliability_figure(found, LEARNERS[key].color), "Share of positives against the probability said.")
    st.caption(
        f"Brier score {_told(found.brier)}, {_told(found.brier_of_share)} where everybody is given the share of the "
        f"positives; log loss {_told(found.log_loss)}. Smaller is better; test rows, mean ± deviation over the splits."
    )
