"""What is uploaded stays in memory, how much of it a session holds, and how it is let go.

Seen in Streamlit 1.67: an upload goes to a temporary file of the disk as soon as it is larger than 1 MB, by Starlette's
reader of forms, before it is read into memory; and a session may upload file after file.
What it has uploaded is kept until it ends, unless a visitor takes the file out of its uploader.
"""

from __future__ import annotations

from starlette.formparsers import MultiPartParser
from streamlit import config
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager


def keep_off_the_disk() -> None:
    """Let no upload be written to a file: not even one that is larger than may be."""
    MultiPartParser.spool_max_size = 2 * int(config.get_option("server.maxUploadSize")) * 2**20


def held_by(session: str) -> int:
    """Return how many bytes a session has uploaded and not let go."""
    if not Runtime.exists():
        return 0
    manager = Runtime.instance().uploaded_file_mgr
    if not isinstance(manager, MemoryUploadedFileManager):
        return 0
    return sum(len(file.data) for file in manager.file_storage.get(session, {}).copy().values())


def let_go(session: str, file: str) -> None:
    """Forget one file of a session, by its number."""
    if Runtime.exists():
        manager = Runtime.instance().uploaded_file_mgr
        if isinstance(manager, MemoryUploadedFileManager):
            manager.remove_file(session, file)
