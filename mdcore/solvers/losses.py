"""Losses of the margins that are zero between two ends and grow linearly or quadratically outside them.

For a margin s below the lower end, the loss is cap (low - s), or (low - s)^2 / (2 soft) if cap is infinite; above the
higher end likewise. The dual variable of an example, a = -loss'(s), is called its force. The conjugate is

    loss*(-a) = -low a + soft a^2 / 2  for 0 <= a <= cap,    and likewise with the higher end for a < 0.

The hinge, the band of the ODM, the tube of the SVR and least squares are losses of this kind.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.compiled import compiled

NO_LENGTH = 1e-6  # least ||x||^2 relative to the mean for steps of coordinate ascent


@dataclass(frozen=True, eq=False)
class Loss:
    """The ends `low` and `high`, with `soft` and `cap` of each example in two rows: below `low`, and above `high`."""

    low: float
    high: float
    soft: Array
    cap: Array

    @property
    def kinked(self) -> bool:
        """Whether the loss has a kink: a margin at which the force may take any value between two limits."""
        return bool((self.soft == 0.0).any())

    def force(self, s: Array, held: Array, rho: Array) -> tuple[Array, Array]:
        """Return the forces a of the loss smoothed around the forces `held`, and their slopes -da/ds.

        a maximises -a s - loss*(-a) - rho/2 (a - held)^2; the slopes are the second derivatives of the smoothed loss.
        """
        a, slope = np.empty_like(s), np.empty_like(s)
        _force(s, held, rho, self.low, self.high, self.soft, self.cap, a, slope)
        return a, slope

    def force_along(self, s: Array, ds: Array, t: float, held: Array, rho: Array) -> float:
        """Return sum_i ds_i a_i for the forces a of the smoothed loss at s + t ds."""
        return float(_force_along(s, ds, t, held, rho, self.low, self.high, self.soft, self.cap))

    def scaled_forces(self, a: Array, other: Loss) -> tuple[Array, float | None]:
        """Return forces of the loss `other` that are as large as `a`, relative to the caps, or to 1/soft without caps.

        Also return the factor between the two, or None if it is not the same for all examples.
        """
        if np.isfinite(self.cap).all():
            these, those = self.cap, other.cap
        else:
            these, those = other.soft, self.soft
        counted = these > 0.0
        times = np.divide(those, these, out=np.ones_like(those), where=counted)
        least = float(times.min(where=counted, initial=np.inf))
        if least == times.max(where=counted, initial=0.0):
            return least * a, least
        return np.where(a > 0.0, a * times[0], a * times[1]), None

    def distance_to_kink(self, s: Array, a: Array) -> Array:
        """Return the distance of each margin from the nearest kink; 0 if the force lies between the kink's two
        limits."""
        nearest = np.minimum(np.abs(s - self.low), np.abs(s - self.high))
        return np.where(((a > 0.0) & (a < self.cap[0])) | ((a < 0.0) & (-a < self.cap[1])), 0.0, nearest)

    def forces_off_kinks(self, s: Array) -> Array:
        """Return the forces of a kinked loss at margins that are not on a kink."""
        return np.where(s < self.low, self.cap[0], 0.0) - np.where(s > self.high, self.cap[1], 0.0)

    def clip(self, a: Array) -> Array:
        """Return the nearest forces in the conjugate's domain."""
        return np.clip(a, -self.cap[1], self.cap[0])

    def value_and_disagreement(self, s: Array, a: Array) -> tuple[float, float]:
        """Return sum_i loss(s_i), and the disagreement sum_i [loss(s_i) + loss*(-a_i) + a_i s_i].

        No term of the disagreement is negative, and a term is zero if and only if a_i is a force of the loss at s_i.
        """
        value, disagreement = _value_and_disagreement(s, a, self.low, self.high, self.soft, self.cap)
        return float(value), float(disagreement)

    def ascended(self, K: Array, signs: Array, s: Array, a: Array, rounds: int) -> Array:
        """Return forces with a larger dual value than `a`, by rounds in which one force at a time is maximised.

        K are the kernel values among the examples with labels `signs`, and s their margins at `a`. The dual value is
        sum_i -loss*(-a_i) - 1/2 ||sum_i a_i y_i phi(x_i)||^2, plus terms that are linear in a.
        """
        a, s = a.copy(), s.copy()
        _ascend(K, signs, s, a, long_enough(np.diagonal(K)), self.low, self.high, self.soft, self.cap, rounds)
        return a

    def conjugate(self, a: Array) -> float:
        """Return sum_i loss*(-a_i)."""
        return 0.5 * float(np.where(a > 0.0, self.soft[0], self.soft[1]) @ np.square(a)) - self.linear(a)

    def linear(self, a: Array) -> float:
        """Return sum_i -loss*(-a_i) without its part that is quadratic in a."""
        high = self.high * float(np.minimum(a, 0.0).sum()) if np.isfinite(self.high) else 0.0
        return self.low * float(np.maximum(a, 0.0).sum()) + high

    def of(self, rows: Index | slice, share: float) -> Loss:
        """Return the loss of a sample of the examples that stands for all, and has `share` of their weight."""
        # NumPy orders the entries of a selection like those of a transpose: compiled loops would be compiled again.
        soft, cap = np.ascontiguousarray(self.soft[:, rows]), np.ascontiguousarray(self.cap[:, rows])
        return Loss(self.low, self.high, soft * share, cap / share)


def long_enough(squares: Array) -> Array:
    """Return the squared lengths, raised to a minimum above zero; a step for a longer row is an ascent, too."""
    return np.maximum(squares, NO_LENGTH * (float(squares.mean()) or 1.0))


def hinge(upper: Array) -> Loss:
    """Return the loss C_i (1 - s_i)_+ for C = `upper`."""
    nothing = np.zeros_like(upper)
    return Loss(1.0, np.inf, np.stack([nothing, nothing]), np.stack([upper, nothing]))


def tube(upper: Array, epsilon: float) -> Loss:
    """Return the loss C_i (|1 - s_i| - epsilon)_+ for C = `upper`."""
    return Loss(1.0 - epsilon, 1.0 + epsilon, np.zeros((2, len(upper))), np.stack([upper, upper]))


def band(below: Array, above: Array, theta: float) -> Loss:
    """Return the loss below_i (1 - theta - s_i)_+^2 + above_i (s_i - 1 - theta)_+^2."""
    soft = np.stack([0.5 / below, 0.5 / above])
    return Loss(1.0 - theta, 1.0 + theta, soft, np.full((2, len(below)), np.inf))


def squares(price: Array) -> Loss:
    """Return the loss price_i (1 - s_i)^2."""
    return band(price, price, 0.0)


@compiled(inline="always")
def _one_force(
    s: float, held: float, rho: float, low: float, high: float, soft_low: float, soft_high: float, cap_low: float,
    cap_high: float,
) -> float:  # fmt: skip
    """Return the force, as a sum of two terms of which at most one is nonzero: without branches, to be vectorised."""
    pushed = rho * held - s
    up = min(max(low + pushed, 0.0) / (rho + soft_low), cap_low)
    return up + max(min(high + pushed, 0.0) / (rho + soft_high), -cap_high)


@compiled()
def _force(
    s: Array, held: Array, rho: Array, low: float, high: float, soft: Array, cap: Array, a: Array, slope: Array,
) -> None:  # fmt: skip
    for i in range(len(s)):
        a[i] = _one_force(s[i], held[i], rho[i], low, high, soft[0, i], soft[1, i], cap[0, i], cap[1, i])
        if a[i] > 0.0 and a[i] < cap[0, i]:
            slope[i] = 1.0 / (rho[i] + soft[0, i])
        elif a[i] < 0.0 and -a[i] < cap[1, i]:
            slope[i] = 1.0 / (rho[i] + soft[1, i])
        else:
            slope[i] = 0.0


@compiled(fastmath={"reassoc", "contract"})
def _ascend(
    K: Array, signs: Array, s: Array, a: Array, rho: Array, low: float, high: float, soft: Array, cap: Array,
    rounds: int,
) -> None:  # fmt: skip
    for _ in range(rounds):
        for i in range(len(a)):
            found = _one_force(s[i], a[i], rho[i], low, high, soft[0, i], soft[1, i], cap[0, i], cap[1, i])
            change = signs[i] * (found - a[i])
            if change != 0.0:
                a[i] = found
                for j in range(len(a)):
                    s[j] += signs[j] * (K[i, j] * change)


@compiled(fastmath={"reassoc", "contract"})
def _force_along(
    s: Array, ds: Array, t: float, held: Array, rho: Array, low: float, high: float, soft: Array, cap: Array,
) -> float:  # fmt: skip
    soft_low, soft_high, cap_low, cap_high = soft[0], soft[1], cap[0], cap[1]
    total = 0.0
    for i in range(len(s)):
        at = s[i] + t * ds[i]
        total += ds[i] * _one_force(at, held[i], rho[i], low, high, soft_low[i], soft_high[i], cap_low[i], cap_high[i])
    return total


@compiled()
def _price(away: float, soft: float, cap: float) -> float:
    """Return the loss of a margin `away` beyond an end."""
    return 0.5 * away * away / soft if soft > 0.0 else cap * away if away > 0.0 else 0.0


@compiled()
def _one_sided(away: float, a: float, soft: float, cap: float) -> float:
    """Return loss + loss*(-a) + as for a >= 0 on one side and a margin `away` beyond that side's end (negative inside).

    Products in place of differences avoid cancellation.
    """
    if soft > 0.0:
        if away > 0.0:
            return 0.5 * (away - soft * a) ** 2 / soft
        return 0.5 * soft * a * a - a * away
    return (cap - a) * away if away > 0.0 else -a * away


@compiled()
def _value_and_disagreement(
    s: Array, a: Array, low: float, high: float, soft: Array, cap: Array,
) -> tuple[float, float]:  # fmt: skip
    value = disagreement = 0.0
    for i in range(len(s)):
        price = 0.0
        if s[i] < low:
            price = _price(low - s[i], soft[0, i], cap[0, i])
        elif s[i] > high:
            price = _price(s[i] - high, soft[1, i], cap[1, i])
        value += price
        if a[i] > 0.0:
            disagreement += _one_sided(low - s[i], a[i], soft[0, i], cap[0, i])
            if s[i] > high:
                disagreement += price
        elif a[i] < 0.0:
            disagreement += _one_sided(s[i] - high, -a[i], soft[1, i], cap[1, i])
            if s[i] < low:
                disagreement += price
        else:
            disagreement += price
    return value, disagreement
