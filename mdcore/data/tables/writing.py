"""CSV that a spreadsheet cannot mistake for formulas."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

GUARD = "'"
TRIGGERS = ("=", "+", "-", "@", "\t", "\r", "\n")


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Comma-separated text. Numbers stay numbers; a text that could run as a formula begins with an apostrophe."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(map(guard, header))
    writer.writerows([guard(cell) for cell in row] for row in rows)
    return text.getvalue()


def guard(cell: Any) -> Any:
    """Return the cell as it is safe to write. A text with an apostrophe in front gets another, so that `unguard`
    inverts."""
    if isinstance(cell, str) and cell.startswith((*TRIGGERS, GUARD)):
        return GUARD + cell
    return "" if cell is None or cell != cell else cell  # nothing but NaN differs from itself


def unguard(cell: str) -> str:
    return cell.removeprefix(GUARD)
