"""Find a column by which rows belong together, regardless of its name, from rows that resemble each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data.tables.kinds import Column

if TYPE_CHECKING:
    import pandas as pd

Codes = NDArray[np.intp]

FEWEST = 10  # groups, at least
MOST_ROWS = 1000  # approximate number of rows examined, in whole groups
MOST_FEATURES = 100
MOST_LEVELS = 20  # of a category by which rows are compared
LEAST_SHARE = 0.2  # smallest share of rows whose nearest row is in the same group,
TIMES_CHANCE = 5.0  # and smallest multiple of the share expected by chance
ALIKE = 0.3  # smallest agreement of labels, from 0 for random labels to 1 for one label per group
SCATTERED = 0.5  # share of the distance between two random numbers, below which numbers are amounts, not names
ENOUGH = 20  # rows needed to decide that


@dataclass(frozen=True)
class Resemblance:
    """The share of rows whose nearest row is in the same group, and the share expected by chance."""

    column: Column
    share: float
    chance: float


def most_resembling(
    frame: pd.DataFrame, columns: list[Column], owners: list[Column], target: str
) -> Resemblance | None:
    """Return the column of `owners` whose groups have the most similar rows with mostly the same label, or None."""
    found = [r for owner in owners if (r := _resemblance(frame, columns, owner, target)) is not None]
    return max(found, key=lambda r: (r.share - r.chance, -r.column.distinct), default=None)


def _resemblance(frame: pd.DataFrame, columns: list[Column], owner: Column, target: str) -> Resemblance | None:
    import pandas as pd
    from sklearn.neighbors import NearestNeighbors

    if owner.distinct < FEWEST:
        return None
    values = frame[owner.name]
    rows = _whole_groups(pd.factorize(values, sort=True)[0])
    codes, labels = (pd.factorize(frame[name].iloc[rows], sort=True)[0] for name in (owner.name, target))
    if _agreement(labels, codes) < ALIKE:
        return None
    X = _comparable(frame.iloc[rows], [c for c in columns if c.name not in (owner.name, target)], codes)
    if X is None:
        return None
    nearest = NearestNeighbors(n_neighbors=1).fit(X).kneighbors(return_distance=False)[:, 0]
    share, chance = float((codes[nearest] == codes).mean()), _pairs(codes) / (len(codes) * (len(codes) - 1))
    if share < max(LEAST_SHARE, TIMES_CHANCE * chance) or (
        owner.numbers and _is_amount(values.iloc[rows], codes, nearest)
    ):
        return None
    return Resemblance(owner, share, float(chance))


def _whole_groups(codes: Codes) -> Codes:
    """Return the rows of some groups, drawn at random."""
    order = np.random.default_rng(0).permutation(codes.max() + 1)
    rows_until = np.cumsum(np.bincount(codes)[order])
    drawn = order[: max(FEWEST, int(np.searchsorted(rows_until, MOST_ROWS, "right")))]
    return np.flatnonzero(np.isin(codes, drawn))[: 2 * MOST_ROWS]


def _pairs(codes: Codes) -> int:
    """Return the number of ordered pairs of different rows with the same code."""
    sizes = np.bincount(codes)
    return int((sizes * (sizes - 1)).sum())


def _agreement(labels: Codes, codes: Codes) -> float:
    """Return the excess over chance with which two rows of a group have the same label; 1 if they always do."""
    known = labels >= 0
    labels, codes = labels[known], codes[known]
    n, inside = len(labels), _pairs(codes)
    by_chance = _pairs(labels) / (n * (n - 1)) if n > 1 else 1.0
    if not inside or by_chance == 1.0:
        return 0.0
    both = np.unique(codes * (labels.max() + 1) + labels, return_inverse=True)[1]
    return float((_pairs(both) / inside - by_chance) / (1.0 - by_chance))


def _comparable(frame: pd.DataFrame, columns: list[Column], codes: Codes) -> Any:
    """Return the other columns as numbers, standardised or one-hot encoded, or None if none is left.

    Columns that correspond one-to-one to the groups are left out.
    """
    import pandas as pd

    groups, parts = codes.max() + 1, []
    for column in columns:
        cells = frame[column.name]
        if column.kind not in ("numeric", "category") or _is_same_grouping(pd.factorize(cells)[0], codes, groups):
            continue
        if column.kind == "category":
            if column.distinct <= MOST_LEVELS:
                parts.append(pd.get_dummies(cells).to_numpy(dtype=np.float64))
            continue
        numbers = pd.to_numeric(cells, errors="coerce").to_numpy(dtype=np.float64)
        if np.isfinite(numbers).any() and np.nanstd(numbers) > 0:
            filled = np.where(np.isfinite(numbers), numbers, np.nanmedian(numbers))
            parts.append(((filled - filled.mean()) / (filled.std() or 1.0))[:, None])
    return np.column_stack(parts[:MOST_FEATURES]) if parts else None


def _is_same_grouping(other: Codes, codes: Codes, groups: int) -> bool:
    """Return whether the values of a column correspond one-to-one to the groups."""
    return len(np.unique(other)) == groups == len(np.unique(other * groups + codes))


def _is_amount(values: pd.Series, codes: Codes, nearest: Codes) -> bool:
    """Return whether nearest rows in other groups have numbers close by, as amounts would and names would not."""
    ranks = np.argsort(np.argsort(values.to_numpy(), kind="stable"))
    away = np.abs(ranks - ranks[nearest])[codes != codes[nearest]]
    return len(away) >= ENOUGH and float(np.mean(away)) < SCATTERED * len(codes) / 3
