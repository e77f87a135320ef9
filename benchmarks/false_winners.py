"""How often Compare's headline names a winner where there is none.

On noise the classes do not depend on the columns. With signal, two Gaussian classes have the same covariance, so that
every linear method tends to the same boundary and any two have equal skill. `python -m benchmarks.false_winners` prints
the number of tables with a winner, of 60 with a seed each, and the headlines that name one.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from mdcore.data.preparation import scaler
from mdcore.experiment.query import KernelKey
from mdcore.study import Data, board, candidates, compare, fitting_score, headline
from mdcore.study.plan import Plan

LINEAR = KernelKey("linear", "scale", 3, 1.0, True)
SHIFTS = {"noise": 0.0, "signal": 1.0}
ROWS, COLUMNS = (80, 160, 320), (2, 5, 12)


def made(seed: int, shift: float) -> Data:
    """Return a table whose classes are `shift` standard deviations apart along one direction; sizes vary by seed."""
    rng = np.random.default_rng(seed)
    rows, columns = ROWS[seed % 3], COLUMNS[seed // 3 % 3]
    y = (rng.uniform(size=rows) < (0.5 if seed % 2 else 0.7)).astype(int)
    X = rng.normal(size=(rows, columns))
    X[:, 0] += shift * (2 * y - 1)
    return Data(X, y, scaler("standard"), tuple(f"x{j}" for j in range(columns)))


def told(data: Data, methods: tuple[str, ...], tuning: str) -> str:
    plan = Plan(candidates(methods, tuning), kernel=LINEAR, criterion=fitting_score(data.y))  # type: ignore[arg-type]
    comparison = compare(data.X, data.y, data.preparation, plan)
    return headline(board(comparison, fitting_score(data.y)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=60, help="for each design (default: %(default)s)")
    parser.add_argument("--methods", default="svm,ldm,logistic", help="keys of methods (default: %(default)s)")
    parser.add_argument("--parameters", choices=("equal", "none"), default="equal", help="(default: %(default)s)")
    options = parser.parse_args()
    for name, shift in SHIFTS.items():
        begun = time.process_time()
        methods = tuple(options.methods.split(","))
        said = [told(made(seed, shift), methods, options.parameters) for seed in range(options.tables)]
        winners = [words for words in said if "is best" in words]
        seconds = (time.process_time() - begun) / options.tables
        print(f"{name}: {len(winners)} of {len(said)} tables name a winner, {seconds:.2f} s a table", flush=True)
        for words in winners:
            print(f"  {words}")


if __name__ == "__main__":
    main()
