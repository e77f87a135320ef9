"""min_b 1/2 b'Hb - e'b over 0 <= b <= u, H = YKY, from columns of K computed on demand: the SVM for many rows.

Columns are requested in batches, and only for examples that violate their optimality conditions. Among the coordinates
with columns, pairs are moved, the most promising first (Fan, Chen, Lin 2005; without an offset Steinwart, Hush, Scovel
2011); coordinates settled at a bound are left out. Once pairs no longer change the active set, a Newton step on the
free coordinates is faster. If pairs get stuck, as with a large C, all coordinates in question are solved for at once;
if there are many, explicit features are tried first, in case a few of them span the rows.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.box_qp import Certificate, QPSolution, solve_box_qp
from mdcore.solvers.budget import over_budget, raise_if_stopped
from mdcore.solvers.compiled import compiled
from mdcore.solvers.explicit import solve_explicit
from mdcore.solvers.features import Features
from mdcore.solvers.linalg import NotPositiveDefinite, add_to_diagonal, cholesky, cholesky_solve
from mdcore.solvers.losses import hinge
from mdcore.solvers.margin_newton import MarginProblem

BATCH = 128  # columns that may be requested at once, however few are present
GROWTH, FASTER_GROWTH = 0.5, 1.0  # size of a batch relative to the columns present: at first, and once pairs got stuck
SIMILAR, LESS_SIMILAR = 0.5, 0.1  # share of the worst violation for which a column is requested: the same two cases
SHORT, LESS_IF_SHORT = 6000, 0.2  # with fewer rows, columns are quickly computed: this share replaces SIMILAR
FURTHER = 0.1  # share of the worst violation that is left when pairs end
STEPS, FEWER_STEPS = 8.0, 0.3  # moves per coordinate in question after which pairs count as stuck: once, and later
SAME = 1e-10  # least determinant of a pair, as a share of H_ii H_jj
DENSE = 1000.0  # multiplications in a factorisation that take as long as one row's share of a pair's move
NO_LENGTH = 1e-300
RIDGE = 1e-12
AT_LOWER, FREE, AT_UPPER = range(3)
FEW, LARGEST = 1000, 6000  # coordinates solved for at once: at most without trying features first, and at most
PATIENCE = 2  # solutions for the coordinates in question, after which all coordinates with columns are solved for
MOST_FEATURES, ROWS_PER_FEATURE = 600, 4  # largest number of explicit features, and least number of rows per feature
SPAN_TOL = 1e-10
LAST_DIGITS = 1e-6  # with a smaller tolerance, all coordinates in question are solved for at once at the end


class Columns(Protocol):
    """Columns of K, computed on demand.

    The columns present are the rows of `held`: that of example i is row `place[i]`, which is -1 if it is missing.
    """

    held: Array
    place: Index
    diagonal: Array

    @property
    def is_whole(self) -> bool:
        """Whether `held` is K itself."""
        ...

    def fetch(self, wanted: Index, needed: Index) -> None:
        """Compute the columns `wanted`; columns neither wanted nor needed may be evicted."""
        ...

    def product(self, a: Array) -> Array:
        """Return Ka."""
        ...

    def root(self, most: int) -> Array | None:
        """Return Z with ZZ' = K at working precision, or None if that takes more than `most` columns."""
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
    """Return the minimiser, starting from `start` if given; `certificate(b, gradient) -> (gap, scale)` measures the
    gap."""
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
        raise_if_stopped()
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
    g = y * columns.product(y * b) - 1.0  # without the rounding errors of the steps
    gap, scale = certificate(b, g)
    relative = 0.0 if gap <= 0.0 else gap / scale if scale > 0.0 else np.inf
    return QPSolution(b, g, float(relative), max(n_iter, 1), bool(relative <= tol))


def _solve_in_span(columns: Columns, y: Array, upper: Array) -> Array | None:
    """Return the minimiser from explicit features, or None if more than a few are needed to span the rows."""
    Z = columns.root(min(MOST_FEATURES, len(y) // ROWS_PER_FEATURE))
    if Z is None:
        return None
    problem = MarginProblem(hinge(upper), np.full(len(y), 1.0 / len(y)))
    return solve_explicit(Features(Z), y, problem, tol=SPAN_TOL).point.a


def _face(b: Array, upper: Array) -> NDArray[np.int8]:
    """Return for each coordinate whether it is at 0, free, or at its upper bound."""
    return np.where(b >= upper, AT_UPPER, np.where(b > 0.0, FREE, AT_LOWER)).astype(np.int8)


def _step_on_face(columns: Columns, F: Index, y: Array, upper: Array, b: Array, g: Array) -> None:
    """Minimise over the free coordinates F, in place; leave b unchanged if the minimum is not within the bounds."""
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
    """Minimise over all coordinates in W at once, in place, with the others fixed."""
    H = columns.held[columns.place[W]].take(W, axis=1)
    H *= y[W]
    H *= y[W, None]
    b[W] = solve_box_qp(H, g[W] - H @ b[W], upper[W], start=b[W], tol=min(0.1 * tol, LAST_DIGITS)).b


@compiled()
def _move_pairs(
    held: Array, place: Index, W: Index, y: Array, diagonal: Array, upper: Array, b: Array, g: Array, enough: float,
    steps: int,
) -> int:  # fmt: skip
    """Minimise over one pair of coordinates in W after another, in place, and return the number of moves.

    End when no slope of a movable coordinate exceeds `enough`, or after `steps` moves. Meanwhile the data of W are in
    contiguous arrays; the gradient of the other coordinates is updated at the end.
    """
    n, moved = len(W), 0
    signs, h, u, own = y[W], g[W], upper[W], diagonal[W]
    x, before = b[W], b[W]
    first, second, gain = np.empty(n), np.empty(n), np.empty(n)
    while moved < steps:
        if _gains_alone(h, x, u, own, gain) <= enough:
            break
        i = int(np.argmax(gain))
        _signed_row(held[place[W[i]]], W, signs, signs[i], first)
        most = gain[i]
        _gains_of_pairs(first, i, h, x, u, own, gain)
        j = int(np.argmax(gain))
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
def _signed_row(row: Array, W: Index, signs: Array, sign: float, out: Array) -> None:
    for k in range(len(W)):
        out[k] = sign * signs[k] * row[W[k]]


@compiled(fastmath={"reassoc", "nnan", "nsz"})
def _gains_alone(h: Array, x: Array, u: Array, own: Array, gain: Array) -> float:
    """Write the gain of moving each coordinate alone to `gain`, and return the steepest slope of a movable coordinate.

    Written without branches, so that it can be vectorised.
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
def _gains_of_pairs(product: Array, i: int, h: Array, x: Array, u: Array, own: Array, gain: Array) -> None:
    """Write to `gain` what minimising over each coordinate together with i would gain without bounds.

    The gain is 0 if the coordinate would leave its bounds at once.
    """
    slope, length = h[i], own[i]
    for k in range(len(h)):
        det = max(_det(length, own[k], product[k]), NO_LENGTH)
        ahead = product[k] * slope - length * h[k]  # step of coordinate k, times det
        ways = 0.5 * (slope * slope * own[k] - 2.0 * slope * h[k] * product[k] + h[k] * h[k] * length)
        may = (u[k] - x[k] if ahead > 0.0 else x[k]) > 0.0
        gain[k] = ways / det if may else 0.0
    gain[i] = 0.0


@compiled()
def _pair(
    gi: float, gj: float, hii: float, hjj: float, hij: float, bi: float, bj: float, ui: float, uj: float, alone: bool,
) -> tuple[float, float]:  # fmt: skip
    """Return the steps of two coordinates, or of the first alone, to the minimum within the bounds."""
    if alone:
        return _one(gi, hii, bi, ui), 0.0
    det = _det(hii, hjj, hij)
    if det == 0.0:  # a row of length 0, whose coordinate is independent of the other
        return _one(gi, hii, bi, ui), _one(gj, hjj, bj, uj)
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
def _det(hii: float, hjj: float, hij: float) -> float:
    """Return the determinant of a pair, kept positive even for identical rows: a long step then ends at a bound.

    It is 0 only if a row has length 0.
    """
    return max(hii * hjj - hij * hij, SAME * hii * hjj)


@compiled()
def _one(g: float, h: float, b: float, u: float) -> float:
    return min(max(-g / h, -b), u - b) if h > 0.0 else u - b if g < 0.0 else 0.0
