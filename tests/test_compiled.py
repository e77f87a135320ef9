"""Machine code on disk is loaded at the next start, and no disk error makes a fit fail."""

from __future__ import annotations

import importlib.util
import itertools
import logging
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest
from filelock import FileLock
from numba.extending import is_jitted
from scipy.sparse import csr_array
from sklearn.utils import get_tags

from mdcore import METHODS
from mdcore.solvers import compiled
from mdcore.solvers.rows import read_only
from mdcore.spec import Method, Param
from tests.full_disk import full_disk
from tests.oracles import sample

SOURCE = """
from mdcore.solvers.compiled import compiled

@compiled()
def doubled(x):
    return 2.0 * x
"""
NUMBER = itertools.count()


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("numba.config.CACHE_DIR", "")
    compiled._warn.cache_clear()
    path = tmp_path / "some_solver.py"
    path.write_text(SOURCE)
    return path


def started(path: Path) -> Any:
    """Return the function as in a new process."""
    spec = importlib.util.spec_from_file_location(f"solver_{next(NUMBER)}", path)
    assert spec is not None
    assert spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.doubled


def hits(function: Any) -> int:
    """Return how many of its specialisations were loaded from disk."""
    return sum(function.stats.cache_hits.values())


def kept(source: Path, suffix: str) -> Path:
    (found,) = (source.parent / "__pycache__").glob(f"*.{suffix}")
    return found


def test_a_second_start_compiles_nothing(source: Path) -> None:
    first = started(source)
    assert (first(4.0), hits(first)) == (8.0, 0)
    second = started(source)
    assert (second(4.0), hits(second)) == (8.0, 1)


def test_code_is_compiled_anew_if_a_constant_that_it_contains_has_changed(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(source.parent)
    source.with_name("some_factor.py").write_text("from some_number import NUMBER as FACTOR\n")
    source.write_text("from some_factor import FACTOR\n" + SOURCE.replace("2.0", "FACTOR"))
    for factor in (2.0, 30.0):
        source.with_name("some_number.py").write_text(f"NUMBER = {factor}\n")
        for name in ("some_factor", "some_number"):
            sys.modules.pop(name, None)
        assert started(source)(4.0) == 4.0 * factor


def test_what_another_process_compiles_is_waited_for_and_loaded(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started(source)(4.0)
    files = {path: path.read_bytes() for path in (kept(source, "nbi"), kept(source, "nbc"))}
    for path in files:
        path.unlink()

    class OfOther(FileLock):
        def acquire(self, *of_base: Any, **options: Any) -> Any:
            for path, content in files.items():
                path.write_bytes(content)
            return super().acquire(*of_base, **options)

    monkeypatch.setattr(compiled, "FileLock", OfOther)
    second = started(source)
    assert (second(4.0), hits(second)) == (8.0, 1)


def test_a_process_that_never_ends_is_not_waited_for_for_ever(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started(source)(4)
    monkeypatch.setattr(compiled, "PATIENCE", 0.1)
    with FileLock(kept(source, "lock")):
        assert started(source)(4.0) == 8.0


def flipped(content: bytes) -> bytes:
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 255]) + content[middle + 1 :]


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
@pytest.mark.parametrize(
    "damage",
    [lambda content: b"", lambda content: content[: len(content) // 2], flipped, lambda content: b"\0" * len(content)],
    ids=["empty", "cut", "one byte", "zeros"],
)
def test_a_damaged_file_is_compiled_anew_and_mended(
    source: Path, suffix: str, damage: Callable[[bytes], bytes]
) -> None:
    started(source)(4.0)
    file = kept(source, suffix)
    file.write_bytes(damage(file.read_bytes()))
    second = started(source)
    assert (second(4.0), hits(second)) == (8.0, 0)
    third = started(source)
    assert (third(4.0), hits(third)) == (8.0, 1)


def test_code_for_a_class_that_has_gone_since_is_compiled_anew(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source.write_text(SOURCE.replace("x\n", "x[0]\n"))
    before = ModuleType("names_of_before")
    before.Pair = NamedTuple("Pair", [("first", float)])  # type: ignore[attr-defined, misc]
    before.Pair.__module__ = before.__name__
    monkeypatch.setitem(sys.modules, before.__name__, before)
    assert started(source)(before.Pair(4.0)) == 8.0
    again = started(source)
    assert (again(before.Pair(4.0)), hits(again)) == (8.0, 1)
    monkeypatch.delattr(before, "Pair")
    after = started(source)
    assert (after((4.0,)), hits(after)) == (8.0, 0)


def test_code_under_the_name_of_other_code_is_not_run(source: Path) -> None:
    """Two processes that start together can give one file name to code for different types; the later file remains."""
    first = started(source)
    assert (first(4.0), first(4)) == (8.0, 8.0)
    one, other = sorted((source.parent / "__pycache__").glob("*.nbc"))
    one.write_bytes(other.read_bytes())
    second = started(source)
    assert (second(4.0), second(4), hits(second)) == (8.0, 8.0, 1)
    third = started(source)
    assert (third(4.0), third(4), hits(third)) == (8.0, 8.0, 2)


def test_where_no_folder_may_be_written_to_it_is_compiled_for_this_start_alone(
    source: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = source.parent / "__pycache__"
    blocked.write_text("a file where the folder would be")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    monkeypatch.setenv("IPYTHONDIR", str(blocked))
    for name in ("some_solver.py", "another_solver.py"):
        source.with_name(name).write_text(SOURCE)
        function = started(source.with_name(name))
        assert (function(4.0), hits(function)) == (8.0, 0)
    assert [record.levelno for record in caplog.records] == [logging.WARNING], "said, and once"
    assert "NUMBA_CACHE_DIR" in caplog.text


def test_on_a_full_disk_a_fit_is_made_all_the_same(source: Path, caplog: pytest.LogCaptureFixture) -> None:
    function = started(source)
    with full_disk(64):
        assert function(4.0) == 8.0
    assert "free space on the disk" in caplog.text
    second = started(source)
    assert (second(4.0), hits(second)) == (8.0, 0)
    assert hits(started(source)) == 0
    third = started(source)
    assert (third(4.0), hits(third)) == (8.0, 1)


def test_every_solver_is_compiled_so() -> None:
    """numba's own decorator would use its own cache files."""
    sources = Path(compiled.__file__).parent.glob("*.py")
    assert [path.name for path in sources if "njit" in path.read_text(encoding="utf-8")] == ["compiled.py"]


# Functions called only from compiled code are compiled within it, and report nothing when it is loaded.
NOT_COMPILED = """
import pkgutil, importlib
from numba.core.dispatcher import Dispatcher
import mdcore.solvers as package
from mdcore.commands.compile import compile_all
compile_all()
modules = [importlib.import_module(found.name) for found in pkgutil.iter_modules(package.__path__, "mdcore.solvers.")]
functions = [each for module in modules for each in vars(module).values() if isinstance(each, Dispatcher)]
called = {name for function in functions for name in function.py_func.__code__.co_names}
print(len(functions), *(f.__name__ for f in functions if not f.signatures and f.__name__ not in called))
"""


@pytest.mark.process
def test_the_command_that_compiles_leaves_nothing_to_the_first_visitor() -> None:
    ended = subprocess.run([sys.executable, "-c", NOT_COMPILED], check=True, capture_output=True, text=True)
    count, *left = ended.stdout.split()
    assert int(count) > 50
    assert not left


def signatures() -> int:
    """Return how many specialisations of the solvers' functions there are."""
    modules = [module for name, module in sys.modules.items() if name.startswith("mdcore.solvers")]
    return sum(len(found.signatures) for module in modules for found in vars(module).values() if is_jitted(found))


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_whole_numbers_compile_nothing_anew(method: Method) -> None:
    X, y = sample("separable")
    real = [p for p in method.params if isinstance(p, Param) and not p.integer]
    whole = {p.name: math.ceil(p.default) for p in real if math.ceil(p.default) in p.legal}
    method.estimator(**{name: float(value) for name, value in whole.items()}).fit(X, y)
    known = signatures()
    method.estimator(**whole).fit(X, y)
    assert signatures() == known


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_how_rows_are_stored_compiles_nothing_anew(method: Method) -> None:
    X, y = sample("separable")
    model = method.estimator()
    model.fit(X, y)
    known = signatures()
    model.fit(read_only(X), y)
    model.fit(np.asfortranarray(X), y)
    assert signatures() == known
    if "kernel" in model.get_params():
        model.set_params(kernel="linear")
    if get_tags(model).input_tags.sparse:
        rows, wide = csr_array(X), csr_array(X)
        wide.indices, wide.indptr = rows.indices.astype(np.int64), rows.indptr.astype(np.int64)
        model.fit(rows, y)
        known = signatures()
        model.fit(wide, y)
        assert signatures() == known
