"""What is proposed for a table: a column by which rows belong together, such as several rows for one patient; columns
by which they can be ordered in time; the positive class, which is what one looks for, such as an illness."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from mdcore.basics.memo import cached_while_alive
from mdcore.data.tables.cells import as_numbers, is_clock
from mdcore.data.tables.detection import Finding
from mdcore.data.tables.kinds import Column
from mdcore.data.tables.reading import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
FEWEST_GROUPS = 5
SMALLEST = 1.5  # rows per group on average, at least

_YEAR = re.compile(r"year|yr|jahr|année|annee|anno|año|ano|jaar|år|rok", re.I)
_MOMENT = re.compile(r"(.*[ _.-])?(time|timestamp|datetime|epoch|unix ?time|ts|date|created|updated|at)", re.I)
_COUNTED = re.compile(
    r"t|time|timestamp|tick|step|second|minute|hour|day|week|month|quarter|period|round|zeit|tag", re.I
)
YEARS = (1800, 2200)
MOMENTS = ((5e8, 4e9), (5e11, 4e12))  # seconds and milliseconds since 1970, of 1985 to 2096
FEWEST_TIMES = 10  # different ones

POSITIVE_NAMES = """
+ pos positive yes y true t present malignant case cases event sick ill disease diseased patient abnormal anomaly
anomalous outlier attack spam fraud failure faulty defective churn
ja oui sí si sì sim да так tak evet はい 是 有 陽性 阳性 positiv positif positivo krank malade enfermo больной
"""
NEGATIVE_NAMES = """
- − neg negative no false absent none benign control controls healthy normal inlier ham legit legitimate ok
nein non não nao нет ні nie hayır いいえ 否 無 无 陰性 阴性 negativ negatif négatif negativo gesund sain sano здоровый
"""
RULE = (
    "The proposal is the class with a positive name (+, yes, true, pos, case, malignant, …), or the only other class "
    "if one has a negative name (healthy, control, normal, …). Otherwise it is the largest number, or, for names, the "
    "rarest class, the last of several."
)


@cached_while_alive
def propose_groups(table: Table, target: str) -> Finding[str] | None:
    """Return a column of groups with the reason, or None if there is none: its values repeat, and its name is that of
    an owner of rows or of an identifier."""
    found = [column for column in table.columns if column.name != target and _repeats(column, table.n)]
    named = [c for c in found if _GROUP_NAME.fullmatch(c.name.strip()) and not _is_measured(c)]
    ids = [c for c in found if _ID_NAME.fullmatch(c.name.strip()) and c.distinct > table.n**0.5]
    for column in (*named, *ids):
        figures = {"name": column.name, "distinct": column.distinct, "rows": table.n}
        return Finding(column.name, "values repeat", figures)
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
        and FEWEST_GROUPS <= column.distinct <= rows / SMALLEST
    )


@cached_while_alive
def time_columns(table: Table, target: str) -> tuple[str, ...]:
    """Return the names of the columns, other than the target, that hold a time in every row."""
    return tuple(c.name for c in table.columns if c.name != target and not c.missing and _is_time(table, c))


def _is_time(table: Table, column: Column) -> bool:
    if column.kind == "date":
        return not is_clock(str(table.frame[column.name].iloc[0]))  # a time of day recurs every day
    if not column.numbers or column.distinct < FEWEST_TIMES:
        return False
    name, values = column.name.strip(), as_numbers(table.frame[column.name], table.decimal).to_numpy()
    if _YEAR.fullmatch(name):
        return column.whole and _within(values, *YEARS)
    if _MOMENT.fullmatch(name) and any(_within(values, *span) for span in MOMENTS):
        return True
    return bool(_COUNTED.fullmatch(name)) and bool((np.diff(values) >= 0).all())


def _within(values: NDArray[np.float64], low: float, high: float) -> bool:
    return bool(((values >= low) & (values <= high)).all())


def propose_positive(counts: Mapping[str, int]) -> Finding[str]:
    """Return the proposed class, given the classes in order with their numbers of rows."""
    affirmed = [name for name in counts if _word(name) in POSITIVE_NAMES.split()]
    if len(affirmed) == 1:
        return Finding(affirmed[0], "positive name")
    others = [name for name in counts if _word(name) not in NEGATIVE_NAMES.split()]
    if len(counts) == 2 and len(others) == 1:
        return Finding(others[0], "other name negative")
    numbers = {name: _number(name) for name in reversed(list(counts))}
    if not any(map(math.isnan, numbers.values())):
        return Finding(max(numbers, key=numbers.__getitem__), "largest number")
    rarest = min(reversed(list(counts)), key=counts.__getitem__)
    alike = sum(count == counts[rarest] for count in counts.values())
    return Finding(rarest, "rarest", {"alike": alike})


def _word(name: str) -> str:
    return name.strip().strip(".").casefold()


def _number(name: str) -> float:
    """Return the number in a name, with or without a comparison sign, as in > 50K; NaN if there is none."""
    try:
        return float(name.lstrip("<>=≤≥ ").rstrip("Kk+. "))
    except ValueError:
        return math.nan
