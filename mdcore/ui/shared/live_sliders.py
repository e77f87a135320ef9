"""Sliders that move the pictures of a page while they are dragged; Streamlit's own tell their value when let go."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from math import isfinite
from typing import Any
from urllib.parse import parse_qsl

import streamlit as st

from mdcore.text import short


@dataclass(frozen=True)
class LiveSlider:
    """From `low` to `high`, which are the legal values too.

    `set` where the value is the visitor's own; otherwise the page chooses it, and does so anew when the slider it
    `follows` is moved. `note` says where the value comes from, `back` what the button is called that lets it go.
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

    def told(self) -> dict[str, Any]:
        """Return what the browser is told of it."""
        domain = {"legalLow": self.low, "legalHigh": self.high, "openLow": False, "openHigh": False}
        legal = f"A number from {short(self.low)} to {short(self.high)}."
        return {**asdict(self), **domain, "legal": legal, "integer": False, "zero": False}


@cache
def _component() -> Callable[..., Any]:
    """Declared when it is first shown: without a running app there is nowhere to declare it."""
    return st.components.v2.component("mdcore.sliders", js="sliders.js", isolate_styles=False)


def asked(key: str) -> dict[str, float] | None:
    """Return what the sliders of a key set, by name; None before one is moved, and for what they never send."""
    told = (st.session_state.get(key) or {}).get("asked")
    return values_of(told.get("query")) if isinstance(told, Mapping) else None


def values_of(query: Any) -> dict[str, float] | None:
    """Read what the browser sends; anybody can write to a socket."""
    if not isinstance(query, str):
        return None
    try:
        values = {name: float(value) for name, value in parse_qsl(query, strict_parsing=bool(query))}
    except ValueError:
        return None
    return values if all(map(isfinite, values.values())) else None


def live_sliders(key: str, sliders: Sequence[LiveSlider], page_run: str) -> None:
    """Draw them, in the fragment that draws what they move, and after it: the browser's next request waits for this
    message, and would cut short what is not drawn by then."""
    told = (st.session_state.get(key) or {}).get("asked")
    number = told.get("id") if isinstance(told, Mapping) else None
    message = {"id": number, "run": page_run, "sliders": [slider.told() for slider in sliders]}
    _component()(key=key, data=message, default={"asked": None}, on_asked_change=_noted, height="content")


def _noted() -> None:
    """Streamlit keeps what a component tells only where a callback is given; the rerun it causes does the work."""
