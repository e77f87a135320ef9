"""The page that Streamlit sends, whose inline scripts a content policy must allow by their hashes.

Seen in Streamlit 1.67: its page has inline scripts, and it offers neither their hashes nor a nonce.
"""

from __future__ import annotations

from pathlib import Path

from streamlit import file_util


def streamlit_page() -> str:
    return (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")
