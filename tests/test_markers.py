"""The markers by which `make quick` leaves tests out say what a test uses."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# Who may import what; everything else takes a fixture, by which it is marked.
ONLY_IN = {
    "sync_playwright": {"browser/conftest.py", "browser/soak.py", "screenshots.py"},
    "cvxpy": {"conic.py"},
    "tests.conic": {"optima.py"},
}


@cache
def imported(source: Path) -> set[str]:
    text = source.read_text(encoding="utf-8")
    nodes = ast.walk(ast.parse(text)) if any(name in text for name in ONLY_IN) else ()
    found = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return {alias.name for node in found for alias in node.names} | {getattr(node, "module", "") for node in found}


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
