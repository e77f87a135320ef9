"""Plans on one small sample, shared by the tests of comparisons."""

from __future__ import annotations

from typing import Any

from sklearn.preprocessing import StandardScaler

from mdcore import load_dataset
from mdcore.experiment.query import KernelKey
from mdcore.study import Candidate, Comparison, Plan, compare

MOONS = load_dataset("moons", n=90, noise=0.3, seed=1)
RBF = KernelKey("rbf", 1.0, 3, 1.0, True)
LINEAR = KernelKey("linear", "scale", 3, 1.0, True)


def plan(*keys: str, **changes: Any) -> Plan:
    candidates = tuple(Candidate.fixed(key) for key in keys or ("svm", "odm"))
    return Plan(candidates, **{"repeats": 3, "kernel": RBF, **changes})


def run(given: Plan, **options: Any) -> Comparison:
    return compare(MOONS.X, MOONS.y, StandardScaler(), given, **options)
