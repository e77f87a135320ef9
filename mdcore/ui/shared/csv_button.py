"""Tables of results to take away. Streamlit's own download is off: it guards no formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from mdcore.export import csv_file


def csv_button(rows: Sequence[Mapping[str, Any]], name: str, what: str) -> None:
    """Offer rows, all with the same columns, as a file of this name; `what` says what a row is."""
    st.download_button(
        "Download as CSV",
        lambda: csv_file(rows),
        name,
        "text/csv",
        key=f"download {name}",
        icon=":material/table:",
        on_click="ignore",
        help=f"{what} All digits; safe to open in a spreadsheet.",
    )
