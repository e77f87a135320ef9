"""Kernel functions, with the constant feature as part of the kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import comb
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.text import quoted
from mdcore.solvers.arrays import Array
from mdcore.solvers.linalg import symmetrise
from mdcore.solvers.rows import Matrix, squared_lengths
from mdcore.spec import Choice, Interval, Param, Slider

LongArray = NDArray[np.longdouble]
KernelName = Literal["rbf", "linear", "poly", "laplacian", "precomputed"]
KERNELS: tuple[KernelName, ...] = get_args(KernelName)
GAMMA_WORDS = ("scale", "distance", "abe")
GAMMA_DEFAULT = "scale"

GAMMA = Param(
    "gamma",
    "γ",
    1.0,
    Interval(0, np.inf, open_low=True, open_high=True),
    Slider(2**-10, 2**10, log=True),
    "Width of the rbf and laplacian kernels, scale of the polynomial: the larger γ, the more local the influence of "
    "one example. 'scale' is 1 / (number of features × variance); 'distance' is 1/(2δ²) with δ the average distance "
    "between two examples, the centre of the LDM paper's grid; 'abe' is 1 / number of features: Abe's papers divide "
    "every γ by it.",
)
DEGREE = Param(
    "degree", "degree", 3, Interval(1, 20), Slider(1, 8, step=1), "Degree of the polynomial kernel.", integer=True
)
COEF0 = Param(
    "coef0",
    "c₀",
    1.0,
    Interval(0, np.inf, open_high=True),
    Slider(0, 10, step=0.1),
    "Constant inside the polynomial kernel (γ⟨x, z⟩ + c₀)^degree; 0 keeps the terms of the highest degree only.",
)
BLOCK_ROWS = 128  # rows of a block that fits into the cache
MAX_FAST_EXPONENT = 100.0  # largest gamma ||x - centre||^2 for which products lose no more than two digits
KERNEL = Choice(
    "kernel",
    "kernel",
    "rbf",
    ("rbf", "linear", "poly", "laplacian"),
    "Shape of the boundary: linear, polynomial of a degree, or any shape (rbf: exp(-γ‖x-z‖²), laplacian: "
    "exp(-γ‖x-z‖₁)).",
)


@dataclass(frozen=True)
class Kernel:
    """`k(x, z)`, plus 1 with `bias`: a constant feature 1, regularised with the rest."""

    name: KernelName
    gamma: float = 1.0
    degree: int = 3
    coef0: float = 1.0
    bias: bool = True

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return the matrix of k(x_i, z_j)."""
        if self.name == "precomputed":
            return X + 1.0 if self.bias else X.copy()
        return self.of_pairs(self.pairs(X, Z))

    @property
    def family(self) -> str:
        """What the kernel depends on, for each pair of rows: kernels of one family differ in their parameters only."""
        return {"rbf": "sqeuclidean", "laplacian": "cityblock"}.get(self.name, "product")

    def pairs(self, X: Array, Z: Array) -> Array:
        """Return the distances or products of the rows, from which `of_pairs` computes every kernel of the family."""
        from scipy.spatial.distance import cdist

        return np.asarray(X @ Z.T if self.family == "product" else cdist(X, Z, self.family))

    def of_pairs(self, pairs: Array) -> Array:
        """Return the kernel values of `pairs`, which are overwritten."""
        values = self._power(pairs) if self.name == "poly" else pairs
        if self.family != "product":
            values *= -self.gamma
            np.exp(values, out=values)
        if self.bias:
            values += 1.0
        return values

    def gram(self, X: Array) -> Array:
        """Return the matrix of k(x_i, x_j), symmetric to the last bit: blocks below the diagonal are mirrored."""
        if self.name == "precomputed":
            values = self(X, X)
            symmetrise(values)
            return values
        values = np.empty((len(X), len(X)))
        for first in range(0, len(X), BLOCK_ROWS):
            here, before, last = slice(first, first + BLOCK_ROWS), slice(first), first + BLOCK_ROWS
            values[here, :last] = self(X[here], X[:last])
            values[before, here] = values[here, before].T
            symmetrise(values[here, here])
        return values

    def extended_precision(self, X: Array, Z: Array) -> LongArray:
        """Return the matrix of k(x_i, z_j) in extended precision, if the machine has one."""
        if self.name == "precomputed":
            return X.astype(np.longdouble) + self.bias
        long, other = X.astype(np.longdouble), Z.astype(np.longdouble)
        gamma = np.longdouble(self.gamma)
        if self.name in ("linear", "poly"):
            products = long @ other.T
            values = (
                products if self.name == "linear" else (gamma * products + np.longdouble(self.coef0)) ** self.degree
            )
        else:
            apart = np.zeros((len(X), len(Z)), dtype=np.longdouble)
            for x, z in zip(long.T, other.T, strict=True):
                difference = x[:, None] - z[None, :]
                apart += difference**2 if self.name == "rbf" else np.abs(difference)
            values = np.exp(-gamma * apart)
        return values + self.bias

    def diagonal(self, X: Matrix) -> Array:
        """Return k(x_i, x_i) for every row."""
        if self.name in ("rbf", "laplacian"):
            return np.ones(X.shape[0]) + self.bias
        if self.name == "precomputed":
            return np.diagonal(X) + self.bias
        squares = squared_lengths(X)
        return (squares if self.name == "linear" else self._power(squares)) + self.bias

    @property
    def constant(self) -> float:
        """The part of k(x, z) that is the same for all x and z by definition: 1 with `bias`, and coef0^degree of the
        polynomial kernel. It adds a constant to a function, which does not move its boundary's distances."""
        return float(self.bias) + (self.coef0**self.degree if self.name == "poly" else 0.0)

    @property
    def ruler(self) -> tuple[str | float, ...]:
        """The name and the settings on which lengths in the kernel's space depend, its constant left out. Distances can
        be compared only if these are equal."""
        settings: dict[str, tuple[float, ...]] = {
            "linear": (),
            "precomputed": (),
            "poly": (self.gamma, self.degree, self.coef0),
        }
        return (self.name, *settings.get(self.name, (self.gamma,)))

    def units(self, d: int) -> float:
        """Return the error of a kernel value of rows of d numbers, in rounding errors of the product of their
        lengths."""
        product = 1.0 + float(np.sqrt(d))
        return product * self.degree if self.name == "poly" else product if self.name == "linear" else 2.0

    def dimension(self, d: int) -> float | None:
        """Return the dimension of the feature space for rows of d numbers; None if it is unknown."""
        if self.name == "precomputed":
            return None
        if self.name == "poly":
            lower = self.coef0 > 0.0  # powers, the constant among them
            return comb(d + self.degree - (not lower), self.degree) + (self.bias and not lower)
        return d + self.bias if self.name == "linear" else np.inf

    def axis_factors(self, x: Array, z: Array) -> Array | None:
        """Return the factor that one coordinate contributes if k is a product over coordinates, else None.

        On a 100 x 100 grid, such a kernel needs 2 x 100 factors per example instead of 10,000 values.
        """
        difference = x[:, None] - z[None, :]
        if self.name == "rbf":
            return np.exp(-self.gamma * difference**2)
        if self.name == "laplacian":
            return np.exp(-self.gamma * np.abs(difference))
        return None

    def _power(self, products: Array) -> Array:
        return (self.gamma * products + self.coef0) ** self.degree


def fast_kernel(kernel: Kernel, rows: Array, dtype: type = np.float64) -> Callable[[Array, Array], Array]:
    """Return a faster function for many values of k: the rbf kernel by matrix products of rows centred on their mean.

    The exponents are differences of squares, and lose digits if rows are far from the mean compared with the kernel's
    width. In double precision, the kernel itself is returned if these would be many.
    """
    if kernel.name != "rbf":
        return kernel
    centre = rows.mean(axis=0)
    reach = kernel.gamma * float(np.square(rows - centre).sum(axis=1).max(initial=0.0))
    if dtype == np.float64 and reach > MAX_FAST_EXPONENT:
        return kernel
    root = dtype(np.sqrt(2.0 * kernel.gamma))

    def values(X: Array, Z: Array) -> Array:
        a, b = ((part - centre).astype(dtype) * root for part in (X, Z))
        exponents: Array = a @ b.T
        exponents -= dtype(0.5) * np.einsum("ij,ij->i", a, a)[:, None]
        exponents -= dtype(0.5) * np.einsum("ij,ij->i", b, b)
        np.exp(exponents, out=exponents)
        if kernel.bias:
            exponents += dtype(1.0)
        return exponents

    return values


def squared_distances(X: Array, Z: Array) -> Array:
    """Return ||x_i - z_j||^2, exactly zero for equal rows."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(X, Z, "sqeuclidean"))


def resolve_gamma(gamma: float | str, X: Array, weight: Array | None = None) -> float:
    """Return the number that `gamma` stands for.

    'scale' is as in scikit-learn, 'distance' as in the LDM paper, section 4.1, and 'abe' is Abe's gamma = 1. A row of
    weight k counts as k rows.
    """
    if gamma == "scale":
        w = np.ones(len(X)) if weight is None else weight
        mean = np.average(X, weights=w, axis=0).mean()
        variance = np.average((X - mean) ** 2, weights=w, axis=0).mean()
        return float(1.0 / (X.shape[1] * variance)) if variance > 0 else 1.0
    if gamma == "distance":
        delta = average_distance(X, weight)
        return 1.0 / (2.0 * delta**2) if delta > 0 else 1.0
    if gamma == "abe":
        return abe_gamma(1.0, X)
    if isinstance(gamma, str):
        raise ValueError(f"gamma must be a number in {GAMMA.legal}, 'scale', 'distance' or 'abe'; got {quoted(gamma)}.")
    return float(GAMMA.check(gamma, "kernel"))


def abe_gamma(gamma: float, X: Array) -> float:
    """Return Abe's gamma as the gamma of this module: his rbf kernel is exp(-gamma ||x-z||^2 / d) for d inputs."""
    return float(gamma / X.shape[1])


def average_distance(X: Array, weight: Array | None = None, block: int = 1024) -> float:
    """Return the mean Euclidean distance over all pairs of different rows, computed in blocks to save memory."""
    w = np.ones(len(X)) if weight is None else weight
    pairs = w.sum() ** 2 - w.sum()
    if len(X) < 2 or pairs <= 0:
        return 0.0
    parts = (w[i : i + block] @ np.sqrt(squared_distances(X[i : i + block], X)) @ w for i in range(0, len(X), block))
    return float(sum(parts) / pairs)
