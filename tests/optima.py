"""The conic solver's optima, kept in optima.json, which `python -m pytest -n 0 --write-optima` makes again.

A test asks the fixture `optima` for the optimum of a problem and finds what is stored. Some of these tests run a second
time, marked `oracle`, with the solver itself, so that problems and file stay one; to write the file all of them do.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from numpy.typing import NDArray

Array = NDArray[np.float64]
Ask = Callable[[Any], Array]

FILE = Path(__file__).with_name("optima.json")
COMMAND = "python -m pytest -n 0 --write-optima"
WRITER = "optima-writer"
STORED, LIVE = "stored", "live"
ONE_OF = 40  # about so many tests, one has its problems solved again
DIGITS = 6  # in which problems must agree: the last ones depend on processor, libraries and threads
SUMS = 4  # weighted sums of an array that stand for it
KEPT = "{:.12g}"
AGREE = 1e-4  # of a stored and a new optimum; the test itself holds the new one to its own tolerance


def key_of(problem: Any) -> str:
    """Return the key of a problem: a digest of its data.

    An array counts by few sums, since of many entries some would lie where a last digit decides how they are rounded.
    Of rows F in some coordinates only the products count, as the coordinates differ from machine to machine.
    """
    kind, parts = type(problem).__name__, list[str]()
    for name, value in vars(problem).items():
        if isinstance(value, np.ndarray):
            array = value @ value.T if name == "F" and value.ndim > 1 else value
            parts += [name, str(array.shape), *_sums(array)]
        else:
            parts += [name, "" if value is None else f"{value:.{DIGITS}g}"]
    return f"{kind} {sha256(' '.join(parts).encode()).hexdigest()[:16]}"


def _sums(array: Array) -> list[str]:
    size = float(np.linalg.norm(array)) or 1.0
    places = np.arange(1.0, array.size + 1.0)
    shares = [float(np.cos(k * places) @ array.ravel()) / size for k in range(1, SUMS + 1)]
    return [f"{size:.{DIGITS}g}", *(f"{round(share, DIGITS) + 0.0:.{DIGITS}f}" for share in shares)]


@cache
def _file() -> dict[str, list[float]]:
    return json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def stored(problem: Any) -> Array:
    if (key := key_of(problem)) not in _file():
        pytest.fail(f"the optimum of this {type(problem).__name__} is not stored: run `{COMMAND}`")
    return np.array(_file()[key])


def solved(problem: Any) -> Array:
    from tests.conic import solve

    return np.atleast_1d(solve(problem))


def solved_again(problem: Any) -> Array:
    """Return the optimum after comparing it with the stored one."""
    found, kept = solved(problem), stored(problem)
    np.testing.assert_allclose(kept, found, rtol=0.0, atol=AGREE * np.abs(found).max(), err_msg=f"run `{COMMAND}`")
    return found


class Writer:
    """A plugin that solves the problems of all tests, and writes the file if all of them pass."""

    def __init__(self) -> None:
        self._found: dict[str, list[float]] = {}

    def __call__(self, problem: Any) -> Array:
        found = solved(problem)
        self._found[key_of(problem)] = [float(KEPT.format(value)) for value in found.ravel()]
        return found

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == pytest.ExitCode.OK:
            lines = (f"{json.dumps(key)}: {json.dumps(values)}" for key, values in sorted(self._found.items()))
            FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("write_optima"):
        config.pluginmanager.register(Writer(), WRITER)


@pytest.fixture
def optima(request: pytest.FixtureRequest) -> Ask:
    """Return a function from a problem to its optimum: its value, or bounds on it."""
    if request.param == STORED:
        return stored
    return request.config.pluginmanager.get_plugin(WRITER) or solved_again


@pytest.fixture
def conic() -> Ask:
    """Return the solver itself, for problems that depend on results of mdcore and have no optimum to store."""
    return solved


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "optima" in metafunc.fixturenames:
        metafunc.parametrize("optima", [STORED, pytest.param(LIVE, marks=pytest.mark.oracle)], indirect=True)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Leave a sample of the tests that run live, one of each function and some more; to write, leave nothing else."""
    functions: set[str] = set()
    kept = []
    for item in items:
        how = item.callspec.params.get("optima") if hasattr(item, "callspec") else None
        function = item.nodeid.partition("[")[0]
        sampled = function not in functions or crc32(item.nodeid.encode()) % ONE_OF == 0
        if how == LIVE if config.getoption("write_optima") else how != LIVE or sampled:
            kept.append(item)
        if how == LIVE:
            functions.add(function)
    items[:] = kept
