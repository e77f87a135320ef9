"""Execution of exported code: scripts, and the cells of notebooks in order."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import nbformat


def executed(code: str, folder: Path) -> str:
    """Run code in a folder and return its output."""
    said = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said):
        exec(compile(code, "taken away", "exec"), {"__name__": "__main__"})
    return said.getvalue()


def code_of(notebook: str) -> str:
    """Validate a notebook and return the code of its cells."""
    return "\n\n".join(_cells_of(notebook))


def check_same_code(notebook: str, script: str) -> None:
    """Assert that a notebook has the code of a script, in order, and shows each figure that the script writes."""
    cells, at = _cells_of(notebook), 0
    for cell in cells:
        shown = f"{cell}.write_html("
        at = script.index(shown if shown in script else cell, at)
    assert sum(f"{cell}.write_html(" in script for cell in cells) == script.count(".write_html(") > 0


def _cells_of(notebook: str) -> list[str]:
    read = nbformat.reads(notebook, as_version=4)
    nbformat.validate(read)
    return [cell.source for cell in read.cells if cell.cell_type == "code"]


def numbers_of(printed: str) -> dict[tuple[str, str, str], float]:
    """Return (method, part, statistic) -> number from the output of a picture's script."""
    lines = [line.split() for line in printed.splitlines()]
    return {(key, part, name): float(value) for key, part, name, value in lines}
