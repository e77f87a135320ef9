"""Compile every method's machine code, so that no first fit waits for it.

    python -m mdcore compile

It is kept beside the sources, or in the folder that NUMBA_CACHE_DIR names; a second run only loads it.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Sequence
from itertools import product

from sklearn.exceptions import ConvergenceWarning

from mdcore.experiment import Experiment
from mdcore.methods import METHODS

SMALL = "data=moons&n=60&noise=0.2&seed=0"
KERNELS = ("rbf", "linear")  # one that needs kernel values, and one that does not


def compile_all() -> None:
    """Fit every method to a few examples, in both of its forms."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # what a fit reaches does not matter here
        for kernel, key in product(KERNELS, METHODS):
            Experiment.from_query(f"{SMALL}&kernel={kernel}").run_method(key, budget=2.0)


def main(argv: Sequence[str]) -> int:
    argparse.ArgumentParser("mdcore compile", description=__doc__.partition("\n")[0]).parse_args(argv)
    begun = time.perf_counter()
    compile_all()
    print(f"{len(METHODS)} methods are compiled, in {time.perf_counter() - begun:.1f} s.")
    return 0
