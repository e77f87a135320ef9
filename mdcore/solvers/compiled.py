"""Machine code of a solver, kept on the disk between two starts, without a disk that fails ever failing a fit.

numba keeps compiled functions in files, beside the sources or where NUMBA_CACHE_DIR says. By itself it refuses to load
a module where no folder may be written to, and to run a function whose file is damaged or cannot be written. Here such
a function is compiled for this process alone: that takes seconds, and the log says so once.

Where several processes need a function at once, as the workers of a table do, one compiles it and the others load it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, wraps
from hashlib import sha256
from pathlib import Path
from pickle import dumps
from typing import Any, TypeVar

from filelock import FileLock
from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

F = TypeVar("F", bound=Callable[..., Any])
DIGEST = sha256().digest_size
PATIENCE = 60.0  # seconds: whoever compiles may have been put to sleep


def compiled(**options: Any) -> Callable[[F], F]:
    """Make a function machine code that holds no lock of the interpreter; `options` are numba's."""

    def decorate(function: F) -> F:
        made = njit(nogil=True, **options)(function)
        if isinstance(made, Dispatcher):
            try:
                kept = KeptCode(function)
                made._cache = kept  # type: ignore[attr-defined]  # as `cache=True` does with its own
                made.compile = one_at_a_time(made.compile, kept.lock)  # type: ignore[assignment, method-assign]
            except RuntimeError:
                _tell("anywhere", "no folder may be written to")
        return made

    return decorate


class KeptCode(FunctionCache):
    """The files of one function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        locator = self._impl.locator
        self._cache_file = CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=locator.get_source_stamp(),
        )
        self.lock = Path(self._cache_path, f"{self._impl.filename_base}.lock")

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except OSError as error:
            _tell(self._cache_path, error.strerror or str(error))


class CheckedFiles(IndexDataCacheFile):
    """Each file ends with the digest of what was written: one that is damaged counts as none, and is written anew.

    It says for which types its code is: two processes that begin at once both take the same name for different ones.
    """

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None

    def _dump(self, found: object) -> bytes:
        data: bytes = super()._dump(found)
        return data + sha256(data).digest()

    def _load_index(self) -> Any:
        version = dumps(self._version, protocol=-1)
        try:
            return super()._load_index() if _is_whole(self._index_path, version) else {}
        except (AttributeError, ImportError):  # of before an update: it names a class that has gone since
            return {}

    def _load_data(self, name: str) -> Any:
        return super()._load_data(name) if _is_whole(self._data_path(name)) else None


def one_at_a_time(load_or_compile: Callable[[Any], Any], lock: Path) -> Callable[[Any], Any]:
    """Let one process in at a time, and of its threads the one that holds numba's own lock."""
    inside = False  # numba asks again from within where it wants a value for a type

    @wraps(load_or_compile)
    def alone(signature: Any) -> Any:
        nonlocal inside
        with global_compiler_lock:
            if inside:
                return load_or_compile(signature)
            inside = True
            try:
                with _held(lock):
                    return load_or_compile(signature)
            finally:
                inside = False

    return alone


@contextmanager
def _held(lock: Path) -> Iterator[None]:
    """Hold the lock; go on without it where it cannot be had."""
    with ExitStack() as held:
        with suppress(OSError, NotImplementedError):
            held.enter_context(FileLock(lock, timeout=PATIENCE))
        yield


def _is_whole(path: str, head: bytes = b"") -> bool:
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    data = content.removeprefix(head)
    return content.startswith(head) and sha256(data[:-DIGEST]).digest() == data[-DIGEST:]


@cache
def _tell(where: str, why: str) -> None:
    """Once for each reason, whichever function comes first."""
    logging.getLogger(__name__).warning(
        "Compiled code cannot be kept in %s: it is compiled again at the next start. Name a folder that may be written "
        "to by NUMBA_CACHE_DIR, or make room on its disk. (%s)",
        where,
        why,
    )
