"""Figure 3 of the LDM paper: test accuracy against lambda1, lambda2 or C, the other two chosen by cross-validation.

Usage: `python -m benchmarks.ldm_figure3 FILE.csv ...`, where each file has a header, feature columns and a last column
with two classes. Half of the rows train; features are scaled to [0, 1]; the rbf kernel has the average distance as its
width; accuracies are summarised over 30 splits.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_score
from threadpoolctl import threadpool_limits

from mdcore import LDM, Experiment
from mdcore.data import SOURCES, Source
from mdcore.data.dataset import Dataset
from mdcore.spaces.kernels import resolve_gamma
from mdcore.sweep import Axis, Sweep, run

LAMBDAS = tuple(2.0**k for k in range(-8, -1))
PRICES = (10.0, 50.0, 100.0)
GRIDS = {"lambda1": LAMBDAS, "lambda2": LAMBDAS, "C": tuple(float(c) for c in range(10, 101, 10))}
WIDE = {"lambda1": tuple(2.0**k for k in range(-8, 11, 2)), "lambda2": tuple(2.0**k for k in range(-8, 11, 2))}
SPLITS = 30


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="+")
    threadpool_limits(1)
    for file in parser.parse_args().files:
        name = file.stem
        SOURCES[name] = Source(name, name, str(file), (), lambda file=file: read(file), "unit", False)
        show(name)


def read(file: Path) -> Dataset:
    """Return the complete rows, with a column for each level of a nominal feature."""
    frame = pd.read_csv(file).dropna()
    features = pd.get_dummies(frame.iloc[:, :-1]).astype(float)
    return Dataset(file.stem, features.to_numpy(), frame.iloc[:, -1].astype(str).to_numpy(), tuple(features.columns))


def show(name: str) -> None:
    base = Experiment.from_query(f"data={name}&seed=0&test=0.5&scaling=unit&gamma=distance&methods=ldm")
    chosen = selected(base)
    for parameter, value in chosen.items():
        base = base.with_param("ldm", parameter, value)
    prepared = base.prepare()
    print(f"{name}: {len(prepared.train)} training rows, {prepared.X_train.shape[1]} features, {chosen}")
    for grids in (GRIDS, WIDE):
        for parameter, values in grids.items():
            table = run(Sweep(base, (Axis(f"ldm.{parameter}", values),), ("test.accuracy",), repeats=SPLITS))
            accuracy = table.values("ldm", "test.accuracy").mean(axis=0)
            low, _, high = table.band("ldm", "test.accuracy")
            print(
                f"  {parameter} from {values[0]:g} to {values[-1]:g}: mean accuracy",
                " ".join(f"{a:.3f}" for a in accuracy),
            )
            print(
                f"    moves by {np.ptp(accuracy):.4f}; 10 to 90 % over the splits {low.mean():.3f} to {high.mean():.3f}"
            )


def selected(base: Experiment) -> dict[str, float]:
    """Return lambda1, lambda2 and C by 5-fold cross-validation on the training part, from a part of the paper's
    grid."""
    prepared = base.prepare()
    X, y = prepared.X_train, prepared.y_train
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = {}
    for lambda1, lambda2, C in product(LAMBDAS[::3], LAMBDAS[::3], PRICES):
        model = LDM(lambda1, lambda2, C, gamma=resolve_gamma("distance", X))
        scores[lambda1, lambda2, C] = cross_val_score(model, X, y, cv=folds).mean()
    return dict(zip(("lambda1", "lambda2", "C"), max(scores, key=scores.__getitem__), strict=True))


if __name__ == "__main__":
    main()
