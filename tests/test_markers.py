"""The markers by which `make quick` leaves tests out say what a test uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# Who may import what; everything else takes a fixture, by which it is marked.
ONLY_IN = {
    "sync_playwright": {"browser/conftest.py", "browser/soak.py", "screenshots.py"},
    "cvxpy": {"conic.py"},
    "tests.conic": {"optima.py"},
}


def imported(source: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.name for alias in node.names)
            yield str(getattr(node, "module", ""))


@pytest.mark.parametrize("name", ONLY_IN)
def test_a_browser_and_a_solver_are_reached_by_a_fixture_only(name: str) -> None:
    found = {path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py") if name in imported(path)}
    assert found == ONLY_IN[name]


def test_no_unmarked_test_uses_them(request: pytest.FixtureRequest) -> None:
    for item in request.session.items:
        assert isinstance(item, pytest.Function)
        used = set(item.fixturenames)
        assert bool(item.get_closest_marker("browser")) == bool(used & {"browser", "server"}), item.nodeid
        live = getattr(item, "callspec", None) and item.callspec.params.get("optima") == "live"
        assert bool(item.get_closest_marker("oracle")) == ("conic" in used or bool(live)), item.nodeid
