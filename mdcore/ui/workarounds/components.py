"""The pages' own components: declared when they are first drawn, with values that Streamlit keeps."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import streamlit as st


@cache
def component(name: str) -> Callable[..., Any]:
    """Return the function that draws a component of mdcore/pyproject.toml; its module has the same name.

    Seen in Streamlit 1.67: without a running app there is no registry to declare it in, so modules that are imported by
    a test or a tool cannot declare their components.
    """
    return st.components.v2.component(f"mdcore.{name}", js=f"{name}.js", isolate_styles=False)


def keep_value() -> None:
    """Do nothing: Streamlit keeps a component's value only if a callback is given, and the rerun does the work."""
