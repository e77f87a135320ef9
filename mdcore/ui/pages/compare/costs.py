"""The section on unequal costs of errors: two sliders for cost and threshold, and calibrated probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args
from uuid import uuid4

import pandas as pd
import streamlit as st

from mdcore.basics.text import label_text, plus_minus, shortened, steady
from mdcore.figures.decisions import class_margin_figure, precision_figure, reliability_figure, roc_figure
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.study import LEARNERS, Comparison
from mdcore.study.comparison import Spread
from mdcore.study.decisions import Calibration, Costs, Split, costs_of, decisions, probabilities, reach
from mdcore.ui.pages.compare.controls import CONTROLS, choose_method
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.live_plot import live_plot
from mdcore.ui.shared.live_sliders import LiveSlider, asked, live_sliders
from mdcore.ui.shared.session import state_of
from mdcore.ui.shared.terms import show_terms
from mdcore.ui.shared.words import plain

RATIOS = (1 / 32, 32.0)
CALIBRATIONS: tuple[Calibration, ...] = get_args(Calibration)
SLIDERS = CONTROLS.key("cost sliders")
RATIO, THRESHOLD = "ratio", "threshold"


@dataclass
class CostChoice:
    """The cost ratio, and the threshold in standard deviations of f set by the visitor; None if chosen for the cost."""

    ratio: float = 1.0
    shift: float | None = None

    def update(self, values: dict[str, float] | None) -> None:
        """Take the values of the sliders, if any slider has been moved."""
        if values is not None:
            self.ratio = min(max(values.get(RATIO, self.ratio), RATIOS[0]), RATIOS[1])
            self.shift = values.get(THRESHOLD)


def what_if(job: ComparisonJob, comparison: Comparison) -> None:
    """Draw the section, for two classes and a plan that holds out rows inside the training part."""
    if len(comparison.classes) != 2:
        st.info("Costs and thresholds need two classes: keep two, or compare one with all others.")
        return
    able = [key for key in comparison.keys_done if len(comparison.of(key)[0].inner)]
    if not able:
        st.info("Turn on “Thresholds and probabilities”, or choose a grid, and press Compare: both hold out rows.")
        return
    _method_section(comparison, able)


def named(label: object) -> str:
    """Return the name of a class, shortened to fit sliders and table heads."""
    return shortened(label_text(label))


@st.fragment
def _method_section(comparison: Comparison, able: list[str]) -> None:
    key = choose_method("cost method", comparison, able)
    parts = [decisions(comparison, result) for result in comparison.of(key)]
    _live(comparison, key, parts, uuid4().hex)
    _probabilities(comparison, key)


@st.fragment
def _live(comparison: Comparison, key: str, parts: list[Split], page_run: str) -> None:
    """Draw the sliders and everything that depends on them."""
    classes = comparison.classes.tolist()
    code = comparison.plan.positive_code(comparison.classes)
    positive, other = classes[code], classes[1 - code]
    ends = reach(parts)
    choice = state_of(CostChoice)
    choice.update(asked(SLIDERS))
    shift = None if choice.shift is None else min(max(choice.shift, ends[0]), ends[1])
    found = costs_of(parts, choice.ratio, shift)
    above = st.container()
    st.markdown(plain(sentence(comparison.names[key], found, parts, comparison.baseline_name)))
    _pictures(parts, found, LEARNERS[key].color, (named(other), named(positive)))
    with above:
        live_sliders(SLIDERS, _sliders(choice.ratio, shift, _middle(found, parts), ends, named(positive)), page_run)


def _sliders(
    ratio: float, shift: float | None, middle: float, ends: tuple[float, float], positive: str
) -> list[LiveSlider]:
    price = LiveSlider(
        RATIO,
        f"Cost of a missed '{positive}', in false alarms",
        "How much worse it is to miss a row of the positive class than to raise a false alarm. Moving it sets the "
        "threshold to the cheapest value on rows held out inside each training part.",
        *RATIOS,
        value=ratio,
        log=True,
        note="Moving it resets the threshold.",
    )
    threshold = LiveSlider(
        THRESHOLD,
        f"Threshold: predict '{positive}' where f is above",
        "In standard deviations (SD) of f. Each split has its own threshold, chosen for the cost, and the slider shows "
        "their mean; a threshold set by hand is the same for every split.",
        *ends,
        value=middle if shift is None else shift,
        step=0.05,
        set=shift is not None,
        follows=RATIO,
        note="Chosen for this cost, on held-out rows of the training part." if shift is None else "Set by hand.",
        back="" if shift is None else "Back to the threshold chosen for this cost",
    )
    return [price, threshold]


def _middle(found: Costs, parts: list[Split]) -> float:
    """Return the mean threshold over the splits, in standard deviations of f."""
    units = [at.threshold / part.unit for at, part in zip(found.splits, parts, strict=True)]
    return sum(units) / len(units)


def sentence(name: str, found: Costs, parts: list[Split], always: str) -> str:
    """Return a sentence on the cost of the thresholds on test rows, compared with threshold 0 and with the cheaper
    constant answer."""
    text = (
        f"{name}, f above {steady(_middle(found, parts))} SD: cost of a test row {_spread_text(found.cost)}; at f = 0: "
        f"{_spread_text(found.at_zero)}; always predicting the cheaper class: {_spread_text(found.constant)}."
    )
    if found.cost.mean >= found.constant.mean:
        return f"{text} At this cost no model is needed: the constant answer costs no more."
    return f"{text} At this cost the model is worth it: the constant answer costs more."


def _spread_text(value: Spread) -> str:
    return plus_minus(value.mean, value.deviation)


def _pictures(parts: list[Split], found: Costs, color: str, names: tuple[str, str]) -> None:
    left, right = st.columns(2)
    with left:
        st.caption("How many of each class lie below m?")
        live_plot(
            class_margin_figure(parts, found, color, names),
            "Cumulative test margins, class by class.",
            CONTROLS.key("cost margins"),
        )
        st.caption("Rows are true classes, columns predicted classes; all splits together.")
        words = [plain(name) for name in names]  # Streamlit renders the texts of a table as Markdown
        counts = pd.DataFrame(found.counts, index=words, columns=[f"predicted {name}" for name in words])
        st.table(counts)
        meaning = "The class predicted at these thresholds; each row counts the predictions for one true class."
        show_terms(dict.fromkeys(counts.columns, meaning))
    with right:
        st.caption("What does another threshold find, and at what price?")
        live_plot(
            roc_figure(parts, found, color), "ROC curve of every split with its threshold.", CONTROLS.key("cost roc")
        )
        live_plot(
            precision_figure(parts, found, color),
            "Precision and recall of every split with its threshold.",
            CONTROLS.key("cost precision"),
        )


def _probabilities(comparison: Comparison, key: str) -> None:
    st.markdown("## Can you trust its probabilities?")
    how: Calibration = st.segmented_control(
        "Margin to probability by",
        CALIBRATIONS,
        default=CALIBRATIONS[0],
        required=True,
        key=CONTROLS.key("calibration"),
        help="Platt's sigmoid or a monotone step function, fitted on rows held out inside the training part.",
    )
    found = probabilities(comparison, key, how)
    plot(reliability_figure(found, LEARNERS[key].color), "Share of positives against the predicted probability.")
    st.caption(
        f"Brier score {_spread_text(found.brier)}, or {_spread_text(found.brier_of_share)} if every row is given the "
        f"share of positives; log loss {_spread_text(found.log_loss)}. Smaller is better; test rows, mean ± deviation "
        "over the splits."
    )
