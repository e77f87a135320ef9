"""Code that recomputes numbers and figures with the library and Plotly, as a script or a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from mdcore.basics.text import as_markdown

KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


@dataclass(frozen=True)
class Recipe:
    """Code in `cells`, in order; `figures` are the names of figure variables that it defines."""

    title: str
    made_with: str
    cells: tuple[str, ...]
    figures: tuple[str, ...] = ()

    def script(self) -> str:
        """Return a script that writes the figures next to itself."""
        written = [f'{name}.write_html("{name}.html")' for name in self.figures]
        cells = "\n\n".join([*self.cells, *(["\n".join(written)] if written else [])])
        return f'"""{self.title}"""\n\n# Made with {self.made_with}.\n\n{cells}\n'

    def notebook(self, words: str) -> str:
        """Return a notebook headed by `words`, with each figure below the code."""
        cells = [
            new_markdown_cell(f"# Margin Lab\n\n{as_markdown(words)}\n\nMade with {self.made_with}."),
            *(new_code_cell(cell) for cell in (*self.cells, *self.figures)),
        ]
        for at, cell in enumerate(cells):
            cell["id"] = f"cell-{at}"  # equal inputs make equal notebooks
        return str(nbformat.writes(new_notebook(cells=cells, metadata=KERNEL)))


def numbers_code(values: Iterable[float]) -> str:
    """Return Python code for a tuple of the numbers, unrounded."""
    return "(" + "".join(f"{repr_of(float(value))}, " for value in values).rstrip(" ") + ")"


def repr_of(value: float) -> str:
    return repr(value) if isfinite(value) else f'float("{value}")'
