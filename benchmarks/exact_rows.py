"""SVM and LDM, exact against landmarks, by the number of rows, and what Compare decides from its own estimates.

One generated set, and letter in two halves if MARGIN_LAB_DATA names a folder that has it. The parameters are the
methods' defaults, and γ is scikit-learn's "scale". There is a goal where both ways are equally accurate and their times
differ by what the decision takes for a difference that counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.preprocessing import FunctionTransformer

from benchmarks.many_rows import Rows, made, split_of
from benchmarks.timing import Row, processor_seconds
from mdcore import METHODS
from mdcore.data.sources.folder import PREFIX, folder_sources
from mdcore.experiment.query import KernelKey
from mdcore.study import Candidate, Data, Decision, Plan, decide
from mdcore.study.approximation import EQUAL, WORTH
from mdcore.study.plan import REPEATS

SIZES = (1000, 2000, 4000, 8000)
COUNTS = (256, 1024)
TEST = 0.3


@dataclass(frozen=True)
class Fitted:
    """The processor time of a fit and its test accuracy; 0 landmarks are the exact kernel."""

    landmarks: int
    seconds: float
    accuracy: float

    @property
    def said(self) -> str:
        name = f"{self.landmarks:,} landmarks" if self.landmarks else "exact"
        return f"{name} {100.0 * self.accuracy:.1f} % in {self.seconds:.2g} s"


def rows() -> Iterator[Row]:
    for name, whole in _sets():
        for m in SIZES:
            data = Rows(whole.X[:m], whole.y[:m], whole.X_test, whole.y_test)
            for key in ("svm", "ldm"):
                yield _row(f"{METHODS[key].name}, {name}, {m:,} rows", key, data)


def _row(what: str, key: str, data: Rows) -> Row:
    """Return the row of what Compare decides against the other way: exact, or the landmarks that lose least."""
    found = {n: _fitted(key, n, data) for n in (0, *COUNTS)}
    decision = _decided(key, data)
    taken = decision.within.landmarks if decision else 0
    ours = found.get(taken) or _fitted(key, taken, data)
    other = found[0] if taken else max((found[n] for n in COUNTS), key=lambda one: one.accuracy)
    estimate = f", estimated {decision.approximate if taken else decision.exact:.2g} s" if decision else ""
    quality = f"decided: {ours.said}{estimate}; {', '.join(found[n].said for n in found if n != taken)}"
    is_equal = abs(ours.accuracy - other.accuracy) <= EQUAL
    counts = REPEATS.default * abs(ours.seconds - other.seconds) >= WORTH
    peer = "exact" if taken else f"{other.landmarks:,} landmarks"
    return Row(what, peer, 1e3 * ours.seconds, 1e3 * other.seconds, quality, 1.0 if is_equal and counts else None)


def _fitted(key: str, landmarks: int, data: Rows) -> Fitted:
    machine = METHODS[key].estimator
    seconds, model = processor_seconds(lambda: machine(landmarks=landmarks or None).fit(data.X, data.y))
    return Fitted(landmarks, seconds, data.score(model))


def _decided(key: str, data: Rows) -> Decision | None:
    """Return the decision for these training rows; the plan draws others of the same distribution."""
    n = round(len(data.y) * TEST / (1.0 - TEST))
    X, y = np.vstack([data.X, data.X_test[:n]]), np.append(data.y, data.y_test[:n])
    plan = Plan((Candidate.fixed(key),), kernel=KernelKey("rbf", "scale", 3, 1.0, True), test=TEST)
    return next(iter(decide(Data(X, y, FunctionTransformer()), plan)), None)


def _sets() -> Iterator[tuple[str, Any]]:
    yield "a nonlinear rule", made(SIZES[-1])
    if f"{PREFIX}letter" in folder_sources():
        yield "letter in two halves", split_of("letter", "N", 0)
