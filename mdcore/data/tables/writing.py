"""CSV without cells that a spreadsheet would run as formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

GUARD = "'"
TRIGGERS = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return comma-separated text in which numbers are unchanged and texts are guarded against running as formulas."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(map(guard, header))
    writer.writerows([guard(cell) for cell in row] for row in rows)
    return text.getvalue()


def guard(cell: Any) -> Any:
    """Return the cell with an apostrophe in front if it is a text that could run as a formula; a missing cell as "".

    A text that begins with an apostrophe gets another one, so that no two texts come out the same.
    """
    if isinstance(cell, str) and cell.startswith((*TRIGGERS, GUARD)):
        return GUARD + cell
    return "" if cell is None or cell != cell else cell  # only NaN differs from itself
