"""A download button for result tables. It replaces Streamlit's own download, which does not escape formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from mdcore.export import csv_file


def csv_button(rows: Sequence[Mapping[str, Any]], name: str, what: str) -> None:
    """Draw a button that downloads rows with the same columns as the file `name`; `what` describes a row."""
    st.download_button(
        "Download as CSV",
        lambda: csv_file(rows),
        name,
        "text/csv",
        key=f"download {name}",
        icon=":material/table:",
        on_click="ignore",
        help=f"{what} Full precision; safe to open in a spreadsheet.",
    )
