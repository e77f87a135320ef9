"""Compile every method's machine code, so that no first fit has to wait.

    python -m mdcore compile

The code is cached next to the sources, or in the folder named by NUMBA_CACHE_DIR; a second run only loads it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from itertools import product

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.methods.ldm import LDM
from mdcore.methods.linear_ldm import LinearLDM
from mdcore.methods.mcsvm import MCSVM
from mdcore.papers.hinge import hinge_correct_counts
from mdcore.spaces.landmarks import SINGLE
from mdcore.sweep.axis import Axis
from mdcore.sweep.exact import kinks
from mdcore.sweep.plan import Sweep

SMALL = "data=moons&n=60&noise=0.2&seed=0"
KERNELS = ("rbf", "linear")  # one that needs kernel values, and one that does not
LANDMARKS = 200


def compile_all() -> None:
    """Run every compiled function once, on small data."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the results do not matter here
        for kernel, key in product(KERNELS, METHODS):
            Experiment.from_query(f"{SMALL}&kernel={kernel}").run_method(key, budget=2.0)
        _follow_ldm()
        _fit_many_rows()


def _follow_ldm() -> None:
    """Move λ₁, follow the paths in λ₂ and C, and run the grid loop of the papers' tables."""
    experiment = Experiment.from_query(f"{SMALL}&methods=ldm")
    for name in ("lambda2", "C"):
        kinks(Sweep(experiment, (Axis(f"ldm.{name}", (1.0, 2.0)),)), "ldm")
    data = experiment.prepare()
    X, y = data.X_train, data.y_train
    model = LDM(kernel="rbf", warm_start=True)
    for lambda1 in (1.0, 2.0):
        model.set_params(lambda1=lambda1).fit(X, y)
    G = X @ X.T
    hinge_correct_counts(
        G, G, (y > 0).astype(np.intp), (y > 0).astype(np.intp), [{"lambda1": 1.0, "lambda2": 1.0, "C": 1.0}]
    )


def _fit_many_rows() -> None:
    """Fit with landmarks on enough rows to switch to single precision, with exact gaps, and fit a stream of rows."""
    X = np.random.default_rng(0).standard_normal((SINGLE // LANDMARKS + 1, 8))
    y = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    few, sides = X[:100], np.digitize(X[:100, 0], (-0.5, 0.5))
    for model in (LDM(1.0, kernel="rbf", landmarks=LANDMARKS).fit(X, y), MCSVM(landmarks=10).fit(few, sides)):
        _ = model.exact_gap_
    LinearLDM().partial_fit(few, y[:100], classes=(-1.0, 1.0))


def main(argv: Sequence[str]) -> int:
    argparse.ArgumentParser("python -m mdcore compile", description=__doc__.partition("\n")[0]).parse_args(argv)
    begun = time.perf_counter()
    compile_all()
    print(f"Compiled {len(METHODS)} methods in {time.perf_counter() - begun:.1f} s.")
    return 0
