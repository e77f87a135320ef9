"""No behaviour hangs on the wording of a sentence: with every sentence changed, nothing else moves."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.reworded import ROOT

pytestmark = pytest.mark.process


def facts(*options: str) -> Any:
    command = [sys.executable, "-m", "tests.reworded", *options]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr[-3000:]
    return json.loads(ended.stdout)


@pytest.fixture(scope="module")
def both() -> tuple[Any, Any]:
    return facts(), facts("--reworded")


def test_every_sentence_is_another_one(both: tuple[Any, Any]) -> None:
    plain, reworded = both
    assert plain["changed"] == 0
    assert reworded["changed"] > 800
    assert len(plain["texts"]) == len(reworded["texts"]) > 100
    alike = [one for one, other in zip(plain["texts"], reworded["texts"], strict=True) if one == other]
    assert not alike


def test_tables_notes_flags_orders_numbers_and_refusals_are_the_same(both: tuple[Any, Any]) -> None:
    plain, reworded = both
    tables, comparisons, refused = plain["facts"]
    assert {name: reworded["facts"][0][name] for name in tables} == tables
    assert reworded["facts"][1] == comparisons
    assert reworded["facts"][2] == refused
    kinds = {note[0] for comparison in comparisons.values() for note in comparison[0]}
    assert {"groups", "copies", "equal columns", "many levels", "telling columns", "drift", "plan"} <= kinds
