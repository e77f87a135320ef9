"""The margin distribution of a classifier on a sample: its values, statistics and curves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

Scale = Literal["functional", "geometric", "paper"]
SCALES: tuple[Scale, ...] = ("functional", "geometric")  # the scales that pages offer
Part = Literal["train", "test"]
PARTS: tuple[Part, ...] = get_args(Part)


def check_scale(scale: str) -> None:
    if scale not in get_args(Scale):
        wanted = f"scale must be one of {', '.join(SCALES)}; got {scale!r}."
        raise ValueError(f"{wanted} 'paper', the papers' own normalisation, is also possible.")


def margins_of(f: NDArray[np.float64], codes: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the functional margins for the classes `codes`: `y f(x)` for one score per example, and
    `f_y - max_{l != y} f_l` for k scores."""
    if f.ndim == 1:
        return np.where(codes == 1, f, -f)
    rows = np.arange(len(f))
    others = f.copy()
    others[rows, codes] = -np.inf
    return np.asarray(f[rows, codes] - others.max(axis=1))


def distances_of(f: NDArray[np.float64], codes: NDArray[np.intp], norms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return geometric margins: distances to the boundary, negative on the wrong side; `norms` holds ||w_y - w_l||.

    With several classes, the boundary is the nearest one between the example's class and another class. On the wrong
    side of several boundaries an example is at least as far from its class as from the farthest of them. Norms are nan
    for classes between which there is no boundary: a class that is ahead by a constant limits nothing, and without any
    boundary, or with another class ahead of its own by a constant, an example has no geometric margin but nan.
    """
    if f.ndim == 1:
        return over(margins_of(f, codes), float(norms[1, 0]))
    rows = np.arange(len(f))
    ahead = f[rows, codes][:, None] - f
    away = over(ahead, norms[codes])
    away[np.isnan(away) & (ahead > 0.0)] = np.inf
    away[rows, codes] = np.inf
    nearest = np.asarray(away.min(axis=1))
    nearest[np.isinf(nearest)] = np.nan
    return nearest


def rescale(margins: NDArray[np.float64], norm: float, scale: Scale) -> NDArray[np.float64]:
    """Return functional margins on another scale, with one norm for all examples."""
    check_scale(scale)
    return margins if scale == "functional" else over(margins, norm)


def over(margins: NDArray[np.float64], norm: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return margins divided by a norm; nan if the norm is 0 or nan, as distances to nothing."""
    return np.divide(margins, norm, out=np.full_like(margins, np.nan), where=np.asarray(norm) > 0.0)


@dataclass(frozen=True, eq=False)
class Margins:
    """The margins of a sample, functional and as distances to the boundary, which are nan without a boundary."""

    functional: NDArray[np.float64]
    geometric: NDArray[np.float64]

    @classmethod
    def none(cls) -> Self:
        return cls(np.empty(0), np.empty(0))

    @cached_property
    def are_distances(self) -> bool:
        """Whether every example has a distance to the boundary."""
        return bool(np.isfinite(self.geometric).all())

    def on(self, scale: Scale) -> MarginDistribution:
        """Return the distribution of the margins on a scale; functional margins if there are no distances."""
        return self._distances if scale == "geometric" and self.are_distances else self._values

    @cached_property
    def _distances(self) -> MarginDistribution:
        return MarginDistribution(self.geometric, "geometric")

    @cached_property
    def _values(self) -> MarginDistribution:
        return MarginDistribution(self.functional, "functional")


@dataclass(frozen=True, eq=False)
class MarginDistribution:
    """The margins of a sample, one value per example in the order of the rows.

    The statistics are as in the papers: population variance (Eq. 4 of the LDM paper is twice that), semi-variance
    `mean(((mean - margin)_+)^2)` (MSVM_Av, Definition 2), cumulative frequency `P(margin <= t)` (Figure 1 of both).
    """

    values: NDArray[np.float64]
    scale: Scale = "functional"

    def __post_init__(self) -> None:
        check_scale(self.scale)
        values = np.array(self.values, dtype=np.float64)
        if values.ndim != 1:
            raise ValueError(f"margins must be one value per example; got an array of shape {values.shape}.")
        if not np.isfinite(values).all():
            first = int(np.argmin(np.isfinite(values)))
            raise ValueError(f"margins must be finite numbers; got {values[first]} for example {first}.")
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def ordered(self) -> NDArray[np.float64]:
        """The margins in ascending order: the abscissae of the cumulative curve."""
        ordered = np.sort(self.values)
        ordered.flags.writeable = False
        return ordered

    @cached_property
    def mean(self) -> float:
        return float(np.mean(self.values)) if len(self) else np.nan

    @cached_property
    def variance(self) -> float:
        return float(np.var(self.values)) if len(self) else np.nan

    @cached_property
    def semivariance(self) -> float:
        return float(np.mean(np.maximum(self.mean - self.values, 0.0) ** 2)) if len(self) else np.nan

    @cached_property
    def min(self) -> float:
        return float(self.ordered[0]) if len(self) else np.nan

    @cached_property
    def accuracy(self) -> float:
        """Share of positive margins; an example on the boundary counts as an error, as in the papers."""
        return float(np.mean(self.values > 0)) if len(self) else np.nan

    def quantile(self, q: ArrayLike) -> float | NDArray[np.float64]:
        if not len(self):
            return np.full(np.shape(q), np.nan) if np.ndim(q) else np.nan
        quantiles = np.quantile(self.ordered, np.asarray(q, dtype=np.float64))
        return quantiles if np.ndim(q) else float(quantiles)

    def cdf(self, t: ArrayLike) -> float | NDArray[np.float64]:
        """Return P(margin <= t), the exact step function."""
        if not len(self):
            return np.full(np.shape(t), np.nan) if np.ndim(t) else np.nan
        share = np.searchsorted(self.ordered, t, side="right") / len(self)
        return share if np.ndim(t) else float(share)

    def counts(self, edges: ArrayLike) -> NDArray[np.intp]:
        """Return the number of examples between consecutive edges; the last interval includes its right end."""
        return np.histogram(self.values, np.asarray(edges, dtype=np.float64))[0]


BINS = 40
ROOM = 0.15  # share of an axis's length added beyond a value that leaves it, so that it does not grow at every picture


def common_edges(distributions: Sequence[MarginDistribution], bins: int = BINS) -> NDArray[np.float64]:
    """Return the edges of equal bins that cover all values of all distributions; zero is an edge if it lies inside.

    Zero is the boundary: a bin that straddles it would mix errors with correct examples.
    """
    low, high = _ends(distributions)
    size = max(abs(low), abs(high))
    if high - low <= 1e-12 * size or high == low:
        room = max(0.5, 1e-9 * size)  # half a unit may be lost next to a very large value
        low, high = low - room, high + room
    width = (high - low) / (bins - 1)
    first, last = np.floor(low / width - 1e-9), np.ceil(high / width + 1e-9)  # rounding must not lose an end
    return np.asarray(np.arange(first, max(last, first + 1) + 1) * width)


def grown_edges(
    edges: NDArray[np.float64], distributions: Sequence[MarginDistribution], most: int = 2 * BINS
) -> NDArray[np.float64]:
    """Return the edges if they cover all values, else with more bins at the ends; beyond `most` bins, double the
    width."""
    low, high = _ends(distributions)
    if edges[0] <= low and high <= edges[-1]:
        return edges
    width, room = float(edges[1] - edges[0]), ROOM * float(edges[-1] - edges[0])
    first, last = round(edges[0] / width), round(edges[-1] / width)
    if low < edges[0]:
        first = int(np.floor((low - room) / width))
    if high > edges[-1]:
        last = int(np.ceil((high + room) / width))
    while last - first > most:
        width, first, last = 2.0 * width, first // 2, -(-last // 2)
    return np.asarray(np.arange(first, last + 1) * width)


def covered(edges: NDArray[np.float64], distributions: Sequence[MarginDistribution]) -> float:
    """Return the share of the axis between the smallest and the largest of all values and 0."""
    low, high = _ends(distributions)
    return (max(high, 0.0) - min(low, 0.0)) / float(edges[-1] - edges[0])


def _ends(distributions: Sequence[MarginDistribution]) -> tuple[float, float]:
    values = [d.ordered for d in distributions if len(d)]
    return min((float(v[0]) for v in values), default=0.0), max((float(v[-1]) for v in values), default=1.0)


OF_SCALE = ("mean", "variance", "semivariance", "min")  # the statistics that depend on the margin scale
STATISTICS = (*OF_SCALE, "accuracy")
