"""What Streamlit's server keeps to itself: its page, the scripts of components, and by which hosts it may be called.

Seen in Streamlit 1.67: its page has inline scripts, which a content policy must allow by their hashes, and it offers
neither these nor a nonce. It checks hosts on its own routes only.
"""

from __future__ import annotations

import re
from pathlib import Path

from streamlit import file_util
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed as is_host_allowed

IMPORTED = re.compile(r'(?:from|import)"\./([\w.-]+\.js)"')


def streamlit_page() -> str:
    return (Path(file_util.get_static_dir()) / "index.html").read_text(encoding="utf-8")


def component_scripts() -> tuple[str, ...]:
    """Return the paths of the scripts with which Streamlit draws a component.

    Its page names neither them nor what they import, and asks for them only when the app has run.
    """
    folder, page = Path(file_util.get_static_dir()) / "static" / "js", streamlit_page()
    found, waiting = [], [path.name for path in folder.glob("BidiComponent.*.js")]
    while waiting:
        name = waiting.pop()
        if name not in page and name not in found:
            found.append(name)
            waiting += IMPORTED.findall((folder / name).read_text(encoding="utf-8"))
    return tuple(f"static/js/{name}" for name in found)
