"""Which column says that rows belong together: several of one patient, household or machine."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mdcore.data.tables.detection import Finding
from mdcore.data.tables.kinds import Column

_OWNER = (
    "patient|subject|person|participant|household|family|machine|device|unit|user|customer|client|student|animal|mouse|"
    "speaker|author|group|site|hospital|centre|center|school|plant|batch|lot|session|station|sensor|vehicle|store|cow|farm"
)
_GROUP_NAME = re.compile(rf"(.*[ _.-])?({_OWNER})s?([ _.-]?(id|nr|no|number|code|key|name))?", re.I)
_ID_NAME = re.compile(r"(.*[ _.-])?(id|code|key)|[a-z]+I[dD]")
FEWEST = 5  # groups
SMALLEST = 1.5  # rows in a group, on average


def propose_groups(columns: Sequence[Column], target: str, rows: int) -> Finding[str] | None:
    """A column named as one that says whose a row is, where its values repeat; None where there is none."""
    found = [column for column in columns if column.name != target and _repeats(column, rows)]
    named = [c for c in found if _GROUP_NAME.fullmatch(c.name.strip())]
    ids = [c for c in found if _ID_NAME.fullmatch(c.name.strip()) and c.distinct > rows**0.5]
    for column in (*named, *ids):
        each = (rows - column.missing) / column.distinct
        return Finding(
            column.name,
            f"its {column.distinct:,} values repeat, {each:.3g} rows each on average: rows of one "
            f"{column.name} are no independent witnesses, and with some of them for training the others are known",
        )
    return None


def _repeats(column: Column, rows: int) -> bool:
    """Whole numbers or names, each of several rows, none missing."""
    nameable = not column.numbers or "whole" in column.reason
    return (
        nameable
        and column.missing == 0
        and column.kind not in ("constant", "date")
        and FEWEST <= column.distinct <= rows / SMALLEST
    )
