"""How often "Why?" finds the one column that matters, and how often it names a column of noise.

A table has 400 rows: one standardised column on which the class depends with a logistic coefficient, and columns of
noise, each with the given correlation to it. Given that column, the noise says nothing about the class.
`python -m benchmarks.needed_columns` prints the number of tables, of 100 with a seed each, in which the column is found
and in which any column of noise is named.
"""

from __future__ import annotations

import argparse
import time
from collections import deque

import numpy as np

from mdcore.data.preparation import scaler
from mdcore.study import Candidate, Data, Plan, compare
from mdcore.study.importance import importances

SIGNAL = "signal"
DESIGNS = ((5, 0.0), (5, 0.3), (5, 0.6), (15, 0.0))


def made(seed: int, *, columns: int, correlation: float, rows: int = 400, coefficient: float = 0.8) -> Data:
    rng = np.random.default_rng(seed)
    signal = rng.normal(size=rows)
    noise = rng.normal(size=(rows, columns)) * np.sqrt(1.0 - correlation**2) + correlation * signal[:, None]
    y = (rng.uniform(size=rows) < 1.0 / (1.0 + np.exp(-coefficient * signal))).astype(int)
    names = (SIGNAL, *(f"noise {j + 1}" for j in range(columns)))
    return Data(np.column_stack([signal, noise]), y, scaler("standard"), names)


def needed(data: Data, method: str) -> set[str]:
    """Return the columns that "Why?" names for a method with its default parameters, over ten splits."""
    comparison = compare(data.X, data.y, data.preparation, Plan((Candidate.fixed(method),)))
    (last,) = deque(importances(data, comparison, method, "accuracy"), maxlen=1)
    return {one.name for one in last.columns if one.needed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100, help="for each design and method (default: %(default)s)")
    parser.add_argument("--methods", default="svm,ldm,logistic", help="keys of methods (default: %(default)s)")
    options = parser.parse_args()
    print(
        f"{'noise columns':>14} {'correlation':>12} {'method':>10} {'found':>6} {'noise named':>12} {'s a table':>10}"
    )
    for columns, correlation in DESIGNS:
        for method in options.methods.split(","):
            begun = time.process_time()
            data = (made(seed, columns=columns, correlation=correlation) for seed in range(options.tables))
            named = [needed(one, method) for one in data]
            seconds = (time.process_time() - begun) / options.tables
            found, noise = sum(SIGNAL in names for names in named), sum(bool(names - {SIGNAL}) for names in named)
            print(f"{columns:8} {correlation:12} {method:>10} {found:6} {noise:12} {seconds:10.2f}", flush=True)


if __name__ == "__main__":
    main()
