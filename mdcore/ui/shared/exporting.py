"""What a page shows, to take away: its charts as a picture, and the files that Python makes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

HTML, CSV, PYTHON, NOTEBOOK = "text/html", "text/csv", "text/x-python", "application/x-ipynb+json"


@dataclass(frozen=True)
class File:
    """`make` is called when the file is asked for."""

    label: str
    name: str
    kind: str
    make: Callable[[], str | bytes]
    help: str | None = None


@cache
def _picture() -> Callable[..., Any]:
    """Declared when it is first shown: without a running app there is nowhere to declare it."""
    return st.components.v2.component("mdcore.picture", js="picture.js", isolate_styles=False)


def export_menu(name: str, files: Sequence[File], note: str = "", *, charts: bool = True) -> None:
    """A button that opens the list; `name` is that of the pictures of the charts, where there are any, and tells menus
    of a page apart."""
    with st.popover("Export", icon=":material/download:"):
        if charts:
            _picture()(key=f"picture {name}", data={"name": name}, height="content")
        for file in files:
            st.download_button(
                file.label,
                file.make,
                file.name,
                file.kind,
                key=f"export {name} {file.name}",
                on_click="ignore",
                help=file.help,
                type="tertiary",
            )
        if note:
            st.caption(note)
