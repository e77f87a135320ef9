"""The methods of a comparison as rows: a swatch that switches each on and off, and a menu for further ones."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import streamlit as st

from mdcore.figures import ink
from mdcore.study import is_reference
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.pages.compare.state import FIRST_SHOWN, SHOWN, memory
from mdcore.ui.shared.words import plain

MORE = CONTROLS.key("more methods")
ROWS = """
.st-key-compare-method-rows > div {
  width: 100%; padding: 0.15rem 0; border-top: 1px solid color-mix(in srgb, currentColor 16%, transparent);
}
.st-key-compare-method-rows :is([data-testid="stCheckbox"], label, [data-testid="stWidgetLabel"]),
.st-key-compare-method-rows [data-testid="stWidgetLabel"] :is(div, [data-testid="stMarkdownContainer"]) {
  flex: 1; width: 100%;
}
.st-key-compare-method-rows p { display: flex; flex-wrap: wrap; justify-content: space-between; color: var(--ink); }
.st-key-compare-method-rows p::after {
  color: color-mix(in srgb, light-dark(#131817, #e8edeb) 75%, transparent); font-size: 0.857rem; font-weight: 400;
}
.st-key-compare-method-rows label > div:has(> svg) { border-color: var(--ink); }
.st-key-compare-method-rows label[data-selected="true"] > div:has(> svg) { background: var(--ink); }
"""


def choose_methods(fitting: Sequence[str], names: Mapping[str, str], settings: Mapping[str, str]) -> list[str]:
    """Return the methods that are switched on, in the order of their rows; `settings` are told beside the names."""
    chosen = [key for key in st.session_state.setdefault(SHOWN, list(FIRST_SHOWN)) if key in fitting]
    rows = [key for key in dict.fromkeys((*FIRST_SHOWN, *chosen)) if key in fitting]
    st.html(_style(rows, settings))
    with st.container(key=CONTROLS.key("method rows").replace(" ", "-"), gap=None):
        for key in rows:
            st.session_state[_row(key)] = key in chosen
            st.checkbox(plain(names[key]), key=_row(key), on_change=_switch, args=(key,), width="stretch")
    rest = [key for key in fitting if key not in rows]
    if rest:
        st.selectbox(
            "Add a method",
            rest,
            index=None,
            format_func=names.__getitem__,
            key=MORE,
            on_change=_add,
            placeholder="+ Method",
            label_visibility="collapsed",
            help="All methods are fitted on the same training rows of the same splits.",
        )
    return [key for key in rows if key in chosen]


def _row(key: str) -> str:
    return CONTROLS.key("on", key)


def _switch(key: str) -> None:
    memory().proposes_methods = False
    shown = [other for other in st.session_state[SHOWN] if other != key]
    st.session_state[SHOWN] = [*shown, key] if st.session_state[_row(key)] else shown


def _add() -> None:
    if st.session_state[MORE] is not None:
        memory().proposes_methods = False
        st.session_state[SHOWN] = [*st.session_state[SHOWN], st.session_state[MORE]]
        st.session_state[MORE] = None


def _style(rows: Sequence[str], settings: Mapping[str, str]) -> str:
    """Return a style in which every row has the colour of its method in the results, and ends with its settings."""
    each = []
    for key in rows:
        light, dark = ink(key)
        place = f".st-key-{_row(key).replace(' ', '-')}"
        weight = "400" if is_reference(key) else "600"
        each.append(f"{place} {{ --ink: light-dark({light}, {dark}); }} {place} p {{ font-weight: {weight}; }}")
        if settings.get(key):
            each.append(f"{place} p::after {{ content: {json.dumps(settings[key], ensure_ascii=False)}; }}")
    return f"<style>{ROWS}{''.join(each)}</style>"
