"""Inputs made from the records of parameters. Their values last as long as the session, on every page."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from mdcore.kernels import COEF0, DEGREE, GAMMA, GAMMA_WORDS, KERNEL
from mdcore.spec import Choice, Param, Setting

PREFIX = "compare "
NUMBER = "a number"


def key_of(*parts: str) -> str:
    return PREFIX + " ".join(parts)


def ask(setting: Setting, *owner: str, most: float = math.inf) -> Any:
    """The value of one setting; `most` lowers its largest legal value."""
    key = key_of(*owner, setting.name)
    label = setting.symbol[:1].upper() + setting.symbol[1:] if len(setting.symbol) > 2 else setting.symbol
    if isinstance(setting, Choice):
        st.session_state.setdefault(key, setting.default)
        return st.selectbox(label, setting.options, key=key, help=setting.help, persist_state="session")
    kind = int if setting.integer else float
    low, high = setting.legal.low, setting.legal.high
    if setting.legal.open_high and math.isfinite(high):
        high -= 1 if setting.integer else 2**-10 * high
    high = min(high, most)
    value = st.session_state.setdefault(key, setting.default)
    if value > high:  # the limit has come down since: memory was taken
        st.session_state[key] = kind(high)
    return st.number_input(
        label,
        min_value=kind(low) if math.isfinite(low) else None,
        max_value=kind(high) if math.isfinite(high) else None,
        step=kind(setting.slider.step or 1) if setting.integer else _step(setting),
        format=None if setting.integer else "%.4g",
        key=key,
        help=setting.help,
        persist_state="session",
    )


def ask_toggle(setting: Choice) -> bool:
    """Yes or no."""
    key = key_of(setting.name)
    st.session_state.setdefault(key, setting.default == "1")
    return st.toggle(setting.symbol, key=key, help=setting.help, persist_state="session")


def ask_kernel() -> dict[str, Any]:
    """The kernel as keys of a query string; what a kernel does not have is not asked."""
    left, right = st.columns(2)
    with left:
        chosen = {"kernel": ask(KERNEL)}
    if chosen["kernel"] == "linear":
        return chosen
    st.session_state.setdefault(key_of("width"), "scale")
    with right:
        word = st.selectbox(
            "γ from", (*GAMMA_WORDS, NUMBER), key=key_of("width"), help=GAMMA.help, persist_state="session"
        )
    chosen["gamma"] = word
    if word == NUMBER:
        chosen["gamma"] = ask(GAMMA)
    if chosen["kernel"] == "poly":
        chosen |= {setting.name: ask(setting) for setting in (DEGREE, COEF0)}
    return chosen


def put(setting: Setting, value: Any, *owner: str) -> None:
    """Set what an input shows, before it is drawn."""
    st.session_state[key_of(*owner, setting.name)] = value


def _step(setting: Param) -> float:
    return float(setting.slider.step or 0.1)
