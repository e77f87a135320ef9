"""The papers' bounds, evaluated for a fitted model. A bound of 1 or more is marked as vacuous.

Each keeps the norm of its own statement, which is not always that of geometric margins. The theorems of LDM, MSVM_Av
and mcODM speak of a kernel without a separate bias: of `norm_`, with the weight of the constant feature. PUMMA's speaks
of hyperplanes (w, b) with a free b, and its norm leaves b out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mdcore.margins.distribution import MarginDistribution
from mdcore.solvers.arrays import Array

DELTA = 0.05  # the probability that a bound fails


CONFIDENCE = "√(ln(4n/δ)/2n)"


@dataclass(frozen=True)
class Bound:
    """A bound `value` on an error probability; `terms` are its summands (or factors) by name."""

    name: str
    value: float
    terms: dict[str, float]

    @property
    def vacuous(self) -> bool:
        return not self.value < 1.0


def leave_one_out(beta: Array, upper: Array, h: float, weight: Array | None = None) -> Bound:
    """Return the bound of LDM, Theorem 3: (h * sum of the free dual variables + number of dual variables at C) / m.

    h is max diag H, or an upper bound of it. The theorem bounds the leave-one-out error of the training sample, whose
    expectation is the error probability. The proof omits the hinge loss of the left-out example, but keeps its
    contribution to the mean and the variance of the margins, Eq. (20): with a large lambda1 and few examples, fits to
    m - 1 examples may err slightly more often. An example with weight k counts as k examples that share its dual
    variable.
    """
    w = np.ones(len(beta)) if weight is None else weight
    at_bound = beta >= upper
    free = beta[(beta > 0.0) & ~at_bound].sum()
    terms = {"h": h, "free": float(h * free / w.sum()), "at C": float(w[at_bound].sum() / w.sum())}
    return Bound("LDM, Theorem 3", terms["free"] + terms["at C"], terms)


def semivariance_bound(margins: MarginDistribution, norm: float, diagonal: Array, *, linear: bool) -> Bound:
    """Return the bound of MSVM_Av, Theorem 1, from three terms.

    These are SV/mean^2, the Rademacher complexity over mean^2, and the confidence term sqrt(ln(4n/delta)/2n). The
    complexity of {w: ||w|| <= Lambda} is r Lambda / sqrt(n) for linear functions on a ball of radius r, and
    2 Lambda / n * (sum_i k(x_i, x_i))^(1/2) with a kernel; `norm` and `diagonal` are those of the kernel with its
    constant feature. The constants of the O(.) are unknown, so the sum is not a proven bound: it is shown with its
    terms, and counts as vacuous from 1 on.
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
    """A bound `value` on a number of updates, for any order of the examples; `terms` are its parts by name."""

    name: str
    value: float
    terms: dict[str, float]


def update_bound(*, p: float, delta: float, R: float, margin: float) -> CountBound:
    """Return the bound of PUMMA, Theorem 2: at most 2 (p-1) R^2 ||u||_q^2 / delta^2 updates, R = max ||x||_p.

    (u, b) is any hyperplane with y (u.x + b) >= 1 for all examples; a hyperplane with p-norm margin `margin` has
    ||u||_q = 1 / margin. Without a positive margin the bound is infinite.

    The constant is as printed. The proof uses Lemma 6, which assumes ||z||_p <= sqrt(2) R, but only
    ||x_pos - x_neg||_p <= 2 R holds, and single updates gain less than the lemma states. The proof therefore gives
    twice the bound, which is the term "proved".
    """
    norm = 1.0 / margin if margin > 0.0 else np.inf
    ratio = R * norm / delta
    value = 2.0 * (p - 1.0) * ratio * ratio  # overflows to inf; ** would raise
    return CountBound("PUMMA, Theorem 2", value, {"R": R, "‖u‖": norm, "proved": 2.0 * value})


def multiclass_bound(margins: MarginDistribution, norm: float, radius: float, k: int, theta: float) -> Bound:
    """Return the bound of mcODM, Theorem 1.

    The bound 1/m sum Phi(g_i) + 16 r Lambda / (1 - theta) sqrt(2 pi k / m) + 3 sqrt(ln(2/delta) / (2m)) holds with
    probability 1 - delta = 0.95 for sum_l ||w_l||^2 <= Lambda^2 and k(x, x) <= r^2. Phi(z) is one for an error,
    ((z - 1 + theta) / (1 - theta))^2 between 0 and 1 - theta, and zero above. Lambda and r are the norm of the model
    and the radius of the data, both with the constant feature.
    """
    if margins.scale != "functional":
        raise ValueError(f"the bound needs functional margins; got margins on the {margins.scale} scale.")
    g, m = margins.values, len(margins)
    short = np.clip((1.0 - theta - g) / (1.0 - theta), 0.0, 1.0)
    terms = {
        "loss": float(np.mean(np.where(g <= 0.0, 1.0, short**2))),
        "complexity": float(16.0 * radius * norm / (1.0 - theta) * np.sqrt(2.0 * np.pi * k / m)),
        "confidence": float(3.0 * np.sqrt(np.log(2.0 / DELTA) / (2.0 * m))),
    }
    return Bound("mcODM, Theorem 1", sum(terms.values()), terms)
