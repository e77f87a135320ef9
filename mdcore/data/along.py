"""Splits by groups, each of which is entirely in one part, and by time, with test rows later than training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Codes = NDArray[np.intp]

DRAWS = 50  # most random draws of groups; the first with the classes in proportion is used, else the best
IN_PROPORTION = 0.1  # accepted deviation of any class from the test share; if stricter, few different draws would pass


def by_groups(y: NDArray[Any], codes: Codes, test: float, seed: int) -> tuple[Rows, Rows]:
    """Return training and test rows; the test rows are whole groups, drawn at random, with about the share `test`.

    Of several draws, return the first in which every class has about that share, or else the best.
    """
    rng, classes = np.random.default_rng(seed), np.unique(y, return_inverse=True)[1]
    groups, sizes = np.unique(codes, return_counts=True)
    if len(groups) < 2:
        raise ValueError("split: all rows belong to one group; splits by groups need two or more.")
    counts = np.zeros((groups[-1] + 1, classes.max() + 1))
    np.add.at(counts, (codes, classes), 1)
    total = counts.sum(axis=0)
    best, drawn = np.inf, None
    for _ in range(DRAWS):
        order = rng.permutation(len(groups))
        most = np.searchsorted(np.cumsum(sizes[order]), test * len(y)) + 1
        chosen = groups[order[: min(most, len(groups) - 1)]]
        held = counts[chosen].sum(axis=0)
        if (held == total).any():  # a class without training rows
            continue
        off = float(np.abs(held / total - test).max())
        if off < best:
            best, drawn = off, chosen
        if best <= IN_PROPORTION:
            break
    if drawn is None:
        raise ValueError(
            f"split: no random choice of groups with a test share of {test:g} leaves training rows of every class. "
            "Lower test, or choose another column of groups."
        )
    inside = np.isin(codes, drawn)
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def by_time(y: NDArray[Any], codes: Codes, test: float, number: int, repeats: int) -> tuple[Rows, Rows]:
    """Return training and test rows for window `number` of `repeats`.

    The windows divide the last share `test` of the rows in order of time; all rows before a window are its training
    rows.
    """
    order = np.sort(codes)
    cuts = order[np.minimum((len(y) * (1 - test * (1 - np.arange(repeats + 1) / repeats))).astype(int), len(y) - 1)]
    first, last = cuts[number], cuts[number + 1] if number + 1 < repeats else order[-1] + 1
    train, held = np.flatnonzero(codes < first), np.flatnonzero((codes >= first) & (codes < last))
    if not len(held) or len(np.unique(y[train])) < len(np.unique(y)):
        short = "has no test rows" if not len(held) else "has no training rows of some class"
        raise ValueError(
            f"split: window {number + 1} of {repeats} in time {short}. Use fewer repeats or another test share."
        )
    return train, held
