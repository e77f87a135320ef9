"""The documents are true: commands, files and settings exist, code runs, pictures are up to date."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from mdcore.commands import compare, tables
from tests.architecture import PICTURE, picture

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<code>.*?)^```$", flags=re.MULTILINE | re.DOTALL)
PARSERS = {"compare": compare._parser(), "tables": tables._parser()}
VARIABLE = re.compile(r"\bMARGIN_LAB_[A-Z_]+")


@dataclass(frozen=True)
class Code:
    path: Path
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}"


def blocks(language: str) -> list[Code]:
    found = []
    for path in DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            if block["language"] == language:
                found.append(Code(path, text.count("\n", 0, block.start("code")), block["code"]))
    return found


@pytest.mark.parametrize("code", blocks("python"), ids=str)
def test_the_code_runs(code: Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile("\n" * code.line + code.text, code.path, "exec"), {"__name__": "__main__"})


def test_every_make_target_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][\w-]*):", makefile, flags=re.MULTILINE))
    shell = [code.text for code in (*blocks("sh"), *blocks("text"))]
    inline = [span for path in DOCUMENTS for span in re.findall(r"`([^`\n]+)`", BLOCK.sub("", path.read_text("utf-8")))]
    named = {target for text in (*shell, *inline) for target in re.findall(r"\bmake ([a-z][\w-]*)", text)}
    assert {"app", "test"} <= named
    assert named <= targets, f"not in the Makefile: {sorted(named - targets)}"


COMMAND = re.compile(r"python -m ([\w.]+)([^\n`;&|]*)")
TEXT = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS).replace("\\\n", " ")


@pytest.mark.parametrize(("module", "arguments"), sorted({found.groups() for found in COMMAND.finditer(TEXT)}))
def test_every_command_named_is_understood(module: str, arguments: str) -> None:
    assert find_spec(module)
    name, *given = shlex.split(arguments) or [""]
    if module == "mdcore" and name in PARSERS and given:
        PARSERS[name].parse_args(given)


def test_every_argument_named_exists() -> None:
    named = re.findall(r"`(--[a-z-]+)", (ROOT / "docs" / "commands.md").read_text(encoding="utf-8"))
    options = {option for parser in PARSERS.values() for option in parser._option_string_actions}
    assert named
    assert set(named) <= options


def test_the_readme_is_short_and_so_is_its_picture() -> None:
    readme = ROOT / "README.md"
    assert len(readme.read_text(encoding="utf-8").splitlines()) <= 150
    assert (ROOT / "assets" / "margins-move.gif").stat().st_size <= 300_000


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_named_in_a_link_exists(path: Path) -> None:
    prose = BLOCK.sub("", path.read_text(encoding="utf-8"))
    links = re.findall(r"\]\((?!https?:|#)([^)]+)\)", prose)
    assert not [link for link in links if not (path.parent / link.partition("#")[0]).exists()]


def test_every_setting_named_is_read_somewhere() -> None:
    named = {name for path in DOCUMENTS for name in VARIABLE.findall(path.read_text(encoding="utf-8"))}
    files = [*(ROOT / "mdcore").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
    sources = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert {name for name in named if f'"{name}"' not in sources} == set()
    assert set(VARIABLE.findall(sources)) <= named, "a setting that no document names"


def test_every_document_stands_in_the_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = set(re.findall(r"^  - .+: (\S+\.md)$", contents, flags=re.MULTILINE))
    assert listed == {path.name for path in DOCUMENTS if path.parent.name == "docs"}


def test_the_picture_of_the_layers_is_that_of_the_test() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), "renew it: .venv/bin/python -m tests.architecture --write"
