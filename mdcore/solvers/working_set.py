"""min_b 1/2 b'Hb - e'b over 0 <= b <= u, H = YKY, from columns of K made when they are needed: the SVM of many rows.

Only examples that violate their conditions ask for their columns, a batch at a time. Among those that are there, pairs
of coordinates are moved, the most promising first (Fan, Chen, Lin 2005; without an offset Steinwart, Hush, Scovel
2011); what is settled at a bound is left out. Once pairs no longer change who is at a bound, a Newton step on the free
coordinates is quicker. Where pairs get nowhere, as with a large C, all coordinates in question are solved for at once;
of many, in explicit features first, if a few span the rows.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.box_qp import Certificate, QPSolution, solve_box_qp
from mdcore.solvers.budget import heed_stop, over_budget
from mdcore.solvers.compiled import compiled
from mdcore.solvers.explicit import solve_explicit
from mdcore.solvers.features import Features
from mdcore.solvers.linalg import NotPositiveDefinite, add_to_diagonal, cholesky, cholesky_solve
from mdcore.solvers.losses import hinge
from mdcore.solvers.margin_newton import MarginProblem

Array = NDArray[np.float64]
Index = NDArray[np.intp]

BATCH = 128  # columns to ask for at the least
GROWTH, FASTER_GROWTH = 0.5, 1.0  # their number as a share of those that are there, and once pairs got nowhere
SIMILAR, LESS_SIMILAR = 0.5, 0.1  # share of the worst violation from which an example asks for its column,
SHORT, LESS_IF_SHORT = 6000, 0.2  # and below so many rows, where a column is quickly made
FURTHER = 0.1  # share of it to which pairs are moved
STEPS, FEWER_STEPS = 8.0, 0.3  # pairs for each coordinate in question, after which pairs get nowhere, once and again
SAME = 1e-10  # share of H_ii H_jj that a determinant of two coordinates has at the least
DENSE = 1000.0  # multiplications of a factorisation that take as long as one row's part in a pair
NO_LENGTH = 1e-300
RIDGE = 1e-12
AT_LOWER, FREE, AT_UPPER = range(3)
FEW, LARGEST = 1000, 6000  # coordinates that are solved for at once before features are tried, and at all
PATIENCE = 2  # times that those in question are solved for, and others stray, before all at hand are
MOST_FEATURES, ROWS_PER_FEATURE = 600, 4
SPAN_TOL = 1e-10
LAST_DIGITS = 1e-6  # a tolerance below which the solution is solved for at once at the end


class Columns(Protocol):
    """Columns of K, those at hand in the rows of `held`: that of example i in row `place`[i], -1 where it is not."""

    held: Array
    place: Index
    diagonal: Array

    @property
    def is_whole(self) -> bool:
        """Whether `held` is K as it is."""
        ...

    def fetch(self, wanted: Index, needed: Index) -> None:
        """Make columns; those neither wanted nor needed may have to make room."""
        ...

    def product(self, a: Array) -> Array:
        """Return Ka."""
        ...

    def root(self, most: int) -> Array | None:
        """Return Z with ZZ' = K at working precision; None where that takes more than so many columns."""
        ...


def solve_by_columns(
    columns: Columns,
    y: Array,
    upper: Array,
    *,
    certificate: Certificate,
    start: Array | None,
    tol: float,
    max_iter: int,
) -> QPSolution:
    """Return the minimiser; `certificate(b, gradient) -> (gap, scale)` is the caller's."""
    b = np.zeros(len(y)) if start is None else np.clip(start, 0.0, upper)
    g = y * columns.product(y * b) - 1.0
    shuffled = np.random.default_rng(0).permutation(len(y))
    n_iter, at_once, steps, digits_left = 0, 0, STEPS, tol < LAST_DIGITS
    face, similar = _face(b, upper), LESS_IF_SHORT if len(y) < SHORT else SIMILAR
    while True:
        gap, scale = certificate(b, g)
        done = gap <= tol * scale
        if (done and not digits_left) or n_iter >= max_iter or over_budget():
            break
        heed_stop()
        n_iter += 1
        violation = np.where(g < 0.0, np.where(b < upper, -g, 0.0), np.where(b > 0.0, g, 0.0))
        worst = float(violation.max())
        known = columns.place >= 0
        hard = steps < STEPS
        alike, growth = (LESS_SIMILAR, FASTER_GROWTH) if hard else (similar, GROWTH)
        asking = shuffled[((violation >= alike * worst) & ~known)[shuffled]]
        in_question = (violation > 0.0) | ((b > 0.0) & (b < upper)) | (np.abs(g) < worst)
        columns.fetch(asking[: max(BATCH, int(growth * known.sum()))], np.flatnonzero(in_question & known))
        W = np.flatnonzero(in_question & (columns.place >= 0))
        most = int(steps * len(W)) + BATCH
        enough = FURTHER * worst
        moved = _move_pairs(columns.held, columns.place, W, y, columns.diagonal, upper, b, g, enough, most)
        stuck = moved == most
        left, face = face, _face(b, upper)
        if not stuck and not done:
            F = np.flatnonzero((face == FREE) & (columns.place >= 0))
            settled = not len(asking) and (face == left).all()
            if settled and 0 < len(F) <= LARGEST and len(F) ** 3 <= DENSE * moved * len(y):
                _step_on_face(columns, F, y, upper, b, g)
            continue
        spanned = _solve_in_span(columns, y, upper) if stuck and not hard and len(W) > FEW else None
        if spanned is not None:
            b = spanned
        elif 0 < len(W) <= LARGEST:
            if at_once >= PATIENCE and (columns.place >= 0).sum() <= LARGEST:
                W = np.flatnonzero(columns.place >= 0)
            _solve_at_once(columns, W, y, upper, b, g, tol)
            at_once += 1
        g = y * columns.product(y * b) - 1.0
        digits_left = digits_left and not done
        steps = steps if not stuck else FEWER_STEPS
    g = y * columns.product(y * b) - 1.0  # without the rounding of all those steps
    gap, scale = certificate(b, g)
    relative = 0.0 if gap <= 0.0 else gap / scale if scale > 0.0 else np.inf
    return QPSolution(b, g, float(relative), max(n_iter, 1), bool(relative <= tol))


def _solve_in_span(columns: Columns, y: Array, upper: Array) -> Array | None:
    """Return the minimiser from explicit features, where a few span the rows to working precision."""
    Z = columns.root(min(MOST_FEATURES, len(y) // ROWS_PER_FEATURE))
    if Z is None:
        return None
    problem = MarginProblem(hinge(upper), np.full(len(y), 1.0 / len(y)))
    return solve_explicit(Features(Z), y, problem, tol=SPAN_TOL).point.a


def _face(b: Array, upper: Array) -> NDArray[np.int8]:
    """Say which coordinates are at 0, which at their upper bound, and which are free."""
    return np.where(b >= upper, AT_UPPER, np.where(b > 0.0, FREE, AT_LOWER)).astype(np.int8)


def _step_on_face(columns: Columns, F: Index, y: Array, upper: Array, b: Array, g: Array) -> None:
    """Minimise over the free coordinates F, in place, where the minimum is within their bounds."""
    H = columns.held[columns.place[F]].take(F, axis=1)
    H *= y[F]
    H *= y[F, None]
    add_to_diagonal(H, RIDGE * float(columns.diagonal.max()))
    try:
        reached = b[F] - cholesky_solve(cholesky(H), g[F])
    except NotPositiveDefinite:
        return
    if (reached > 0.0).all() and (reached < upper[F]).all():
        b[F] = reached
        g[:] = y * columns.product(y * b) - 1.0


def _solve_at_once(columns: Columns, W: Index, y: Array, upper: Array, b: Array, g: Array, tol: float) -> None:
    """Minimise over all coordinates in W at once, in place, the others held."""
    H = columns.held[columns.place[W]].take(W, axis=1)
    H *= y[W]
    H *= y[W, None]
    b[W] = solve_box_qp(H, g[W] - H @ b[W], upper[W], start=b[W], tol=min(0.1 * tol, LAST_DIGITS)).b


@compiled()
def _move_pairs(held, place, W, y, diagonal, upper, b, g, enough, steps):  # type: ignore[no-untyped-def]
    """Minimise over one pair of coordinates in W after the other, in place, and return how many; at most `steps`.

    On the way all that is asked of W lies side by side; the other gradients follow at the end.
    """
    n, moved = len(W), 0
    signs, h, u, own = y[W], g[W], upper[W], diagonal[W]
    x, before = b[W], b[W]
    first, second, gain = np.empty(n), np.empty(n), np.empty(n)
    while moved < steps:
        if _gains_alone(h, x, u, own, gain) <= enough:
            break
        i = np.argmax(gain)
        _signed_row(held[place[W[i]]], W, signs, signs[i], first)
        most = gain[i]
        _gains_of_pairs(first, i, h, x, u, own, gain)
        j = np.argmax(gain)
        alone = gain[j] <= most
        j = i if alone else j
        s, t = _pair(h[i], h[j], own[i], own[j], first[j], x[i], x[j], u[i], u[j], alone)
        x[i] += s
        if alone:
            for k in range(n):
                h[k] += s * first[k]
        else:
            x[j] += t
            _signed_row(held[place[W[j]]], W, signs, signs[j], second)
            for k in range(n):
                h[k] += s * first[k] + t * second[k]
        moved += 1
    for k in range(n):
        if x[k] != before[k]:
            b[W[k]] = x[k]
            row, force = held[place[W[k]]], signs[k] * (x[k] - before[k])
            for l in range(len(g)):
                g[l] += y[l] * force * row[l]
    return moved


@compiled(inline="always")
def _signed_row(row, W, signs, sign, out):  # type: ignore[no-untyped-def]
    for k in range(len(W)):
        out[k] = sign * signs[k] * row[W[k]]


@compiled(fastmath={"reassoc", "nnan", "nsz"})
def _gains_alone(h, x, u, own, gain):  # type: ignore[no-untyped-def]
    """Write what moving each coordinate alone gains, and return the steepest slope along which one may move.

    Without a branch, for the sake of the vector units.
    """
    worst = 0.0
    for k in range(len(h)):
        slope = abs(h[k])
        room = u[k] - x[k] if h[k] < 0.0 else x[k]
        length = min(slope / max(own[k], NO_LENGTH), room)
        gain[k] = length * (slope - 0.5 * length * own[k])
        worst = max(worst, slope if room > 0.0 else 0.0)
    return worst


@compiled(fastmath={"reassoc", "nnan", "nsz"})
def _gains_of_pairs(product, i, h, x, u, own, gain):  # type: ignore[no-untyped-def]
    """Write what the way to the minimum over each coordinate and i gains, as if there were no bounds; 0 where it leads
    out of them at once."""
    slope, length = h[i], own[i]
    for k in range(len(h)):
        det = max(_det(length, own[k], product[k]), NO_LENGTH)
        ahead = product[k] * slope - length * h[k]  # the way k would go, times det
        ways = 0.5 * (slope * slope * own[k] - 2.0 * slope * h[k] * product[k] + h[k] * h[k] * length)
        may = (u[k] - x[k] if ahead > 0.0 else x[k]) > 0.0
        gain[k] = ways / det if may else 0.0
    gain[i] = 0.0


@compiled()
def _pair(gi, gj, hii, hjj, hij, bi, bj, ui, uj, alone):  # type: ignore[no-untyped-def]
    """Return the steps of two coordinates, or of the first alone, to the minimum within their bounds."""
    if alone:
        return _one(gi, hii, bi, ui), 0.0
    det = _det(hii, hjj, hij)
    s, t = (hij * gj - hjj * gi) / det, (hij * gi - hii * gj) / det
    s_in, t_in = min(max(s, -bi), ui - bi), min(max(t, -bj), uj - bj)
    if s == s_in and t == t_in:
        return s, t
    best, found_s, found_t = np.inf, 0.0, 0.0
    if s != s_in:
        t = _one(gj + hij * s_in, hjj, bj, uj)
        best = s_in * (gi + 0.5 * hii * s_in + hij * t) + t * (gj + 0.5 * hjj * t)
        found_s, found_t = s_in, t
    if t_in != (hij * gi - hii * gj) / det:
        s = _one(gi + hij * t_in, hii, bi, ui)
        if s * (gi + 0.5 * hii * s + hij * t_in) + t_in * (gj + 0.5 * hjj * t_in) < best:
            found_s, found_t = s, t_in
    return found_s, found_t


@compiled()
def _det(hii, hjj, hij):  # type: ignore[no-untyped-def]
    """Return the determinant of two coordinates, positive even where they are one: a long step then ends at a bound."""
    return max(hii * hjj - hij * hij, SAME * hii * hjj)


@compiled()
def _one(g, h, b, u):  # type: ignore[no-untyped-def]
    return min(max(-g / h, -b), u - b) if h > 0.0 else u - b if g < 0.0 else 0.0
