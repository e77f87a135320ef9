"""The papers' bounds, evaluated for a fitted model. A bound above 1 says nothing, and says so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.margin import MarginDistribution

Array = NDArray[np.float64]

DELTA = 0.05  # the probability with which a bound may fail


CONFIDENCE = "√(ln(4n/δ)/2n)"


@dataclass(frozen=True)
class Bound:
    """`value` bounds an error probability; `terms` are its summands (or factors) by name."""

    name: str
    value: float
    terms: dict[str, float]

    @property
    def vacuous(self) -> bool:
        return not self.value < 1.0


def leave_one_out(beta: Array, upper: Array, h: float, weight: Array | None = None) -> Bound:
    """LDM, Theorem 3: (h * sum of the free dual variables + number of those at C) / m, h = max diag H or more.

    It bounds the leave-one-out error of the training sample, whose expectation is the error probability. The proof
    leaves out the hinge loss of an example and keeps its place in the mean and the variance of the margins, Eq. (20):
    with a large lambda1 and few examples, fits to m - 1 of them may err slightly more often. An example of weight k
    counts as k examples that share its dual variable.
    """
    w = np.ones(len(beta)) if weight is None else weight
    at_bound = beta >= upper
    free = beta[(beta > 0.0) & ~at_bound].sum()
    terms = {"h": h, "free": float(h * free / w.sum()), "at C": float(w[at_bound].sum() / w.sum())}
    return Bound("LDM, Theorem 3", terms["free"] + terms["at C"], terms)


def semivariance_bound(margins: MarginDistribution, norm: float, diagonal: Array, *, linear: bool) -> Bound:
    """MSVM_Av, Theorem 1: SV/mean^2, the Rademacher term over mean^2, and the confidence term sqrt(ln(4n/delta)/2n).

    The complexity of {w: ||w|| <= Lambda} is r Lambda / sqrt(n) for linear functions on a ball of radius r, and
    2 Lambda / n * (sum_i k(x_i, x_i))^(1/2) with a kernel. The constants of the O(.) are unknown, so the sum is not a
    proven number: it is shown as its terms, vacuous as soon as they reach 1.
    """
    n = len(diagonal)
    if linear:
        rademacher = float(np.sqrt(diagonal.max()) * norm / np.sqrt(n))
    else:
        rademacher = float(2.0 * norm / n * np.sqrt(diagonal.sum()))
    if margins.mean <= 0.0:
        return Bound("MSVM_Av, Theorem 1", np.inf, {"SV/mean²": np.inf, "complexity/mean²": np.inf, CONFIDENCE: np.inf})
    terms = {
        "SV/mean²": margins.semivariance / margins.mean**2,
        "complexity/mean²": rademacher / margins.mean**2,
        CONFIDENCE: float(np.sqrt(np.log(4.0 * n / DELTA) / (2.0 * n))),
    }
    return Bound("MSVM_Av, Theorem 1", sum(terms.values()), terms)


@dataclass(frozen=True)
class CountBound:
    """`value` bounds a number of updates, whatever the order of the examples."""

    name: str
    value: float
    terms: dict[str, float]


def update_bound(*, p: float, delta: float, R: float, margin: float) -> CountBound:
    """PUMMA, Theorem 2: at most 2 (p-1) R^2 ||u||_q^2 / delta^2 updates, R = max ||x||_p.

    (u, b) is any hyperplane with y (u.x + b) >= 1 for all examples; one of p-norm margin `margin` has
    ||u||_q = 1 / margin. Without a positive margin there is no bound.

    The constant is the printed one. Its Lemma 6 takes ||z||_p for at most sqrt(2) R, but only
    ||x_pos - x_neg||_p <= 2 R holds, and single updates gain less than the lemma says; what its proof gives is twice
    the bound, the term "proved".
    """
    norm = 1.0 / margin if margin > 0.0 else np.inf
    ratio = R * norm / delta
    value = 2.0 * (p - 1.0) * ratio * ratio  # inf where it is too large for a float; a power would not return
    return CountBound("PUMMA, Theorem 2", value, {"R": R, "‖u‖": norm, "proved": 2.0 * value})


def multiclass_bound(margins: MarginDistribution, norm: float, radius: float, k: int, theta: float) -> Bound:
    """mcODM, Theorem 1: 1/m sum Phi(g_i) + 16 r Lambda / (1 - theta) sqrt(2 pi k / m) + 3 sqrt(ln(2/delta) / (2m)).

    It holds with probability 1 - delta = 0.95 for sum_l ||w_l||^2 <= Lambda^2 and k(x, x) <= r^2; Phi(z) is one for an
    error, ((z - 1 + theta) / (1 - theta))^2 between 0 and 1 - theta, zero above. Taken at the norm and radius found.
    """
    if margins.scale != "functional":
        raise ValueError(f"the bound is one of functional margins; got margins on the {margins.scale} scale.")
    g, m = margins.values, len(margins)
    short = np.clip((1.0 - theta - g) / (1.0 - theta), 0.0, 1.0)
    terms = {
        "empirical loss": float(np.mean(np.where(g <= 0.0, 1.0, short**2))),
        "complexity": float(16.0 * radius * norm / (1.0 - theta) * np.sqrt(2.0 * np.pi * k / m)),
        "confidence": float(3.0 * np.sqrt(np.log(2.0 / DELTA) / (2.0 * m))),
    }
    return Bound("mcODM, Theorem 1", sum(terms.values()), terms)
