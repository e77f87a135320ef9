"""Every command that the documents name runs, here in a short form."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")), *(ROOT / "docs").glob("*.md")]
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
MODULE = re.compile(r"python -m ((?:mdcore|benchmarks|tests)[\w.]*)")

# Arguments, and what the output says.
SHORT = {
    "benchmarks": ("--only tuned --print", r"SVM, LDM, ODM: tuned, m = 80: \S+ times GridSearchCV over SVC"),
    "benchmarks.false_winners": ("--tables 1 --methods svm --parameters none", r"noise: 0 of 1 tables name a winner"),
    "benchmarks.load.crowd": ("--students 20 --processes 1", r"\b20\b"),
    "benchmarks.needed_columns": ("--tables 1 --methods logistic", r"\b5 +0\.0 +logistic +1 "),
    "benchmarks.planted_tables": ("--faults 1 --made 0 --draws 0", r"Faults: 1 of 1 named"),
    "tests.adversary": ("--every 4000", r"\bfits\b"),
    "tests.readme": ("", r"\| \[?LDM"),
}
WITH_PROCESSES = {
    "benchmarks.full_room": ("--phones 3", r"counted: 3 of 3"),
    "benchmarks.load": ("--sessions 1 --rates 1 --browsers 0 --light --seconds 1", r"cores used by the server"),
    "benchmarks.two_runners": ("--splits 2", r"the tables are identical"),
}
# They are tested there.
ELSEWHERE = {
    "mdcore": "test_command_line.py",
    "tests.dependencies": "test_dependencies.py",
    "tests.fuzz": "test_fuzz.py",
}
# They wait for minutes; tests/test_tables_command.py kills workers as the second one does.
LONG = {"benchmarks.load.leaks", "benchmarks.killed_workers"}
# Make of a long measurement a short one.
TABLE = ["--paper", "mcodm-2017", "--table", "2", "--datasets", "iris", "--methods", "ova", "--splits", "8"]
SMALLER = {
    "benchmarks.needed_columns.DESIGNS": ((5, 0.0),),
    "benchmarks.tuned.ROWS": 80,
    "benchmarks.tuned.SPLITS": 1,
    "benchmarks.two_runners.TABLE": TABLE,
    "benchmarks.two_runners.GOAL": 0.0,
}


def commands() -> set[str]:
    """Return the modules that the documents run, by themselves or by a target of make."""
    targets = {target for target in re.findall(r"`make (\w+)", TEXT) if re.search(rf"^{target}:", MAKEFILE, re.M)}
    recipes = "\n".join(re.findall(rf"^(?:{'|'.join(targets)}):.*\n((?:\t.*\n)+)", MAKEFILE, re.M))
    return {name.rstrip(".") for name in MODULE.findall(TEXT + recipes)}


def test_every_command_of_the_documents_has_a_short_run() -> None:
    assert commands() - SHORT.keys() - WITH_PROCESSES.keys() - LONG == ELSEWHERE.keys()
    assert all((ROOT / "tests" / file).is_file() for file in ELSEWHERE.values())


def check(
    module: str, arguments: str, words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SMALLER.items():
        monkeypatch.setattr(name, value)
    monkeypatch.setattr("benchmarks.planted_tables.FAULTS", one_fault())
    monkeypatch.setattr(sys, "argv", [module, *arguments.split()])
    found = import_module(module)
    (found if hasattr(found, "main") else import_module(f"{module}.__main__")).main()
    assert re.search(words, capsys.readouterr().out)


def one_fault() -> dict[str, object]:
    from benchmarks.planted_tables import FAULTS

    return dict([next(iter(FAULTS.items()))])


@pytest.mark.usefixtures("few_trees")
@pytest.mark.parametrize("module", SHORT)
def test_it_runs(module: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    check(module, *SHORT[module], capsys, monkeypatch)


@pytest.mark.process
@pytest.mark.parametrize("module", WITH_PROCESSES)
def test_it_runs_with_processes(
    module: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    check(module, *WITH_PROCESSES[module], capsys, monkeypatch)


@pytest.mark.parametrize("module", sorted(LONG))
def test_it_can_be_called(module: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SystemExit, match="0"):
        check(module, "--help", "", capsys, monkeypatch)
    assert "--help" in capsys.readouterr().out
