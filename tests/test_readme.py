"""The README says what is so: its table is the methods' own, its commands exist, its code runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.readme import README, between, replaced, table

TEXT = README.read_text(encoding="utf-8")
MAKEFILE = (README.parent / "Makefile").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<code>.*?)^```$", flags=re.MULTILINE | re.DOTALL)
BLOCKS = list(BLOCK.finditer(TEXT))
PYTHON = [block for block in BLOCKS if block["language"] == "python"]
PROSE = BLOCK.sub("", TEXT)
CODE = [block["code"] for block in BLOCKS] + re.findall(r"`([^`\n]+)`", PROSE)


def test_the_table_of_methods_is_the_rendered_one() -> None:
    assert between(TEXT, "methods") == table(), "renew it: .venv/bin/python -m tests.readme --write"


def test_replacing_keeps_the_rest() -> None:
    text = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n"
    assert replaced(text, "x", "new") == text.replace("old", "new")
    with pytest.raises(ValueError, match="x:begin"):
        replaced("no markers", "x", "new")


def test_every_make_target_named_exists() -> None:
    targets = set(re.findall(r"^([a-z][\w-]*):", MAKEFILE, flags=re.MULTILINE))
    named = {target for code in CODE for target in re.findall(r"\bmake ([a-z][\w-]*)", code)}
    assert {"app", "test"} <= named
    assert named <= targets, f"not in the Makefile: {sorted(named - targets)}"


def test_every_file_named_in_a_link_exists() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)]+)\)", PROSE)
    missing = [link for link in links if not (README.parent / link.partition("#")[0]).exists()]
    assert not missing


def test_there_is_code_to_run() -> None:
    assert PYTHON


@pytest.mark.parametrize("block", PYTHON, ids=range(len(PYTHON)))
def test_the_code_runs(block: re.Match[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines_before = "\n" * TEXT.count("\n", 0, block.start("code"))  # so that an error names the README's own line
    exec(compile(lines_before + block["code"], README, "exec"), {"__name__": "__main__"})
