"""docs/benchmarks.md is what `make bench` writes from the results that it keeps."""

from __future__ import annotations

from importlib.util import find_spec
from math import nan
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.results import PAGE, PARTS, SHORT_OF, Part, load, measured, page, save
from benchmarks.timing import Row


def test_the_page_is_made_of_the_results_that_are_kept() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(load()), "renew it: .venv/bin/python -m benchmarks.results"


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_a_module_and_has_results(part: str) -> None:
    assert find_spec(f"benchmarks.{part}")
    assert load()[part].rows


def test_a_row_is_marked_where_ours_is_slower_and_says_whether_its_goal_is_met() -> None:
    rows = (Row("fast", "them", 2.0, 4.0, "equal", goal=3.0), Row("slow", "them", 2000.0, 500.0, "equal"))
    fast, slow = page({"linear": Part("2026-01-31", "x86_64", rows)}).splitlines()[-2:]
    assert fast == "| fast | them | 2 | 4 | **2** | MISSED (≥ 3) | equal |"
    assert slow == f"| slow | them | 2,000 | 500 | {SHORT_OF} **0.25** |  | equal |"


def test_results_survive_on_disk_and_a_part_without_its_peer_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(results, "PAGE", tmp_path / "benchmarks.md")
    assert measured([Row("x", "libodm", 1.0, nan, "not built")]) is None
    part = measured([Row("λ moved", "cvxpy", 1.0, 50.0, "gap 1e-9", goal=10.0), Row("x", "libodm", 1.0, nan, "")])
    assert part is not None
    assert [row.what for row in part.rows] == ["λ moved"]
    save({"solvers": part})
    assert load() == {"solvers": part}
    assert results.PAGE.read_text(encoding="utf-8") == page({"solvers": part})
