"""Splits into training and test rows: at random, in folds, by groups that are never divided, one group at a time, or
with test rows later in time.

`along` is the code of every row's group or time; rows with equal codes are always in the same part.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mdcore.basics.text import label_text
from mdcore.spec import Interval, Param, Slider

Rows = NDArray[np.intp]
Codes = NDArray[np.intp]
Kind = Literal["random", "groups", "time"]
"""What may not be divided between training and test rows: nothing, groups, or the order in time."""
Scheme = Literal["random", "k-fold", "groups", "leave-one-group-out", "time"]

KINDS: tuple[Kind, ...] = get_args(Kind)
RANDOM, GROUPS, TIME = KINDS
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
K_FOLD: Scheme = "k-fold"
EACH_GROUP: Scheme = "leave-one-group-out"
KIND_OF: dict[Scheme, Kind] = {RANDOM: RANDOM, K_FOLD: RANDOM, GROUPS: GROUPS, EACH_GROUP: GROUPS, TIME: TIME}
TEST = Param(
    name="test",
    symbol="test",
    default=0.3,
    legal=Interval(0, 1, open_high=True),
    slider=Slider(0, 0.9, step=0.05),
    help="Share of the examples held out for testing, the same in every class.",
)
SEED = Param(
    name="seed",
    symbol="seed",
    default=0,
    legal=Interval(0, 2**32, open_high=True),
    slider=Slider(0, 99, step=1),
    help="Random seed of the data and the split: the same seed gives the same points.",
    integer=True,
)

DRAWS = 50  # most random draws of groups; the first with the classes in proportion is used, else the best
IN_PROPORTION = 0.1  # accepted deviation of any class from the test share; if stricter, few different draws would pass


def codes_of(values: ArrayLike) -> Codes:
    """Return the number of every row's group, or the rank of its time."""
    return np.unique(np.asarray(values), return_inverse=True)[1].astype(np.intp)


def split_rows(
    scheme: Scheme, y: NDArray[Any], along: Codes | None, test: float, seed: int, number: int = 0, repeats: int = 1
) -> tuple[Rows, Rows]:
    """Return the training and test rows of split `number`, ascending; in time, of window `number` of `repeats`.

    Splits in folds and by left-out groups with the same seed belong together: they test every row, or every group, once
    before any of them is tested again.
    """
    if scheme == RANDOM or test == 0:
        return split(y, test, seed)
    _check(test, seed)
    if scheme == K_FOLD:
        return _fold(y, folds_of(test), seed, number)
    codes = needed(scheme, along)
    if scheme == TIME:
        parts = _by_time(y, codes, test, number, repeats)
    else:
        parts = _by_groups(y, codes, test, seed) if scheme == GROUPS else _left_out(y, codes, seed, number)
    check_apart(scheme, codes, *parts)
    return parts


def folds_of(test: float) -> int:
    """Return the number of folds in which a share `test` of the rows is tested at a time."""
    return max(2, round(1.0 / test))


def needed(scheme: Scheme, along: Codes | None) -> Codes:
    if along is None:
        kind = KIND_OF[scheme]
        raise ValueError(f"split: splits by {kind} need the {kind} of every row; got none.")
    return along


def check_apart(scheme: Scheme, codes: Codes, train: Rows, test: Rows) -> None:
    """Raise RuntimeError if a group or a time is in both parts, or a test row is not later than every training row."""
    if KIND_OF[scheme] == GROUPS:
        shared = np.intersect1d(codes[train], codes[test])
        if len(shared):
            raise RuntimeError(f"Group {shared[0]} is in both parts of a split.")
    elif len(train) and len(test) and codes[train].max() >= codes[test].min():
        raise RuntimeError("A test row is not later than every training row.")


def split(y: ArrayLike, test: float, seed: int) -> tuple[Rows, Rows]:
    """Return ascending row ids of a training and a test part, stratified, with about the share `test` for testing."""
    y = np.asarray(y)
    _check(test, seed)
    rows = np.arange(len(y))
    if test == 0:
        return rows, rows[:0]
    _check_splittable(y, test)
    from sklearn.model_selection import train_test_split

    train, held_out = train_test_split(rows, test_size=test, stratify=y, random_state=int(seed))
    absent = np.setdiff1d(y, y[train])
    if len(absent):
        raise ValueError(
            f"split: test = {test:g} leaves no training example of class {label_text(absent[0])}. Lower the "
            "test share, or use more examples."
        )
    return np.sort(train), np.sort(held_out)


def exchanges(y: NDArray[Any], train: Rows, wanted: Sequence[int]) -> tuple[Rows, Rows]:
    """Return the rows of `wanted` that are not in the training part, and training rows of their classes in exchange.

    If a class has fewer other training rows, the last of `wanted` stay where they are.
    """
    rows = np.array(wanted, dtype=np.intp)
    outside, spare = rows[~np.isin(rows, train)], np.setdiff1d(train, rows)
    pairs = [
        pair
        for label in np.unique(y[outside])
        for pair in zip(outside[y[outside] == label], spare[y[spare] == label], strict=False)
    ]
    inward, outward = np.array(pairs, dtype=np.intp).reshape(-1, 2).T
    return inward, outward


def stratified(y: ArrayLike, n: int, seed: int) -> Rows:
    """Return `n` random rows, ascending, with the classes in proportion after the first two rows of each.

    A larger sample with the same seed contains the smaller one.
    """
    y, rng = np.asarray(y), np.random.default_rng(seed)
    position = np.empty(len(y))
    for label in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == label))
        position[rows] = (np.arange(len(rows)) + 0.5) / len(rows)
        position[rows[:1]], position[rows[1:2]] = -2.0, -1.0
    return np.sort(np.argsort(position, kind="stable")[:n])


def _check(test: float, seed: int) -> None:
    TEST.check(test, "split")
    SEED.check(seed, "split")


def _check_splittable(y: NDArray[Any], test: float) -> None:
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            f"split: class {label_text(classes[counts.argmin()])} has {counts.min()} example; a split needs at least 2 "
            "of each class, one for training and one for testing. Use more examples, or leave that class out."
        )
    held_out = math.ceil(test * len(y))
    for part, size, remedy in (("test", held_out, "Raise"), ("training", len(y) - held_out, "Lower")):
        if size < len(classes):
            raise ValueError(
                f"split: test = {test:g} of {len(y)} examples makes a {part} part of {size}, fewer than the "
                f"{len(classes)} classes. {remedy} the test share, use more examples, or keep fewer classes."
            )


def _fold(y: NDArray[Any], folds: int, seed: int, number: int) -> tuple[Rows, Rows]:
    """Return training and test rows of one of the stratified folds."""
    from sklearn.model_selection import StratifiedKFold

    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < folds:
        raise ValueError(
            f"split: class {label_text(classes[counts.argmin()])} has {counts.min()} rows, fewer than the {folds} "
            "folds. Use fewer folds, or repeated random splits."
        )
    pairs = StratifiedKFold(folds, shuffle=True, random_state=int(seed)).split(np.zeros(len(y)), y)
    train, held = list(pairs)[number % folds]
    return train, held


def _left_out(y: NDArray[Any], codes: Codes, seed: int, number: int) -> tuple[Rows, Rows]:
    """Return the rows of all groups but one, and those of that group; the groups follow in a random order."""
    groups = np.unique(codes)
    if len(groups) < 2 or number >= len(groups):
        raise ValueError(
            f"split: there are {len(groups)} groups to leave out one at a time; {number + 1} splits need as many "
            "groups, and at least two. Use fewer splits, or splits by groups at random."
        )
    held = codes == np.random.default_rng(seed).permutation(groups)[number]
    absent = np.setdiff1d(y, y[~held])
    if len(absent):
        raise ValueError(
            f"split: one group has every row of class {label_text(absent[0])}, so that leaving it out leaves none to "
            "learn from. Leave that class out, or choose another column of groups."
        )
    return np.flatnonzero(~held), np.flatnonzero(held)


def _by_groups(y: NDArray[Any], codes: Codes, test: float, seed: int) -> tuple[Rows, Rows]:
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
            "Lower the test share, or choose another column of groups."
        )
    inside = np.isin(codes, drawn)
    return np.flatnonzero(~inside), np.flatnonzero(inside)


def _by_time(y: NDArray[Any], codes: Codes, test: float, number: int, repeats: int) -> tuple[Rows, Rows]:
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
