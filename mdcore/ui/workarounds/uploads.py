"""What is uploaded stays in memory, and how much of it a session holds.

Seen in Streamlit 1.67: an upload goes to a temporary file of the disk as soon as it is larger than 1 MB, by Starlette's
reader of forms, before it is read into memory; and a session may upload file after file.
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
