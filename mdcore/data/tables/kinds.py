"""Guess the kind of each column and which column is the target; guesses have reasons and can be overridden."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from mdcore.data.tables.cells import as_numbers, is_code, is_date, is_number, share
from mdcore.data.tables.detection import Finding

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["numeric", "category", "index", "constant", "date", "text"]
USABLE = ("numeric", "category")  # other kinds of columns are dropped by default
LEGAL = (*USABLE, "date")  # the kinds that a column can be used as

TARGET_NAMES = ("target", "class", "classes", "label", "labels", "outcome", "diagnosis", "species")
# Names of a target only where values are few: a y may be a coordinate. In the order in which they count.
_OUTCOMES = """
y response survived survival churn churned exited attrition default defaulted fraud is_fraud spam readmitted died death
mortality klasse ziel zielgröße diagnose classe cible diagnostic clase objetivo diagnóstico класс диагноз クラス 診断
"""
_INDEX_NAME = re.compile(r"(.*[ _.-])?(id|index|idx|row|row ?names?|nr|no|number)|unnamed: 0|column 1", re.I)

MOSTLY = 0.95  # smallest share of numbers, or of dates, in a column of that kind
LEVELS = 100  # most levels of a category, unless they are recurring names
REPEATED = 0.7  # most different names per row in a column of recurring names,
WORDS = 3  # and most words per name on average
GAP_WORDS = 3  # most different words for gaps in a column of numbers,
MANY_NUMBERS = 10  # which has more different numbers than this
CODES = range(3, 11)  # numbers of different whole numbers that could be codes
FEW_FRACTIONS = 5  # most different labels if they are numbers with a fraction, such as 0.5 and 1.5
SAMPLE_CELLS = 1000
LONGEST = 1e15  # nothing is counted or measured to the unit beyond it: such numbers are those of accounts or moments
LEAST_NUMBERS = 0.1  # smallest share of numbers in a column whose other cells may stand for gaps


@dataclass(frozen=True)
class Column:
    """The description of a column: its kind and the flags on which it rests; `wording.py` says why.

    `present` is the number of values, `whole` is True for whole numbers, `steps` if each is one more than the one
    before, `long` if they are too long for a measurement, `codes` if there are so few that they may be codes. `names`
    is True for a category of recurring names. `classes` is True if its values repeat, so that it could be the target
    unchanged. `odd` is the number of cells in a column of numbers that are not numbers; `examples` are some of them, or
    a date.
    """

    name: str
    kind: Kind
    missing: int
    present: int
    distinct: int
    numbers: bool = False
    classes: bool = False
    whole: bool = False
    steps: bool = False
    long: bool = False
    codes: bool = False
    names: bool = False
    odd: int = 0
    examples: tuple[str, ...] = ()


def describe(column: pd.Series, decimal: str) -> Column:
    from pandas.api.types import is_numeric_dtype

    name = str(column.name)
    values = column.dropna()
    distinct = int(values.nunique())
    if is_numeric_dtype(column):
        return _describe_numbers(name, column, distinct)
    cells = values.iloc[:SAMPLE_CELLS]
    if share(is_number(cell, decimal) for cell in cells) > LEAST_NUMBERS and share(map(is_code, cells)) < 1 - MOSTLY:
        numbers = as_numbers(column, decimal)
        strange = values[numbers[values.index].isna()]
        words = strange.value_counts()
        meant = len(words) <= GAP_WORDS and (words > 1).all() and numbers.nunique() > MANY_NUMBERS
        if len(strange) <= (1 - MOSTLY) * len(values) or meant:
            return _describe_numbers(name, numbers, int(numbers.nunique()), strange)
    return _describe_texts(name, column, values, distinct)


def _describe_numbers(name: str, numbers: pd.Series, distinct: int, strange: Collection[str] = ()) -> Column:
    cells = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    values = cells[~np.isnan(cells)]
    whole = bool((values == values.round()).all())
    steps = bool((np.diff(values) == 1.0).all())
    long = numbers.dtype.kind in "iu" and bool((np.abs(values) > LONGEST).all())
    kind: Kind = "numeric"
    if distinct <= 1:
        kind = "constant"
    elif whole and distinct == len(numbers) and (steps or long or _INDEX_NAME.fullmatch(name)):
        kind = "index"
    few = distinct <= max(9, min(len(values) / 10, LEVELS)) if whole else distinct <= FEW_FRACTIONS
    return Column(
        name,
        kind,
        missing=len(cells) - len(values),
        present=len(values),
        distinct=distinct,
        numbers=True,
        classes=kind == "numeric" and few and distinct < len(values),
        whole=whole,
        steps=steps,
        long=long,
        codes=whole and distinct in CODES,
        odd=len(strange),
        examples=tuple(dict.fromkeys(strange))[:3],
    )


def _describe_texts(name: str, column: pd.Series, values: pd.Series, distinct: int) -> Column:
    cells, missing, present = values.iloc[:SAMPLE_CELLS], int(column.isna().sum()), len(values)
    if distinct <= 1:
        return Column(name, "constant", missing, present, distinct)
    if share(map(is_date, cells)) >= MOSTLY:
        return Column(name, "date", missing, present, distinct, examples=(cells.iloc[0],))
    if distinct == len(column) and (_INDEX_NAME.fullmatch(name) or share(map(is_code, cells)) >= MOSTLY):
        return Column(name, "index", missing, present, distinct)
    if distinct > LEVELS and distinct <= REPEATED * present and _are_names(cells):
        return Column(name, "category", missing, present, distinct, names=True)
    many = distinct > LEVELS or distinct > max(10, present / 2) or (distinct == present > FEW_FRACTIONS)
    repeats = 2 <= distinct < present and distinct <= LEVELS
    return Column(name, "text" if many else "category", missing, present, distinct, classes=repeats)


def _are_names(cells: pd.Series) -> bool:
    return bool(np.mean([len(cell.split()) for cell in cells]) <= WORDS)


def guess_target(columns: Sequence[Column], rows: int) -> Finding[str]:
    """Return the column named like a target, else the last or first column if its values repeat, else the last such
    column, else the last column.

    A column that is empty in most rows is proposed only if all columns are, and the reason then mentions this.
    """
    full = [column for column in columns if column.missing <= rows / 2]
    found = _guess_target(full or columns)
    lost = next(column.missing for column in columns if column.name == found.value)
    named = [c for c in columns if c.missing > rows / 2 and c.name.strip().casefold() in TARGET_NAMES]
    if lost > rows / 2:
        return Finding(found.value, "few values", {"found": found, "present": rows - lost, "rows": rows})
    if named and full:
        less = {"name": named[-1].name, "present": rows - named[-1].missing, "rows": rows}
        return Finding(found.value, "few values of another", {"found": found, **less})
    return found


def _guess_target(columns: Sequence[Column]) -> Finding[str]:
    for name in TARGET_NAMES:
        named = [column for column in columns if column.name.strip().casefold() == name]
        if named:
            return Finding(named[-1].name, "name")
    for name in _OUTCOMES.split():
        named = [column for column in columns if column.classes and column.name.strip().casefold() == name]
        if named:
            return Finding(named[-1].name, "name and values", {"distinct": named[-1].distinct})
    last, first = columns[-1], columns[0]
    if last.classes:
        return Finding(last.name, "last column", {"distinct": last.distinct})
    if first.classes and not first.numbers:
        return Finding(first.name, "first column", {"distinct": first.distinct})
    repeating = [column for column in columns if column.classes]
    if repeating:
        return Finding(repeating[-1].name, "last with few values", {"distinct": repeating[-1].distinct})
    return Finding(last.name, "no column with few values")
