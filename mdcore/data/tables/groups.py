"""Find a column by which rows belong together, such as several rows for one patient, household or machine."""

from __future__ import annotations

import re

from mdcore.basics.memo import cached_while_alive
from mdcore.basics.text import short
from mdcore.data.tables.detection import Finding
from mdcore.data.tables.kinds import Column
from mdcore.data.tables.reading import Table

_OWNER = (
    "patient|subject|person|participant|household|family|machine|device|unit|user|customer|client|student|animal|mouse|"
    "kunde|proband|haushalt|maschine|gerät|schüler|betrieb|firma|paciente|cliente|sujet|пациент|клиент|患者|顧客|"
    "speaker|author|group|site|hospital|centre|center|school|plant|batch|lot|session|station|sensor|vehicle|store|cow|farm"
)
_GROUP_NAME = re.compile(rf"(.*[ _.-])?({_OWNER})s?([ _.-]?(id|nr|no|number|code|key|name))?", re.I)
_AMOUNT = re.compile(
    rf"(?!id\b|code\b|key\b)(.*[ _.-])?(in|at|to|from|per|of|with|num|n|number|count|total|days|hours|years)[ _.-].*"
    rf"|(.*[ _.-])?({_OWNER})s",
    re.I,
)  # in a column of numbers, as in days in hospital, price per unit, number of students, or students
_ID_NAME = re.compile(r"(.*[ _.-])?(id|code|key)|[a-z]+I[dD]")
FEWEST = 5  # groups, at least
SMALLEST = 1.5  # rows per group on average, at least


@cached_while_alive
def propose_groups(table: Table, target: str) -> Finding[str] | None:
    """Return a column of groups with the reason, or None if there is none: its values repeat, and its name is that of
    an owner of rows or of an identifier."""
    found = [column for column in table.columns if column.name != target and _repeats(column, table.n)]
    named = [c for c in found if _GROUP_NAME.fullmatch(c.name.strip()) and not _is_measured(c)]
    ids = [c for c in found if _ID_NAME.fullmatch(c.name.strip()) and c.distinct > table.n**0.5]
    for column in (*named, *ids):
        each = f"{short(table.n / column.distinct)} rows each on average"
        return Finding(
            column.name,
            f"its {column.distinct:,} values repeat, {each}: rows of the same {column.name} are not independent, and "
            "test scores too optimistic if both parts have some",
        )
    return None


def _is_measured(column: Column) -> bool:
    """Return whether a column of numbers has the name of a count or a duration rather than of an owner."""
    return column.numbers and _AMOUNT.fullmatch(column.name.strip()) is not None


def _repeats(column: Column, rows: int) -> bool:
    """Return whether the column holds whole numbers or names that repeat, with none missing."""
    nameable = not column.numbers or column.whole
    return (
        nameable
        and column.missing == 0
        and column.kind not in ("constant", "date")
        and FEWEST <= column.distinct <= rows / SMALLEST
    )
