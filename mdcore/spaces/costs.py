"""Estimates of what a fit of a kernel machine costs, in seconds and bytes: exactly, and in the span of landmarks.

A method declares the work of its solver, counted in measured fits; the pace of this machine is measured once, in less
than a tenth of a second. How hard the data are is not known before a fit: expect a factor of two either way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np
from scipy.linalg import cholesky

from mdcore.basics.text import count, short
from mdcore.basics.threads import libraries
from mdcore.spaces.kernels import Kernel, KernelName
from mdcore.spec import Method, Work

TIMED_ROWS, TIMED_COLUMNS = 300, (8, 72)  # of the kernel values that are timed
TIMED_MATRIX, TIMED_SYSTEM = 700, 400  # orders of the matrix that is passed over, and of the one that is factorised
TIMES = 3  # of which the fastest counts
COPIES = 2.5  # of the features of all rows, held by a fit in landmarks
FEW_ROWS = 1000  # up to so many training rows an exact fit takes a moment, and nothing has to be decided
MEMORY = 0.25  # of the free memory, limit for all exact fits that run at once
BLOCK_BYTES = 2**25  # of kernel values and their products, computed block by block
SPAN_WORK = 5.0  # cubes of the number of landmarks that drawing them costs


@dataclass(frozen=True)
class Pace:
    """Seconds of one processor: for a kernel value and for each column in it, for an entry of a matrix that is passed
    over, and for a multiplication in the factorisation of a matrix."""

    value: float
    column: float
    entry: float
    product: float


@cache
def pace_of(kernel: KernelName) -> Pace:
    """Return the pace of this machine, measured once for each kernel."""
    rng = np.random.default_rng(0)
    few, many = (_seconds_of_values(kernel, rng.normal(size=(TIMED_ROWS, d))) for d in TIMED_COLUMNS)
    column = max(many - few, 0.0) / (TIMED_COLUMNS[1] - TIMED_COLUMNS[0])
    matrix, vector = rng.normal(size=(TIMED_MATRIX, TIMED_MATRIX)), rng.normal(size=TIMED_MATRIX)
    system = TIMED_MATRIX * np.eye(TIMED_SYSTEM)
    return Pace(
        value=max(few - TIMED_COLUMNS[0] * column, 0.0),
        column=column,
        entry=_fastest(lambda: matrix @ vector) / TIMED_MATRIX**2,
        product=_fastest(lambda: cholesky(system, lower=True)) / (TIMED_SYSTEM**3 / 3.0),
    )


def _seconds_of_values(kernel: KernelName, rows: np.ndarray) -> float:
    made = Kernel(kernel, 1.0 / rows.shape[1], 3, 1.0, True)
    return _fastest(lambda: made.gram(rows)) / TIMED_ROWS**2


def _fastest(call: Callable[[], object]) -> float:
    spent = []
    with libraries().limit(limits=1):
        for _ in range(1 + TIMES):  # the first call compiles or allocates
            begun = time.perf_counter()
            call()
            spent.append(time.perf_counter() - begun)
    return min(spent[1:])


@dataclass(frozen=True)
class Costs:
    """The seconds of one fit on `rows` rows with `columns` columns: `models` problems with the same kernel matrix."""

    work: Work
    models: float
    rows: int
    columns: int
    pace: Pace

    @classmethod
    def of(cls, method: Method, rows: int, columns: int, classes: int, pace: Pace) -> Self:
        """Return the costs of a kernel method; one for two classes is fitted for each class against the rest."""
        machine = method.estimator
        models = machine.models(classes) if classes == 2 or method.multiclass else float(classes)
        return cls(machine.work, models, rows, columns, pace)

    @property
    def exact(self) -> float:
        """Seconds of a fit with the exact kernel."""
        each = self.work.passes * self.rows**2 * self.pace.entry + self.work.cubes * self.rows**3 * self.pace.product
        return self.rows**2 * self._value + self.models * each

    def spanned(self, landmarks: int) -> float:
        """Seconds of a fit in the span of landmarks."""
        n = min(landmarks, self.rows)
        features = self.rows * n * self._value + (self.rows * n**2 + SPAN_WORK * n**3) * self.pace.product
        return features + self.models * self.work.spans * n**2 * (self.rows + n) * self.pace.product

    @property
    def _value(self) -> float:
        return self.pace.value + self.columns * self.pace.column


def exact_bytes(method: Method, rows: int) -> float:
    """Return an upper bound on the bytes of a fit with the exact kernel."""
    machine = method.estimator
    return 8.0 * (1.0 if machine.work.columns else machine.matrices) * rows**2


def spanned_bytes(rows: int, landmarks: int) -> float:
    """Return an upper bound on the bytes of a fit in landmarks."""
    return 8.0 * COPIES * rows * landmarks + BLOCK_BYTES


def in_seconds(value: float) -> str:
    """Return an estimated time as text, with two digits."""
    return f"{short(value, 2)} s" if value < 100.0 else f"{count(round(value / 60.0), 'minute')}"
