"""Controls made from records, each with the key under which Streamlit keeps it."""

from __future__ import annotations

from typing import Any

import streamlit as st

from mdcore.kernels import GAMMA
from mdcore.query import number_text
from mdcore.spec import Choice, Param, Setting

STEPS = "sensitivity steps in the browser"


def key_of(control: str) -> str:
    """A control's key: another one after each step back or forward in the browser, so that it takes up the address."""
    steps = st.session_state.get(STEPS, 0)
    return f"sensitivity {control} {steps}" if steps else f"sensitivity {control}"


def field(setting: Setting, value: Any, owner: str = "") -> str:
    """One control; numbers are typed, so that inf, scale and 0.0625 are all possible."""
    key = key_of(f"{owner} {setting.name}")
    if isinstance(setting, Choice):
        options = list(setting.options)
        return str(st.selectbox(setting.symbol, options, index=options.index(str(value)), help=setting.help, key=key))
    words = " Or scale, or distance." if setting is GAMMA else ""
    help = f"{setting.help} Legal: {setting.legal}.{words}"
    return st.text_input(setting.symbol, number_text(value), help=help, key=key).strip()


def numeral(param: Param, text: str | None, key: str) -> str:
    value = int(text) if text is not None and text.isdecimal() and float(text) in param.legal else int(param.default)
    low, high = int(param.legal.low), int(param.legal.high)
    return str(st.number_input(param.symbol, low, high, value, help=param.help, key=key))


def index_of(options: list[str], wanted: str | None, default: str) -> int:
    return options.index(wanted if wanted in options else default)
