"""Splits into training and test rows: at random, by groups, or in the order of time; the same inside the training part.

`along` is the code of every row's group or time; rows with equal codes are never separated.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mdcore.data.along import by_groups, by_time
from mdcore.data.preparation import split
from mdcore.spec import Choice

Rows = NDArray[np.intp]
Codes = NDArray[np.intp]

RANDOM, GROUPS, TIME = "random", "groups", "time"
SCHEME = Choice(
    "scheme",
    "splits",
    RANDOM,
    (RANDOM, GROUPS, TIME),
    "random: single rows, stratified; groups: the rows of one group, such as a patient, stay together; time: every "
    "test row is later than every training row.",
)


def codes_of(values: ArrayLike) -> Codes:
    """Return the number of every row's group, or the rank of its time."""
    return np.unique(np.asarray(values), return_inverse=True)[1].astype(np.intp)


def seed_of(seed: int, number: int) -> int:
    """Return the seed of one split.

    The first is the plan's own seed; the others do not collide with those of nearby seeds.
    """
    return seed if number == 0 else int(np.random.SeedSequence((seed, number)).generate_state(1)[0])


def outer(
    scheme: str, y: NDArray[Any], along: Codes | None, test: float, seed: int, number: int, repeats: int
) -> tuple[Rows, Rows]:
    """Return training and test rows of one split, ascending."""
    if scheme == RANDOM:
        return split(y, test, seed_of(seed, number))
    codes = _needed(scheme, along)
    parts = (
        by_groups(y, codes, test, seed_of(seed, number))
        if scheme == GROUPS
        else by_time(y, codes, test, number, repeats)
    )
    check_apart(scheme, codes, *parts)
    return parts


def inner(scheme: str, y: NDArray[Any], along: Codes | None, folds: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield the folds of a training part by the same scheme; `y` and `along` belong to its rows."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    rows = np.arange(len(y))
    if scheme == RANDOM:
        yield from StratifiedKFold(folds, shuffle=True, random_state=seed).split(rows, y)
        return
    codes = _needed(scheme, along)
    if scheme == GROUPS:
        by_group = StratifiedGroupKFold(min(folds, len(np.unique(codes))), shuffle=True, random_state=seed)
        pairs = list(by_group.split(rows, y, codes))
    else:
        pairs = list(_forward(codes, folds))
    whole = [pair for pair in pairs if len(np.unique(y[pair[0]])) == len(np.unique(y)) and len(pair[1])]
    if not whole:
        raise ValueError(
            f"No fold of the cross-validation by {scheme} has every class in its training part. Use fixed parameters, "
            "or random splits."
        )
    for fit, held_out in whole:
        check_apart(scheme, codes, fit, held_out)
        yield fit, held_out


def check_apart(scheme: str, codes: Codes, train: Rows, test: Rows) -> None:
    """Raise RuntimeError if a group or a time is in both parts, or a test row is not later than every training row."""
    if scheme == GROUPS:
        shared = np.intersect1d(codes[train], codes[test])
        if len(shared):
            raise RuntimeError(f"Group {shared[0]} is in both parts of a split.")
    elif len(train) and len(test) and codes[train].max() >= codes[test].min():
        raise RuntimeError("A test row is not later than every training row.")


def _needed(scheme: str, along: Codes | None) -> Codes:
    if along is None:
        raise ValueError(f"plan: splits by {scheme} need the {scheme} of every row; got none.")
    return along


def _forward(codes: Codes, folds: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield folds forward in time: blocks of similar size, each tested by a fit on all blocks before it."""
    order = np.sort(codes)
    cuts = [int(order[len(order) * k // (folds + 1)]) for k in range(1, folds + 1)] + [int(order[-1]) + 1]
    for low, high in pairwise(cuts):
        yield np.flatnonzero(codes < low), np.flatnonzero((codes >= low) & (codes < high))
