"""The meaning of the terms in a table or a chart, in a popover next to it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import streamlit as st

from mdcore.basics.text import in_sentence, percent
from mdcore.figures.style import AXIS_TITLES, axis_titles
from mdcore.study import SCORES
from mdcore.study.differences import CONFIDENCE
from mdcore.study.scores import EXPLAINED

STYLE = """<style>
.terms.terms { margin: 0; padding: 0; }
.terms.terms dt { font-weight: 650; overflow-wrap: anywhere; }
.terms.terms dd { margin: 0 0 0.55rem; padding: 0; line-height: 1.35; }
</style>"""
AXES = {  # the meaning of each axis title
    AXIS_TITLES["geometric"]: "The distance of an example to the boundary in the space of the kernel: negative on the "
    "wrong side. With several classes, to the nearest boundary of its class.",
    AXIS_TITLES["functional"]: "The margin as it appears in the optimisation problem: negative on the wrong side. Its "
    "unit differs from method to method.",
    AXIS_TITLES["paper"]: "The margin divided by the norm of all weights together: negative on the wrong side.",
    "P(margin ≤ t)": "The share of examples whose margin is at most t. At t = 0 it is the share of errors.",
    "margin / SD of f (test rows)": "y f(x) divided by SD, the standard deviation of f on held-out rows, so that "
    "splits share one axis.",
    "P(margin ≤ m)": "The share of the rows of a class whose margin is at most m. At m = 0 it is the share of errors "
    "without a moved threshold.",
    "false positive rate": "The share of rows of other classes that are predicted positive.",
    "recall": "The share of positive rows that are predicted positive.",
    "precision": "The share of rows predicted positive that are positive.",
    "predicted probability": "The probability of the positive class that the calibrated method gives.",
    "share of positives": "The share of positive rows among those with about this predicted probability. On the "
    "diagonal, the probabilities are calibrated.",
    "training rows": "The number of rows on which the methods are fitted.",
    "area between margin curves / SD": "How far the cumulative margin curve moves when columns are shuffled: "
    "the area between both curves over the standard deviation of the margins.",
    "updates": "Corrections made so far: examples whose margin was too small.",
    "seconds of learning": "Time spent learning so far, on this machine.",
    "p-norm margin": "The smallest margin of the examples over the q-norm of w, 1/p + 1/q = 1.",
    "seconds on one processor": "Time of one fit with its parameters known: median over the splits.",
    "cross-validation accuracy": "Mean accuracy on the held-out folds of the training part.",
    "γ / γ of the protocol": "The width of the kernel, which sets how fast similarity falls with distance. 1 is the "
    "width that the protocol starts from.",
}
for _name, _title in SCORES.items():
    _score = in_sentence(_title)
    AXES[f"test {_score}"] = EXPLAINED[_name]
    AXES[f"loss of {_score}"] = f"How much lower the score is when the columns are shuffled. {EXPLAINED[_name]}"
    AXES[f"difference in {_score}, {percent(CONFIDENCE, 2)} interval"] = (
        f"The score of the first method minus that of the second, on the same splits. {EXPLAINED[_name]}"
    )


def show_terms(terms: Mapping[str, str], of: str = "table") -> None:
    """Draw a popover with the meaning of each term of a table or chart; without terms, draw nothing."""
    if terms:
        name = f"Terms of this {of}"
        listed = f'<dl class="terms">{"".join(_entry(*item) for item in terms.items())}</dl>'
        with st.popover(name, icon=":material/help:", type="tertiary"):  # focusable: scrolls by keyboard
            st.html(f'{STYLE}<div role="group" aria-label="{name}" tabindex="0">{listed}</div>')


def terms_of(made: Any, own: Mapping[str, str]) -> dict[str, str]:
    """Return the meaning of each axis of a figure, extended by `own`: meanings that depend on the content shown."""
    return {title: AXES[title] for title in axis_titles(made) if title in AXES} | dict(own)


def _entry(term: str, meaning: str) -> str:
    return f"<dt>{escape(term)}</dt><dd>{escape(meaning)}</dd>"
