"""Uploads kept in memory: how to keep them off the disk, their size per session, and their removal.

Seen in Streamlit 1.67: Starlette's form parser writes an upload larger than 1 MB to a temporary file before it is read
into memory, and a session may upload any number of files, which are kept until the session ends or the visitor removes
them from their uploader.
"""

from __future__ import annotations

from starlette.formparsers import MultiPartParser
from streamlit import config
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager


def keep_uploads_in_memory() -> None:
    """Raise the limit above which uploads go to a temporary file beyond the largest legal upload."""
    MultiPartParser.spool_max_size = 2 * largest_upload()


def largest_upload() -> int:
    """Return the size of the largest legal upload in bytes."""
    return int(config.get_option("server.maxUploadSize")) * 2**20


def uploaded_bytes(session: str) -> int:
    """Return the number of bytes that a session has uploaded and not removed."""
    if not Runtime.exists():
        return 0
    manager = Runtime.instance().uploaded_file_mgr
    if not isinstance(manager, MemoryUploadedFileManager):
        return 0
    return sum(len(file.data) for file in manager.file_storage.get(session, {}).copy().values())


def remove_upload(session: str, file: str) -> None:
    """Remove one uploaded file of a session, by its ID."""
    if Runtime.exists():
        manager = Runtime.instance().uploaded_file_mgr
        if isinstance(manager, MemoryUploadedFileManager):
            manager.remove_file(session, file)
