"""ODM against libodm, its authors' library, if MARGIN_LAB_LIBODM names a built copy.

libodm has its default tolerance on the projected gradient; ours is chosen such that both come equally near to the
optimum, and each row reports how far both are above a lower bound. For libodm only the training is timed, without the
conversion of the rows; for ours, the whole fit. Either both sides have a constant feature, or neither has a bias.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_classification, make_moons

from benchmarks.linear import dense
from benchmarks.timing import Row, processor_seconds
from mdcore import METHODS, ODM
from mdcore.spaces.kernels import Kernel

Array = NDArray[np.float64]

VARIABLE = "MARGIN_LAB_LIBODM"
NOT_BUILT = f"libodm is not built: CONTRIBUTING.md tells how to name it in {VARIABLE}"
SIZES = (300, 1000, 2000, 4000)
MANY = 100_000
LAMBDAS = (1.0, 32.0, 1024.0)
SETTINGS = 6
EPS = 0.01  # libodm's default
TOL = 1e-5
LINEAR, RBF = 0, 2  # the constants of odm.h


def rows() -> Iterator[Row]:
    path = os.environ.get(VARIABLE)
    peer = Libodm(path) if path else None
    for m in SIZES:
        for lam in LAMBDAS:
            yield _over_settings(f"ODM, rbf, λ = {lam:g}, m = {m:,}", peer, list(_kernel_cases(m, lam)))
    X, y, *_ = dense(MANY)
    for lam in LAMBDAS:
        yield _over_settings(f"ODM, linear, λ = {lam:g}, {MANY:,} × 50", peer, [Case(X, y, lam, 0.4, 0.4, None)])


@dataclass(frozen=True, eq=False)
class Case:
    """A problem. Without gamma, the kernel is linear and libodm gets a constant feature as its last one."""

    X: Array
    y: Array
    lam: float
    mu: float
    theta: float
    gamma: float | None

    @property
    def parameters(self) -> dict[str, float]:
        return {"lam": self.lam, "mu": self.mu, "theta": self.theta}

    def ours(self) -> ODM:
        if self.gamma is None:
            return ODM(**self.parameters, kernel="linear", tol=TOL).fit(self.X, self.y)
        return ODM(**self.parameters, gamma=self.gamma, fit_intercept=False, tol=TOL).fit(self.X, self.y)

    def objective(self, found: Array) -> float:
        """Return the objective at libodm's weights or at its coefficients of the examples."""
        if self.gamma is None:
            margins, square = self.y * (self.X @ found[:-1] + found[-1]), found @ found
        else:
            scores = Kernel("rbf", self.gamma, bias=False)(self.X, self.X) @ found
            margins, square = self.y * scores, found @ scores
        return METHODS["odm"].objective(margins, float(np.sqrt(square)), **self.parameters)


def _kernel_cases(m: int, lam: float) -> Iterator[Case]:
    rng = np.random.default_rng(0)
    for i in range(SETTINGS):
        mu, theta = rng.choice([0.2, 0.4, 0.6, 0.8], 2)
        gamma, noise = 10 ** rng.uniform(-1.5, 1.0), rng.choice([0.1, 0.2, 0.4])
        if i % 2:
            X, y = make_moons(m, noise=noise, random_state=i)
        else:
            X, y = make_classification(m, 10, flip_y=noise / 4, random_state=i)
            gamma /= 10
        yield Case(X, np.where(y > 0, 1.0, -1.0), lam, mu, theta, gamma)


def _over_settings(what: str, peer: Libodm | None, cases: Sequence[Case]) -> Row:
    ours, ratios, above, theirs_above = [], [], [], []
    for case in cases:
        seconds, model = processor_seconds(case.ours)
        ours.append(seconds)
        above.append(model.gap_)
        if peer is not None:
            bound = model.objective_ * (1.0 - model.gap_)
            theirs, found = processor_seconds(peer.training(case))
            ratios.append(theirs / seconds)
            theirs_above.append(case.objective(found) / bound - 1.0)
    middle = 1e3 * median(ours)
    if peer is None:
        return Row(what, "libodm", middle, np.nan, NOT_BUILT)
    quality = f"at most {max(above):.0e} above the optimum, libodm {min(theirs_above):.0e} to {max(theirs_above):.0e}"
    if len(cases) > 1:
        quality += f"; median of {len(cases)} settings of γ, μ, θ and noise, the smallest is {min(ratios):.2g}"
    return Row(what, "libodm", middle, middle * median(ratios), quality, 1.0)


class _Node(ctypes.Structure):
    _fields_ = (("index", ctypes.c_int), ("value", ctypes.c_double))


class _Problem(ctypes.Structure):
    _fields_ = (
        ("m", ctypes.c_int),
        ("d", ctypes.c_int),
        ("bias", ctypes.c_int),
        ("y", ctypes.c_void_p),
        ("x", ctypes.c_void_p),
    )


class _Parameter(ctypes.Structure):
    _fields_ = (
        ("solver", ctypes.c_int),
        ("kernel", ctypes.c_int),
        ("lam", ctypes.c_double),
        ("mu", ctypes.c_double),
        ("theta", ctypes.c_double),
        ("degree", ctypes.c_int),
        ("gamma", ctypes.c_double),
        ("coef0", ctypes.c_double),
        ("frequency", ctypes.c_int),
        ("eps", ctypes.c_double),
    )


class _Model(ctypes.Structure):
    _fields_ = (
        ("m", ctypes.c_int),
        ("d", ctypes.c_int),
        ("bias", ctypes.c_int),
        ("parameter", _Parameter),
        ("w", ctypes.POINTER(ctypes.c_double)),
        ("support", ctypes.c_int),
        ("rows", ctypes.POINTER(ctypes.c_void_p)),
        ("coefficients", ctypes.POINTER(ctypes.c_double)),
    )


class Libodm:
    """The shared library at a path, with its default solver, coordinate descent, which is its only one for kernels."""

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path)
        self._library.train.restype = ctypes.POINTER(_Model)
        self._silent = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda text: None)
        self._library.set_print_string_function(self._silent)

    def training(self, case: Case) -> Callable[[], Array]:
        """Return a function that trains on the case; the rows are already converted to libodm's format."""
        X = np.column_stack([case.X, np.ones(len(case.X))]) if case.gamma is None else case.X
        m, d = X.shape
        nodes = np.zeros((m, d + 1), dtype=np.dtype(_Node))
        nodes["index"][:, :d], nodes["value"][:, :d], nodes["index"][:, d] = np.arange(1, d + 1), X, -1
        starts = nodes.ctypes.data + nodes.strides[0] * np.arange(m, dtype=np.uint64)
        y = np.ascontiguousarray(case.y, dtype=np.float64)
        problem = _Problem(m, d, 0, y.ctypes.data, starts.ctypes.data)
        problem.kept = nodes, starts, y
        kernel, gamma = (LINEAR, 1.0) if case.gamma is None else (RBF, case.gamma)
        parameter = _Parameter(0, kernel, case.lam, case.mu, case.theta, 1, gamma, 0.0, 1, EPS)

        def train() -> Array:
            found = self._library.train(ctypes.byref(problem), ctypes.byref(parameter))
            try:
                model = found.contents
                if case.gamma is None:
                    return np.array(model.w[:d])
                coefficients = np.zeros(m)
                at = np.array(model.rows[: model.support], dtype=np.uint64)
                coefficients[np.searchsorted(starts, at)] = model.coefficients[: model.support]
                return coefficients
            finally:
                self._library.free_and_destroy_model(ctypes.byref(found))

        return train
