"""Table 1 of the PUMMA paper, section 4.2: time and margin on a whole data set, with the 2-norm soft margin.

The soft margin adds λ to the squared norm of every example, which makes any data separable. It is implemented by one
additional feature of value √λ for each example, so that learners without a soft margin can use it. Margins are measured
in this extended space, without the bias.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, eye_array

from mdcore.data.splitting import stratified
from mdcore.experiment import Experiment
from mdcore.experiment.race import Limit, limit_of
from mdcore.methods import METHODS
from mdcore.methods.online.base import OnlineLearner, append
from mdcore.solvers.arrays import Array
from mdcore.solvers.pnorm import row_norms
from mdcore.spaces.space import MATRICES_PER_FIT
from mdcore.spec import Interval, Param, Slider

MOST_ROWS = 2000  # a larger set is replaced by a sample of this size
MOST_BYTES = 8.0 * MATRICES_PER_FIT * MOST_ROWS**2  # of the batch solver; a learner keeps only its weights
PAUSE = 20  # epochs between two reports of a learner


TABLE_SOFT = Param(
    "soft",
    "λ",
    1.0,
    Interval(0, np.inf, open_high=True),
    Slider(0, 10, step=0.1),
    "2-norm soft margin: λ is added to the squared norm of every example, which makes any data separable. 0 is the "
    "hard margin, with which the learners only end on separable data.",
)
TABLE_DELTA = Param(
    "delta",
    "δ",
    0.01,
    Interval(0.001, 0.999),
    Slider(0.001, 0.5, step=0.01),
    "PUMMA ends at 1 − δ of the largest margin; ROMMA at 1 − δ of the largest margin of the rows with the extra "
    "feature −R for the bias. Smaller values take longer.",
)
TABLE_BETA = Param(
    "beta",
    "β / R of MICRA",
    3.0,
    Interval(0.01, 1000),
    Slider(0.01, 100, step=1),
    "The margin that MICRA requires at first, in units of R, the norm of the longest row. Larger values give a larger "
    "final margin and take more updates. The paper tunes MICRA for each set.",
)
TABLE_ETA = Param(
    "eta",
    "η of MICRA",
    1.0,
    Interval(0.001, 1000),
    Slider(0.001, 10, step=1),
    "Length of MICRA's first step; to be tuned as well.",
)
TABLE_EPOCHS = Param(
    "epochs",
    "epochs at most",
    50_000,
    Interval(1, 1_000_000),
    Slider(1, 100_000, step=1000),
    "Maximum number of passes over the set; a learner that still makes updates after them is stopped.",
    integer=True,
)


@dataclass(frozen=True)
class TablePlan:
    """λ, δ of PUMMA and ROMMA, and β and η of MICRA, with β in units of R, the norm of the longest row.

    λ and δ are the paper's. The paper tunes MICRA for every set and does not give the values.
    """

    settings: ClassVar[tuple[Param, ...]] = (TABLE_SOFT, TABLE_DELTA, TABLE_BETA, TABLE_ETA, TABLE_EPOCHS)

    soft: float = TABLE_SOFT.default
    delta: float = TABLE_DELTA.default
    beta: float = TABLE_BETA.default
    eta: float = TABLE_ETA.default
    epochs: int = int(TABLE_EPOCHS.default)
    learners: tuple[str, ...] = ("pumma", "romma", "micra")

    def learner(self, method: str, radius: float) -> OnlineLearner:
        chosen = {"beta": self.beta * radius, "eta": self.eta} if method == "micra" else {"delta": self.delta}
        made = METHODS[method].estimator(**chosen, max_iter=self.epochs)
        assert isinstance(made, OnlineLearner)
        return made


@dataclass(frozen=True, eq=False)
class WholeSet:
    """Rows and signs of a set, or of a stratified sample if the set has more than `MOST_ROWS` rows.

    `total` is the number of rows of the whole set.
    """

    X: Array
    signs: Array
    total: int


@dataclass(frozen=True)
class Reached:
    """The progress of a learner.

    `ended`: the last epoch made no update; `stopped`: the learner makes no further epoch.
    """

    method: str
    seconds: float
    margin: float
    updates: int
    epochs: int
    ended: bool
    stopped: bool


@dataclass(frozen=True)
class MarginTable:
    """The table as computed so far: margin and seconds of the batch solver, then the learners that have started.

    `radius` is R in the space of the soft margin, `shape` the shape of the rows without the additional features.
    """

    shape: tuple[int, int]
    total: int
    radius: float
    largest: Limit
    seconds: float
    rows: tuple[Reached, ...] = ()

    def share(self, row: Reached) -> float | None:
        """Return the share of the largest margin that a learner reached, or None if the largest margin is unknown."""
        return None if self.largest.margin is None else row.margin / self.largest.margin


def records(table: MarginTable) -> list[dict[str, Any]]:
    """Return a row for the batch solver and for every learner, unrounded; None where a column does not apply."""
    largest = table.largest.margin
    batch = {"learner": "largest margin", "seconds": table.seconds, "margin": largest, "share of largest": None}
    batch |= {"updates": None, "epochs": None, "ended": largest is not None}
    learners = (
        {
            "learner": METHODS[row.method].name,
            "seconds": row.seconds,
            "margin": row.margin,
            "share of largest": table.share(row),
            "updates": row.updates,
            "epochs": row.epochs,
            "ended": row.ended,
        }
        for row in table.rows
    )
    return [batch, *learners]


def whole_set(experiment: Experiment) -> WholeSet:
    """Return the training part of an experiment: the whole set for test = 0."""
    prepared = experiment.prepare()
    X, y, classes = prepared.X_train, prepared.y_train, np.unique(prepared.y_train)
    if len(classes) != 2:
        raise ValueError(
            f"{prepared.dataset.title or prepared.dataset.name} has {len(classes)} classes; the learners need two. "
            "Choose two of them in its options, or another set."
        )
    kept = stratified(y, min(MOST_ROWS, len(y)), seed=0)
    return WholeSet(X[kept], np.where(y[kept] == classes[1], 1.0, -1.0), len(y))


def soft_rows(X: Array, soft: float) -> csr_array:
    """Return the rows in the space of the soft margin, where their inner products are x_i·x_j + soft [i = j]."""
    own = np.sqrt(soft) * eye_array(len(X), format="csr")
    return csr_array(append(X, own)) if soft else csr_array(X)


def margin_table(plan: TablePlan, data: WholeSet) -> Iterator[MarginTable]:
    """Yield the table as it grows: after the batch solver, and after every PAUSE epochs of a learner."""
    limit_of(np.eye(2), np.array([1.0, -1.0]))  # compile before any time is measured
    begun = time.perf_counter()
    largest = limit_of(data.X, data.signs, soft=plan.soft)
    seconds = time.perf_counter() - begun
    rows = soft_rows(data.X, plan.soft)
    radius = float(row_norms(rows, 2.0).max())
    n, d = data.X.shape
    table = MarginTable((n, d), data.total, radius, largest, seconds)
    yield table
    for method in plan.learners:
        done = table
        for reached in _reached(plan, method, radius, rows, data.signs):
            table = replace(done, rows=(*done.rows, reached))
            yield table


def _reached(plan: TablePlan, method: str, radius: float, rows: csr_array, signs: Array) -> Iterator[Reached]:
    """Yield the progress of a learner every PAUSE epochs and at the end."""
    learner = plan.learner(method, radius)
    next(learner.epochs(rows, signs))  # compile, as above
    for epoch in learner.epochs(rows, signs):
        stopped = epoch.settled or epoch.number == plan.epochs
        if stopped or epoch.number % PAUSE == 0:
            yield Reached(method, epoch.seconds, epoch.margin, epoch.updates, epoch.number, epoch.settled, stopped)
