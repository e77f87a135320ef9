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
    read = nbformat.reads(notebook, as_version=4)
    nbformat.validate(read)
    return "\n\n".join(cell.source for cell in read.cells if cell.cell_type == "code")


def numbers_of(printed: str) -> dict[tuple[str, str, str], float]:
    """Return (method, part, statistic) -> number from the output of a picture's script."""
    lines = [line.split() for line in printed.splitlines()]
    return {(key, part, name): float(value) for key, part, name, value in lines}
