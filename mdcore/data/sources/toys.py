"""Generators of artificial data, each a pure function of its options.

A planar data set is defined by a *shape*: the points without noise, and the displacement of each by one unit of noise.
`planar` adds noise, outliers and flipped labels. Random numbers come from separate streams of one seed, so that each
option changes only what it names: noise scales displacements already drawn, and one more outlier or flipped label
leaves every other point in place.

Two classes are labelled -1 and +1. Class sizes are exact, not random.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Labels = NDArray[np.int64]
Rows = NDArray[np.intp]
Spot = tuple[float, float]


class Stream(IntEnum):
    """The independent random streams of one seed."""

    POINTS = 0
    ROW_ORDER = 1
    VICTIMS = 2
    OUTLIERS = 3


@dataclass(frozen=True, eq=False)
class Shape:
    """Two classes in the plane, with the negative points first.

    `negative_spot` and `positive_spot` lie well inside the regions of their classes; outliers of the other class are
    placed there.
    """

    points: Points
    displacements: Points
    negative_spot: Spot
    positive_spot: Spot


OUTLIER_SCATTER = 0.25


# Common parts


def planar(
    shape: Callable[..., Shape],
    *,
    n: int,
    noise: float,
    outliers: int,
    balance: float,
    label_noise: float,
    seed: int,
    **settings: float,
) -> tuple[Points, Labels, Rows]:
    """Return `n` points of a shape with noise, outliers and flipped labels, and the rows of the outliers.

    `settings` are options of the shape.
    """
    negatives, positives = class_counts(n, balance)
    drawn = shape(negatives, positives, _stream(seed, Stream.POINTS), **settings)
    X = drawn.points + noise * drawn.displacements
    y = _labels(negatives, positives)

    astray, spot = (-1, drawn.positive_spot) if negatives >= positives else (1, drawn.negative_spot)
    if outliers >= max(negatives, positives):
        raise ValueError(
            f"outliers must be fewer than the {max(negatives, positives)} points of the larger class, to which they "
            f"belong; got {outliers}. Lower outliers or raise n."
        )
    # Labels are flipped from the start of this order and outliers taken from its end, so that they rarely meet.
    victims = _stream(seed, Stream.VICTIMS).permutation(n)
    rows = victims[::-1][y[victims[::-1]] == astray][:outliers]
    X[rows] = spot + OUTLIER_SCATTER * _outlier_offsets(outliers, _stream(seed, Stream.OUTLIERS))

    X, y, order = _shuffled(X, _flipped(y, label_noise, victims), seed)
    return X, y, np.argsort(order)[rows]


def class_counts(n: int, balance: float) -> tuple[int, int]:
    """Return the numbers of negatives and positives; `balance` is the share of positives, and no class is empty."""
    positives = min(max(math.floor(balance * n + 0.5), 1), n - 1)
    return n - positives, positives


def _stream(seed: int, stream: Stream) -> np.random.Generator:
    return np.random.default_rng([seed, stream])


def _labels(negatives: int, positives: int) -> Labels:
    return np.repeat(np.array([-1, 1], dtype=np.int64), [negatives, positives])


def _flipped(y: Labels, share: float, order: NDArray[np.int64]) -> Labels:
    rows = order[: math.floor(share * len(y) + 0.5)]
    flipped = y.copy()
    flipped[rows] = -y[rows]
    return flipped


def _shuffled(X: Points, y: Labels, seed: int) -> tuple[Points, Labels, Rows]:
    """Return the rows in random order, and that order, so that an online learner does not get one class after the
    other."""
    order = _stream(seed, Stream.ROW_ORDER).permutation(len(y))
    return X[order], y[order], order


def _outlier_offsets(count: int, rng: np.random.Generator) -> Points:
    """Return the outliers' offsets from the spot: zero for the first; adding more outliers moves no earlier one."""
    offsets = _unit_disc(count, rng)
    offsets[:1] = 0.0
    return offsets


def _unit_disc(count: int, rng: np.random.Generator) -> Points:
    """Return points distributed uniformly in the unit disc."""
    radius, turn = rng.random((count, 2)).T
    return np.asarray(_on_circle(2 * np.pi * turn) * np.sqrt(radius)[:, None])


def _on_circle(angle: Points) -> Points:
    return np.column_stack([np.cos(angle), np.sin(angle)])


# Shapes of the plane


def moons(negatives: int, positives: int, rng: np.random.Generator) -> Shape:
    """Return two interleaving half circles of radius 1, as in scikit-learn.

    The negative one has centre (0, 0) and opens downwards; the positive one has centre (1, 0.5) and opens upwards.
    """
    upper = _on_circle(np.linspace(0, np.pi, negatives))
    lower = (1.0, 0.5) - _on_circle(np.linspace(0, np.pi, positives))
    return Shape(
        points=np.vstack([upper, lower]),
        displacements=rng.standard_normal((negatives + positives, 2)),
        negative_spot=(0.0, 1.2),
        positive_spot=(1.0, -0.7),
    )


def circles(negatives: int, positives: int, rng: np.random.Generator) -> Shape:
    """Return two concentric circles: the negative class has radius 1, the positive class radius 1/2."""
    outer = _on_circle(np.linspace(0, 2 * np.pi, negatives, endpoint=False))
    inner = 0.5 * _on_circle(np.linspace(0, 2 * np.pi, positives, endpoint=False))
    return Shape(
        points=np.vstack([outer, inner]),
        displacements=rng.standard_normal((negatives + positives, 2)),
        negative_spot=(0.0, 1.0),
        positive_spot=(0.0, 0.0),
    )


def blobs(negatives: int, positives: int, rng: np.random.Generator) -> Shape:
    """Return two normal clouds with means -(1, 0.5) and +(1, 0.5).

    The best boundary is the line through 0 perpendicular to the line that joins the means.
    """
    centre = np.array([1.0, 0.5])
    return Shape(
        points=_labels(negatives, positives)[:, None] * centre,
        displacements=rng.standard_normal((negatives + positives, 2)),
        negative_spot=(-1.5, -0.75),
        positive_spot=(1.5, 0.75),
    )


def xor(negatives: int, positives: int, rng: np.random.Generator) -> Shape:
    """Return four squares around 0, labelled by the sign of `x1 * x2`, which no line predicts well."""
    inside = rng.uniform(0.1, 1.0, (negatives + positives, 2))
    side = np.where(np.arange(negatives + positives) % 2, 1, -1)
    signs = np.column_stack([side, side * _labels(negatives, positives)])
    return Shape(
        points=signs * inside,
        displacements=rng.standard_normal((negatives + positives, 2)),
        negative_spot=(-0.6, 0.6),
        positive_spot=(0.6, 0.6),
    )


def spirals(negatives: int, positives: int, rng: np.random.Generator) -> Shape:
    """Return two spiral arms of one and a half turns, one rotated by half a turn against the other."""

    def arm(along: Points) -> Points:
        # The square root spaces the points evenly along the arm, whose length grows as the square of the angle.
        share = np.sqrt(along)
        return (0.2 + 1.8 * share)[:, None] * _on_circle(3 * np.pi * share)

    x, y = arm(np.array([0.7]))[0]
    return Shape(
        points=np.vstack([-arm(np.linspace(0, 1, negatives)), arm(np.linspace(0, 1, positives))]),
        displacements=rng.standard_normal((negatives + positives, 2)),
        negative_spot=(-x, -y),
        positive_spot=(x, y),
    )


def separable_discs(negatives: int, positives: int, rng: np.random.Generator, *, distance: float) -> Shape:
    """Return two discs of radius `noise` with centres (-1.5, 0) and (1.5, 0).

    The vertical axis separates them if the radius is at most 1.5. Outliers lie on the far side of that axis, at the
    given distance from it, and away from the line through the centres, so that they tilt the boundary as well as shift
    it.
    """
    return Shape(
        points=_labels(negatives, positives)[:, None] * np.array([1.5, 0.0]),
        displacements=_unit_disc(negatives + positives, rng),
        negative_spot=(-distance, 1.0),
        positive_spot=(distance, 1.0),
    )


# Several classes of the plane

SECTORS = 8  # sectors, of 45 degrees each
SECTOR_ORDER = (0, 4, 2, 6, 1, 5, 3, 7)  # the first classes lie far apart
GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))


def several(
    shape: Callable[[int, int, np.random.Generator], tuple[Points, Points]],
    *,
    each: int,
    classes: int,
    noise: float,
    label_noise: float,
    seed: int,
) -> tuple[Points, Labels]:
    """Return `each` points for each of the classes 0, 1, ...; adding a class does not move the points of the others.

    Each class has its own random streams, from which the positions of its rows among the others are drawn, too. With
    label noise, a share of every class takes the label of the previous class; in the first class, that of the second.
    """
    X, ranks = [], []
    for c in range(classes):
        points, displacements = shape(c, each, np.random.default_rng([seed, Stream.POINTS, c]))
        X.append(points + noise * displacements)
        ranks.append(np.random.default_rng([seed, Stream.ROW_ORDER, c]).random(each))
    y = np.repeat(np.arange(classes, dtype=np.int64), each)
    astray = np.arange(each * classes) % each < math.floor(label_noise * each + 0.5)
    order = np.argsort(np.concatenate(ranks), kind="stable")
    return np.vstack(X)[order], np.where(astray, np.abs(y - 1), y)[order]


def clouds(c: int, n: int, rng: np.random.Generator) -> tuple[Points, Points]:
    """Return a normal cloud for class c; the centres form a sunflower spiral, in which neighbours are about 2 apart."""
    centre = 1.2 * math.sqrt(c + 0.5) * _on_circle(np.array([c * GOLDEN_ANGLE]))
    return np.repeat(centre, n, axis=0), rng.standard_normal((n, 2))


def sectors(c: int, n: int, rng: np.random.Generator) -> tuple[Points, Points]:
    """Return points distributed uniformly in an eighth of the ring between the radii 0.5 and 2, for class c."""
    share, turn = rng.random((n, 2)).T
    radius = np.sqrt(0.25 + 3.75 * share)
    angle = 2 * np.pi / SECTORS * (SECTOR_ORDER[c] + turn)
    return _on_circle(angle) * radius[:, None], rng.standard_normal((n, 2))


# Published generators


def threshold(
    *, n: int, features: int, k: int, r: int, balance: float, label_noise: float, seed: int
) -> tuple[Points, Labels]:
    """Return examples of the r-of-k threshold function of the PUMMA paper (section 4.1) on -1/+1 variables.

    The label is +1 if at least r of the first k variables are +1. Within a class the vectors are uniform; each class is
    drawn separately, as uniform vectors would hardly ever be negative for r = 1. (The paper prints the function as
    sign(sum - 2r + 1), but its biases 15, 9, 1 for r = 1, 4, 8 and k = 16, and its text, imply sign(sum + k - 2r + 1).)
    """
    if not r <= k <= features:
        raise ValueError(
            f"threshold: r <= k <= features must hold; got r = {r}, k = {k}, features = {features}. "
            "Lower r or k, or raise features."
        )
    negatives, positives = class_counts(n, balance)
    rng = _stream(seed, Stream.POINTS)
    ways = np.array([math.comb(k, ones) for ones in range(k + 1)], dtype=np.float64)
    few, enough = ways[:r] / ways[:r].sum(), ways[r:] / ways[r:].sum()
    ones = np.concatenate([rng.choice(r, negatives, p=few), r + rng.choice(k + 1 - r, positives, p=enough)])

    X = rng.choice([-1.0, 1.0], size=(n, features))
    shuffled_ranks = rng.random((n, k)).argsort(axis=1)
    X[:, :k] = np.where(shuffled_ranks < ones[:, None], 1.0, -1.0)
    return _finished(X, negatives, positives, label_noise, seed)


BREIMAN_FEATURES = 20
BREIMAN_MEAN = 2 / math.sqrt(BREIMAN_FEATURES)


def twonorm(*, n: int, balance: float, label_noise: float, seed: int) -> tuple[Points, Labels]:
    """Return Breiman's (1996) twonorm data: unit normals with means (a, ..., a) and (-a, ..., -a), a = 2/sqrt(20).

    The Bayes error is Phi(-2) = 2.3 %.
    """
    negatives, positives = class_counts(n, balance)
    draws = _stream(seed, Stream.POINTS).standard_normal((n, BREIMAN_FEATURES))
    X = draws + BREIMAN_MEAN * _labels(negatives, positives)[:, None]
    return _finished(X, negatives, positives, label_noise, seed)


def ringnorm(*, n: int, balance: float, label_noise: float, seed: int) -> tuple[Points, Labels]:
    """Return Breiman's (1996) ringnorm data: -1 is normal with mean 0 and covariance 4I, +1 is unit normal with mean
    (a, ..., a), a = 2/sqrt(20).

    Sources differ on a: R's mlbench uses 1/sqrt(20). The value here is that of the Delve set, which the papers use.
    """
    negatives, positives = class_counts(n, balance)
    draws = _stream(seed, Stream.POINTS).standard_normal((n, BREIMAN_FEATURES))
    X = np.vstack([2 * draws[:negatives], draws[negatives:] + BREIMAN_MEAN])
    return _finished(X, negatives, positives, label_noise, seed)


WAVE_PEAKS = (7, 15, 11)
WAVES_OF_CLASS = ((0, 1), (0, 2), (1, 2))
ONE_WAVE_VERSUS_REST = "0 vs rest"


def base_waves() -> Points:
    """Return the three triangular waves of height 6 on the positions 1, ..., 21 (CART, 1984), one in each row."""
    positions = np.arange(1, 22)
    return np.asarray(np.maximum(6.0 - np.abs(positions - np.array(WAVE_PEAKS)[:, None]), 0.0))


def waveform(*, n: int, classes: str, seed: int) -> tuple[Points, Labels]:
    """Return waveform data (Breiman et al., 1984): each class mixes two of three waves at random, plus unit noise.

    The three classes are equally frequent; with `classes="0 vs rest"`, class 0 is +1 and the others are -1.
    """
    rng = _stream(seed, Stream.POINTS)
    kind = np.sort(np.arange(n, dtype=np.int64) % len(WAVES_OF_CLASS))
    first, second = base_waves()[np.array(WAVES_OF_CLASS)[kind].T]
    proportion = rng.random((n, 1))
    X = proportion * first + (1 - proportion) * second + rng.standard_normal(first.shape)
    y = np.where(kind == 0, 1, -1) if classes == ONE_WAVE_VERSUS_REST else kind
    return _shuffled(X, y, seed)[:2]


def _finished(X: Points, negatives: int, positives: int, label_noise: float, seed: int) -> tuple[Points, Labels]:
    victims = _stream(seed, Stream.VICTIMS).permutation(len(X))
    return _shuffled(X, _flipped(_labels(negatives, positives), label_noise, victims), seed)[:2]
