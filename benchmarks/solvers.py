"""LDM, ODM and MSVM_Av against general solvers of the same problem, and SVM against scikit-learn's SVC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cvxpy as cp
import numpy as np
import piqp
from numpy.typing import NDArray
from sklearn.svm import SVC

from benchmarks.timing import Row, measure
from mdcore import LDM, METHODS, ODM, SVM
from mdcore.data import fit_scaling, load_dataset
from mdcore.solvers.box_qp import box_certificate
from mdcore.solvers.changing_systems import SubsetSystem
from mdcore.solvers.ldm import dual_matrix
from mdcore.solvers.msvmav import KernelSteps
from mdcore.spaces.kernels import Kernel, resolve_gamma
from mdcore.spaces.space import KernelSpace

Array = NDArray[np.float64]

SIZES = (300, 1000, 2000)
LDM_PARAMS = {"lambda1": 1.0, "lambda2": 1.0, "C": 10.0}
ODM_PARAMS = {"lam": 256.0, "mu": 0.4, "theta": 0.2}
TIGHT = {"tol_gap_abs": 1e-9, "tol_gap_rel": 1e-9, "tol_feas": 1e-9}


@dataclass(frozen=True, eq=False)
class Problem:
    """Waveform data, one class against the rest (the classes overlap), with an rbf kernel of the average distance."""

    rows: Array
    y: Array
    kernel: Kernel

    @classmethod
    def of_size(cls, m: int) -> Problem:
        data = load_dataset("waveform", n=m, seed=0)
        rows = fit_scaling("standard", data.X).apply(data.X)
        return cls(rows, data.y.astype(float), Kernel("rbf", resolve_gamma("distance", rows)))

    def space(self) -> KernelSpace:
        """Return a new space with its Gram matrix computed, as the peers get it too."""
        space = KernelSpace(self.rows, self.kernel)
        _ = space.gram
        return space


def rows() -> Iterator[Row]:
    for m in SIZES:
        problem = Problem.of_size(m)
        yield from _ldm(problem)
        yield from _odm(problem)
        yield from _svm(problem)
        yield from _msvmav(problem)


def _ldm(problem: Problem) -> Iterator[Row]:
    m, y, G = len(problem.y), problem.y, problem.space().gram
    p = np.full(m, 1.0 / m)
    H_ms, H = measure(lambda _: dual_matrix(G, y, p, LDM_PARAMS["lambda1"]), repeat=3)
    cold_ms, model = measure(lambda space: LDM(**LDM_PARAMS).fit_space(space, y), problem.space)
    slow_ms, b = measure(lambda _: _clarabel_box(H, LDM_PARAMS), repeat=_few(m))
    goals = m == 1000
    yield Row(
        f"LDM cold, m = {m}",
        "cvxpy + Clarabel",
        cold_ms,
        H_ms + slow_ms,
        _gaps(model.gap_, _box_gap(H, b, LDM_PARAMS)),
        10.0 if goals else None,
    )
    piqp_ms, b = measure(lambda _: _piqp_box(H, LDM_PARAMS), repeat=3)
    quality = _gaps(model.gap_, _box_gap(H, b, LDM_PARAMS))
    yield Row(f"LDM cold, m = {m}", "PIQP (dense)", cold_ms, H_ms + piqp_ms, quality, 1.0 if goals else None)
    for name in ("lambda2", "lambda1", "C"):
        moved = LDM_PARAMS | {name: 2.0 * LDM_PARAMS[name]}

        def warm() -> tuple[KernelSpace, Any]:
            space = problem.space()
            return space, LDM(**LDM_PARAMS, warm_start=True).fit_space(space, y)

        def move(ready: tuple[KernelSpace, Any], moved: dict[str, float] = moved) -> Any:
            space, model = ready
            return model.set_params(**moved).fit_space(space, y)

        warm_ms, model = measure(move, warm, repeat=9)
        fresh = dual_matrix(G, y, p, moved["lambda1"])
        begun_ms, b = measure(lambda _, fresh=fresh, moved=moved: _clarabel_box(fresh, moved), repeat=_few(m))
        peer_ms = begun_ms + (H_ms if name == "lambda1" else 0.0)
        quality = _gaps(model.gap_, _box_gap(fresh, b, moved))
        goal = 50.0 if goals and name != "C" else None
        yield Row(f"LDM, {_symbol(name)} moved, m = {m}", "cvxpy + Clarabel", warm_ms, peer_ms, quality, goal)


def _odm(problem: Problem) -> Iterator[Row]:
    m, y = len(problem.y), problem.y
    cold_ms, model = measure(lambda space: ODM(**ODM_PARAMS).fit_space(space, y), problem.space)
    K = problem.space().gram * y * y[:, None]
    peer_ms, a = measure(lambda _: _clarabel_odm(K), repeat=_few(m))
    margins = K @ a
    reached = METHODS["odm"].objective(margins, float(np.sqrt(a @ margins)), **ODM_PARAMS)
    quality = f"gap {model.gap_:.0e}; objective {reached / model.objective_ - 1:+.0e} of ours"
    yield Row(f"ODM cold, m = {m}", "cvxpy + Clarabel", cold_ms, peer_ms, quality, 30.0 if m == 1000 else None)


def _svm(problem: Problem) -> Iterator[Row]:
    y = problem.y
    cold_ms, model = measure(lambda space: SVM(C=10.0).fit_space(space, y), problem.space)
    G = problem.space().gram
    peer_ms, _ = measure(lambda _: SVC(C=10.0, kernel="precomputed", tol=1e-6).fit(G, y))
    quality = f"gap {model.gap_:.0e}; SVC stops at 1e-6 and leaves the bias free"
    yield Row(f"SVM cold, m = {len(y)}", "scikit-learn SVC", cold_ms, peer_ms, quality)


def _msvmav(problem: Problem) -> Iterator[Row]:
    """Compare the linear systems of 100 steps: one updated factorisation against a new factorisation in each step."""
    y, steps = problem.y, KernelSteps.of(problem.space().gram)
    n, K = len(y), steps.K
    S = steps.B + n * np.eye(n)  # beta = 1

    def run(system: Any) -> Array:
        a = y / np.sqrt(y @ K @ y)
        for _ in range(100):
            f = K @ a
            g = y * f
            z = system.solve(g < g.mean(), g.mean() * y - f)
            a = a + z - steps.inverse @ z + y / (2.0 * n)
            a /= np.sqrt(a @ K @ a)
        return a

    ours_ms, a = measure(run, lambda: SubsetSystem(S), repeat=1)
    peer_ms, b = measure(run, lambda: _EachStep(S), repeat=1)
    drift = np.linalg.norm(a - b) / np.linalg.norm(b)
    yield Row(f"MSVM_Av, 100 kernel steps, n = {n}", "refactoring", ours_ms, peer_ms, f"drift {drift:.0e}", 1.0)


class _EachStep(SubsetSystem):
    """A system that discards its factorisation after every solve."""

    def solve(self, members: NDArray[np.bool_], r: Array) -> Array:
        self._base = None
        return super().solve(members, r)


def _clarabel_box(H: Array, params: dict[str, float]) -> Array:
    b = cp.Variable(len(H))
    q = params["lambda2"] / len(H) * H.sum(axis=1) - 1.0
    problem = cp.Problem(cp.Minimize(0.5 * cp.quad_form(b, cp.psd_wrap(H)) + q @ b), [b >= 0, b <= params["C"]])
    problem.solve(solver=cp.CLARABEL, **TIGHT)
    return np.clip(b.value, 0.0, params["C"])


def _piqp_box(H: Array, params: dict[str, float]) -> Array:
    m = len(H)
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-9
    q = params["lambda2"] / m * H.sum(axis=1) - 1.0
    nothing = np.zeros((0, m)), np.zeros(0)
    solver.setup(H, q, *nothing, np.zeros((0, m)), np.zeros(0), np.zeros(0), np.zeros(m), np.full(m, params["C"]))
    solver.solve()
    return np.clip(solver.result.x, 0.0, params["C"])


def _clarabel_odm(K: Array) -> Array:
    m, lam, mu, theta = len(K), ODM_PARAMS["lam"], ODM_PARAMS["mu"], ODM_PARAMS["theta"]
    z, b = cp.Variable(m, nonneg=True), cp.Variable(m, nonneg=True)
    k = m * (1.0 - theta) ** 2 / (4.0 * lam)
    cost = 0.5 * cp.quad_form(z - b, cp.psd_wrap(K)) + k * cp.sum_squares(z) + k / mu * cp.sum_squares(b)
    problem = cp.Problem(cp.Minimize(cost - (1.0 - theta) * cp.sum(z) + (1.0 + theta) * cp.sum(b)))
    problem.solve(solver=cp.CLARABEL, **TIGHT)
    return z.value - b.value


def _box_gap(H: Array, b: Array, params: dict[str, float]) -> float:
    q = params["lambda2"] / len(H) * H.sum(axis=1) - 1.0
    gap, scale = box_certificate(np.full(len(H), params["C"]), q)(b, H @ b + q)
    return gap / scale


def _gaps(ours: float, theirs: float) -> str:
    return f"gap {ours:.0e}, peer's {theirs:.0e}"


def _few(m: int) -> int:
    return 7 if m <= 1000 else 1


def _symbol(name: str) -> str:
    return next(p.symbol for p in METHODS["ldm"].params if p.name == name)
