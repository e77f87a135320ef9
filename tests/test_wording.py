"""No behaviour hangs on the wording of a sentence: with every sentence changed, nothing else moves."""

from __future__ import annotations

import ast
import inspect
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from mdcore.data import NeedsChoice
from mdcore.data.tables.wording import REASONS, REFUSALS
from tests.reworded import ROOT, parsed

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


def made(*names: str) -> Iterator[ast.Call]:
    for path in sorted((ROOT / "mdcore").rglob("*.py")):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                yield node


def test_every_refusal_has_words_for_just_its_figures() -> None:
    calls = [call for call in made("DataProblem", "NeedsChoice") if isinstance(call.args[0], ast.Constant)]
    assert len(calls) > 40
    for call in calls:
        assert isinstance(call.args[0], ast.Constant)
        figures = {word.arg: 0 for word in call.keywords if word.arg != "choice"}
        if None not in figures:
            inspect.signature(REFUSALS[str(call.args[0].value)]).bind(**figures)


def test_refusals_and_reasons_are_written_nowhere_else() -> None:
    for call, place, words in (
        *((call, 0, REFUSALS) for call in made("DataProblem", "NeedsChoice")),
        *((call, 1, REASONS) for call in made("Finding")),
    ):
        key = call.args[place]
        keys = (key.body, key.orelse) if isinstance(key, ast.IfExp) else (key,)
        assert all(one.value in words if isinstance(one, ast.Constant) else isinstance(one, ast.Name) for one in keys)


def test_a_refusal_says_the_same_in_another_process() -> None:
    refused = NeedsChoice("numbers, not classes", "a.csv", choice="threshold", offer=2.5, column="v", distinct=9)
    other = pickle.loads(pickle.dumps(refused))
    assert (str(other), other.choice, other.offer) == (str(refused), "threshold", 2.5)
    assert str(other).endswith("such as the median, 2.5.")
