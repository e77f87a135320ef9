"""A test of whether a hyperplane separates two classes: yes, no, or undecidable at working precision."""

from __future__ import annotations

import numpy as np

from mdcore.solvers.arrays import Array
from mdcore.solvers.box_qp import solve_box_qp
from mdcore.solvers.certificate import EPS, expansion

GROWTHS = 40
NOTHING = 1e-12  # length of the weighted mean, as a share of the data's radius, below which a larger C does not help
SHARES = (0.0, 1e-6, 1e-3, 0.1)  # examples below this share of the largest weight are left out of a proof, by turns
ASKED = "C = ∞ requires a hard margin, but "
REMEDY = ": choose a finite C, or a more flexible kernel (a larger γ)."


class NotSeparable(ValueError):
    """Raised if a hard margin is requested and no hyperplane separates the classes."""


class Undecided(ValueError):
    """Raised if a hard margin is requested and rounding hides whether a hyperplane separates the classes."""


def require_separable(K: Array, units: float, dimension: float | None) -> None:
    """Raise NotSeparable or Undecided unless a hyperplane certainly separates the classes; K = YGY.

    `units` is the error of an entry of K, in rounding errors. `dimension` is the dimension of the span of all feature
    vectors: inf if the vectors of different rows are linearly independent, None if unknown. The soft-margin problem
    with growing C leads to one of two certificates: a w with positive margins, or a convex combination of the signed
    examples that is nearly zero.
    """
    m, lengths = len(K), np.sqrt(np.maximum(np.diagonal(K), 0.0))
    radius = float(lengths.max())
    C, start = 10.0 / radius**2 if radius > 0.0 else 1.0, None
    for _ in range(GROWTHS):
        qp = solve_box_qp(K, -np.ones(m), np.full(m, C), start=start, tol=1e-9)
        w = expansion(K, qp.b, lengths, units)
        if (w.scores > w.blur).all():
            return
        length = float(np.sqrt(w.most)) / qp.b.sum()
        if dimension is not None and np.isfinite(dimension) and _hulls_meet(K, qp.b, w.most, int(dimension)):
            raise NotSeparable(f"{ASKED}no hyperplane separates the two classes with this kernel{REMEDY}")
        if length <= NOTHING * radius:
            break
        C, start = 8.0 * C, qp.b
    exact = "their distance is" if dimension == np.inf else "whether they are separable depends on differences"
    raise Undecided(f"{ASKED}the classes are too close together: {exact} below working precision{REMEDY}")


def _hulls_meet(K: Array, b: Array, square: float, dimension: int) -> bool:
    """Return whether positive weights near b certainly exist for which the signed examples sum to zero.

    With weights b the sum is z, ||z||^2 <= `square`, in the span of the examples with b_i > 0. If this span is the
    whole space, and the examples are more than its dimension, then weights at a distance of at most ||z|| over the
    examples' least nonzero singular value make the sum zero. If the distance is below the least b_i, none of the
    weights is negative.
    """
    for share in SHARES:
        kept = np.flatnonzero(b > share * b.max())
        values = np.linalg.eigvalsh(K[np.ix_(kept, kept)])
        rounding = 10.0 * EPS * len(kept) * max(values[-1], 0.0)
        rank = int((values > rounding).sum())
        if rank != dimension or rank == len(kept):
            continue
        left_out = float(b[b <= share * b.max()] @ np.sqrt(np.maximum(np.diagonal(K)[b <= share * b.max()], 0.0)))
        distance = (float(np.sqrt(square)) + left_out) / np.sqrt(values[len(kept) - rank] - rounding)
        if distance < b[kept].min():
            return True
    return False
