"""Code that a person takes away, run as it stands: a script, or the cells of a notebook in their order."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import nbformat


def executed(code: str, folder: Path) -> str:
    """Return what it prints, run in a folder."""
    said = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(said):
        exec(compile(code, "taken away", "exec"), {"__name__": "__main__"})
    return said.getvalue()


def code_of(notebook: str) -> str:
    """Return the cells of a notebook that is one by its format's own check."""
    read = nbformat.reads(notebook, as_version=4)
    nbformat.validate(read)
    return "\n\n".join(cell.source for cell in read.cells if cell.cell_type == "code")


def numbers_of(printed: str) -> dict[tuple[str, str, str], float]:
    """Return (method, part, statistic) -> number, of the lines that a picture's script prints."""
    lines = [line.split() for line in printed.splitlines()]
    return {(key, part, name): float(value) for key, part, name, value in lines}
