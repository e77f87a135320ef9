"""The repeated splits of a comparison, and the folds inside each training part, by the same scheme."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import (
    EACH_GROUP,
    GROUPS,
    K_FOLD,
    KIND_OF,
    RANDOM,
    SCHEMES,
    Codes,
    Rows,
    Scheme,
    check_apart,
    folds_of,
    needed,
)
from mdcore.spec import Choice

SCHEME = Choice(
    "scheme",
    "splits",
    RANDOM,
    SCHEMES,
    "random: single rows, stratified; k-fold: every row is tested once in each repetition; groups: the rows of one "
    "group, such as a patient, stay together; leave-one-group-out: each group is tested by a model of all the others; "
    "time: every test row is later than every training row.",
)


def seed_of(seed: int, number: int) -> int:
    """Return the seed of one split.

    The first is the plan's own seed; the others do not collide with those of nearby seeds.
    """
    return seed if number == 0 else int(np.random.SeedSequence((seed, number)).generate_state(1)[0])


def seed_of_split(scheme: Scheme, seed: int, number: int, test: float) -> int:
    """Return the seed with which a split is drawn: the folds of one repetition share it, and so do left-out groups."""
    if scheme == EACH_GROUP:
        return seed
    return seed_of(seed, number // folds_of(test) if scheme == K_FOLD else number)


def inner(scheme: Scheme, y: NDArray[Any], along: Codes | None, folds: int, seed: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield the folds of a training part, which divide no group and keep the order in time as the splits do; `y` and
    `along` belong to its rows."""
    from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

    rows = np.arange(len(y))
    kind = KIND_OF[scheme]
    if kind == RANDOM:
        yield from StratifiedKFold(folds, shuffle=True, random_state=seed).split(rows, y)
        return
    codes = needed(scheme, along)
    if kind == GROUPS:
        by_group = StratifiedGroupKFold(min(folds, len(np.unique(codes))), shuffle=True, random_state=seed)
        pairs = list(by_group.split(rows, y, codes))
    else:
        pairs = list(_forward(codes, folds))
    whole = [pair for pair in pairs if len(np.unique(y[pair[0]])) == len(np.unique(y)) and len(pair[1])]
    if not whole:
        raise ValueError(
            f"No fold of the cross-validation by {kind} has every class in its training part. Use fixed parameters, "
            "or random splits."
        )
    for fit, held_out in whole:
        check_apart(scheme, codes, fit, held_out)
        yield fit, held_out


def _forward(codes: Codes, folds: int) -> Iterator[tuple[Rows, Rows]]:
    """Yield folds forward in time: blocks of similar size, each tested by a fit on all blocks before it."""
    order = np.sort(codes)
    cuts = [int(order[len(order) * k // (folds + 1)]) for k in range(1, folds + 1)] + [int(order[-1]) + 1]
    for low, high in pairwise(cuts):
        yield np.flatnonzero(codes < low), np.flatnonzero((codes >= low) & (codes < high))
