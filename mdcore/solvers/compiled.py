"""Compilation of solver functions to machine code, kept in files; no problem with the disk makes a fit fail.

numba caches compiled functions in files, next to the sources or in NUMBA_CACHE_DIR. On its own, numba refuses to import
a module if no cache folder is writable, and to run a function whose cache file is damaged or cannot be written. Here
the function is then compiled for this process only, which takes seconds and is logged once.

If several processes need a function at once, as the workers of a table do, one compiles it and the others load it.

The code of a function contains that of the functions it calls and the constants it reads. So it is compiled anew if its
own source file has changed, as numba would do, or that of a solver which this file imports.
"""

from __future__ import annotations

import logging
import re
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
IMPORT = re.compile(r"^from (?:\w+\.)*(\w+) import", re.MULTILINE)
PATIENCE = 60.0  # seconds to wait for the lock: the process that compiles may be suspended


def compiled(**options: Any) -> Callable[[F], F]:
    """Return a decorator that compiles a function with numba, to run without the GIL, and caches the code on disk.

    `options` are numba's.
    """

    def decorate(function: F) -> F:
        dispatcher = njit(nogil=True, **options)(function)
        if isinstance(dispatcher, Dispatcher):
            try:
                files = CodeCache(function)
                dispatcher._cache = files  # type: ignore[attr-defined]  # what `cache=True` does with numba's own cache
                dispatcher.compile = one_at_a_time(dispatcher.compile, files.lock)  # type: ignore[assignment, method-assign]
            except RuntimeError:
                _warn("any folder", "no folder is writable")
        made: F = dispatcher
        return made

    return decorate


class CodeCache(FunctionCache):
    """The cache files of one function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = CheckedFiles(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=_stamps(Path(function.__code__.co_filename)),
        )
        self.lock = Path(self._cache_path, f"{self._impl.filename_base}.lock")

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except OSError as error:
            _warn(self._cache_path, error.strerror or str(error))


class CheckedFiles(IndexDataCacheFile):
    """Cache files that end with a digest of their content: a damaged file counts as missing, and is written anew.

    A data file also records the types that its code is for, because two processes that start at the same time may
    choose the same file name for different types.
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
        except (AttributeError, ImportError):  # written before an update, it names a class that no longer exists
            return {}

    def _load_data(self, name: str) -> Any:
        return super()._load_data(name) if _is_whole(self._data_path(name)) else None


def one_at_a_time(load_or_compile: Callable[[Any], Any], lock: Path) -> Callable[[Any], Any]:
    """Serialise calls: across processes by a file lock, and across threads by numba's own compiler lock."""
    inside = False  # numba calls again from inside if it needs a literal value instead of a type

    @wraps(load_or_compile)
    def alone(signature: Any) -> Any:
        nonlocal inside
        with global_compiler_lock:
            if inside:
                return load_or_compile(signature)
            inside = True
            try:
                with _locked(lock):
                    return load_or_compile(signature)
            finally:
                inside = False

    return alone


@contextmanager
def _locked(lock: Path) -> Iterator[None]:
    """Hold the file lock in the context; continue without it if it cannot be acquired."""
    with ExitStack() as held:
        with suppress(OSError, NotImplementedError):
            held.enter_context(FileLock(lock, timeout=PATIENCE))
        yield


def _stamps(source: Path) -> tuple[tuple[str, int, int], ...]:
    """Return name, time of change and size of a source file and of the files beside it that it imports, directly or
    not."""
    found, left = set(), {source}
    while left:
        path = left.pop()
        found.add(path)
        left |= _imported(path) - found
    states = ((path.name, path.stat()) for path in sorted(found))
    return tuple((name, state.st_mtime_ns, state.st_size) for name, state in states)


@cache
def _imported(source: Path) -> frozenset[Path]:
    names = IMPORT.findall(source.read_text(encoding="utf-8"))
    return frozenset(path for name in names if (path := source.with_name(f"{name}.py")).is_file())


def _is_whole(path: str, head: bytes = b"") -> bool:
    try:
        content = Path(path).read_bytes()
    except OSError:
        return False
    data = content.removeprefix(head)
    return content.startswith(head) and sha256(data[:-DIGEST]).digest() == data[-DIGEST:]


@cache
def _warn(where: str, why: str) -> None:
    """Log a warning, once for each folder and reason."""
    logging.getLogger(__name__).warning(
        "Compiled code cannot be saved in %s, so it will be compiled again at the next start. Set NUMBA_CACHE_DIR to a "
        "writable folder, or free space on the disk. (%s)",
        where,
        why,
    )
