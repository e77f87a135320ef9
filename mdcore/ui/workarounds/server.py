"""What Streamlit's server keeps to itself: the page that it sends, and whether it may be called by a host's name.

Seen in Streamlit 1.67: its page has inline scripts, which a content policy must allow by their hashes, and it offers
neither these nor a nonce. It checks hosts on its own routes only.
"""

from __future__ import annotations

from pathlib import Path

from streamlit import file_util
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

__all__ = ["is_host_allowed", "streamlit_page"]


def streamlit_page() -> str:
    return (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")
