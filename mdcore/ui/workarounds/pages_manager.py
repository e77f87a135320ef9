"""Pages that always run inside the frame.

Seen in Streamlit 1.67: until a session has declared its navigation, a folder `pages/` means that each of its files is a
page of its own. A session that begins before that, on a new server, would run its page without the frame.
"""

from __future__ import annotations

from streamlit.runtime.pages_manager import PagesManager


def run_pages_in_the_frame() -> None:
    """Make the entry script run for every page, from the first session on."""
    PagesManager.uses_pages_directory = False
