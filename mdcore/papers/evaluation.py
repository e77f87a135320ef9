"""Computation of one cell of a table: split, select parameters, fit, evaluate. The outcome can be stored and sent."""

from __future__ import annotations

import hashlib
import json
import time
import warnings
import zlib
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from mdcore.basics.threads import libraries
from mdcore.data import Prepared, prepare
from mdcore.experiment.race import limit_of
from mdcore.methods import METHODS
from mdcore.papers.margin_table import TablePlan, soft_rows
from mdcore.papers.protocol import PaperParams, TableMethod, TableProtocol, TableSet, protocol
from mdcore.papers.selection import Selected, constant_feature, select
from mdcore.papers.sets import Rows
from mdcore.solvers.arrays import Array
from mdcore.solvers.pnorm import row_norms

LARGEST = "largest"  # the batch solver's column in a table of margins


@dataclass(frozen=True)
class Task:
    """The coordinates of a cell: only names and numbers, so that they can be sent as JSON."""

    paper: str
    table: int
    dataset: str
    method: str
    split: int

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(**json.loads(text))

    @property
    def protocol(self) -> TableProtocol:
        return protocol(self.paper, self.table)


@dataclass(frozen=True)
class CellOutcome:
    """`value` is the test accuracy or the margin; `train` and `test` are packed functional margins, `norm` is ‖w‖
    as in the papers, the weight of the constant feature included.

    `answers` holds the counts of the cross-validation; see Selected.
    """

    value: float
    params: PaperParams
    gap: float | None
    converged: bool
    seconds: float
    selection_seconds: float
    fits: int
    n_train: int
    n_test: int
    norm: float
    train: bytes
    test: bytes
    answers: PaperParams = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Hash of value, parameters, norm and margins; times do not count."""
        plain = json.dumps([self.value, self.params, self.norm], sort_keys=True)
        return hashlib.sha256(plain.encode() + zlib.decompress(self.train) + zlib.decompress(self.test)).hexdigest()


def pack(margins: Array) -> bytes:
    return zlib.compress(np.asarray(margins, dtype="<f4").tobytes())


def unpack(packed: bytes) -> NDArray[np.float32]:
    return np.frombuffer(zlib.decompress(packed), dtype="<f4")


def compute(task: Task, rows: Rows) -> CellOutcome:
    """Return the outcome of a cell on its rows. Raise ValueError if there is none."""
    table = task.protocol
    method, table_set = table.method(task.method), table.set(task.dataset)
    with libraries().limit(limits=1, user_api="blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the outcome records the convergence
        if table.measure == "margin":
            return _margin(method, rows)
        return _accuracy(table, method, table_set, rows, task.split)


def counted(chosen: Selected) -> PaperParams:
    """Return the counts of the cross-validation; empty if there was only one choice."""
    if not chosen.held_out:
        return {}
    counts = {"right": list(chosen.right), "right_by_width": list(chosen.right_by_width)}
    return {"held_out": chosen.held_out, **counts}


def split_share(table_set: TableSet, n: int) -> float:
    """Return the test share for which `prepare` yields the printed number of training rows."""
    train = table_set.train
    if isinstance(train, int):
        if not 0 < train < n:
            raise ValueError(
                f"{table_set.name} has {n:,} rows here, and the paper trains on {train:,}: no test rows left."
            )
        return (n - train - 0.5) / n  # `prepare` rounds the number of test rows up
    return 1.0 - train


def prepare_split(table_set: TableSet, rows: Rows, number: int) -> Prepared:
    """Return training and test rows of a split, scaled so that every feature of the training part lies in [0, 1]."""
    share = split_share(table_set, rows.dataset.n)
    return prepare(rows.dataset, scaling="unit", test=share, seed=number)


def fit(table: TableProtocol, method: TableMethod, chosen: Selected, prepared: Prepared, seed: int) -> Any:
    """Fit the chosen parameters on all training rows, from scratch."""
    record = METHODS[method.estimator]
    settings: PaperParams = chosen.params | constant_feature(table, method)
    known = record.estimator().get_params()
    if record.kernels:
        settings |= {"kernel": table.kernel} | ({} if chosen.gamma is None else {"gamma": chosen.gamma})
    if "random_state" in known:
        settings["random_state"] = seed
    return record.estimator(**settings).fit(prepared.X_train, prepared.y_train)


def _accuracy(table: TableProtocol, method: TableMethod, table_set: TableSet, rows: Rows, number: int) -> CellOutcome:
    prepared = prepare_split(table_set, rows, number)
    codes = np.searchsorted(np.array(rows.dataset.classes), prepared.y_train)
    codes = np.unique(codes, return_inverse=True)[1]
    begun = time.perf_counter()
    chosen = select(table, method, prepared.X_train, codes, seed=number)
    selected = time.perf_counter()
    model = fit(table, method, chosen, prepared, number)
    seconds = time.perf_counter() - selected
    right = model.predict(prepared.X_test) == prepared.y_test
    gap = float(model.gap_)
    return CellOutcome(
        value=float(right.mean()),
        params=chosen.params | ({} if chosen.gamma is None else {"gamma": chosen.gamma}),
        gap=gap if np.isfinite(gap) else None,
        converged=bool(model.converged_),
        seconds=seconds,
        selection_seconds=selected - begun,
        fits=chosen.fits + 1,
        n_train=len(prepared.y_train),
        n_test=len(prepared.y_test),
        norm=float(model.norm_),
        train=pack(model.margins(prepared.X_train, prepared.y_train)),
        test=pack(model.margins(prepared.X_test, prepared.y_test)),
        answers=counted(chosen),
    )


def _margin(method: TableMethod, rows: Rows) -> CellOutcome:
    """Return the largest margin of the whole set with the 2-norm soft margin, or the margin that an online learner
    reaches."""
    data = rows.dataset
    signs = np.where(data.codes == 1, 1.0, -1.0)
    plan = TablePlan()
    if method.estimator == LARGEST:
        begun = time.perf_counter()
        limit = limit_of(data.X, signs, soft=plan.soft)
        seconds = time.perf_counter() - begun
        if limit.margin is None:
            raise ValueError(f"{rows.name}: the largest margin is unknown: {limit.reason}")
        margin, ended, updates = limit.margin, True, 0
    else:
        space = soft_rows(data.X, plan.soft)
        radius = float(row_norms(space, 2.0).max())
        *_, last = plan.learner(method.estimator, radius).epochs(space, signs)
        margin, ended, updates, seconds = last.margin, last.settled, last.updates, last.seconds
    return CellOutcome(
        value=margin,
        params={"updates": updates},
        gap=None,
        converged=ended,
        seconds=seconds,
        selection_seconds=0.0,
        fits=1,
        n_train=data.n,
        n_test=0,
        norm=1.0,
        train=pack(np.empty(0)),
        test=pack(np.empty(0)),
    )
