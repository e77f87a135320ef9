"""Sliders that update a page while they are dragged; Streamlit's own sliders report a value only on release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from mdcore.basics.text import short
from mdcore.ui.workarounds.components import component, keep_value


@dataclass(frozen=True)
class LiveSlider:
    """A slider from `low` to `high`, which are also the limits of the legal values.

    `set` is True if the visitor chose the value. Otherwise the page chose it, and chooses again whenever the slider
    named by `follows` moves. `note` says where the value comes from; `back` is the label of the button that returns to
    the page's choice.
    """

    name: str
    label: str
    help: str
    low: float
    high: float
    value: float
    log: bool = False
    step: float | None = None
    set: bool = True
    follows: str | None = None
    note: str = ""
    back: str = ""

    def packed(self) -> dict[str, Any]:
        """Return the slider as the browser receives it."""
        domain = {"legalLow": self.low, "legalHigh": self.high, "openLow": False, "openHigh": False}
        legal = f"A number from {short(self.low)} to {short(self.high)}."
        return {**asdict(self), **domain, "legal": legal, "integer": False, "zero": False}


def asked(key: str) -> dict[str, float] | None:
    """Return the slider values set in the browser, by name; None before a slider is moved, or if the message is
    invalid."""
    sent = (st.session_state.get(key) or {}).get("asked")
    return values_of(sent.get("query")) if isinstance(sent, Mapping) else None


def values_of(query: Any) -> dict[str, float] | None:
    """Parse a message of the browser, or return None if it is invalid: anyone can write to the socket."""
    if not isinstance(query, str):
        return None
    try:
        values = {name: float(value) for name, value in parse_qsl(query, strict_parsing=bool(query))}
    except ValueError:
        return None
    return values if all(map(isfinite, values.values())) else None


def live_sliders(key: str, sliders: Sequence[LiveSlider], page_run: str) -> None:
    """Draw the sliders. Call this in the fragment that draws what the sliders change, and after it: this message
    releases the browser's next request, which would interrupt anything not drawn by then."""
    sent = (st.session_state.get(key) or {}).get("asked")
    number = sent.get("id") if isinstance(sent, Mapping) else None
    message = {"id": number, "run": page_run, "sliders": [slider.packed() for slider in sliders]}
    component("sliders")(key=key, data=message, default={"asked": None}, on_asked_change=keep_value, height="content")
