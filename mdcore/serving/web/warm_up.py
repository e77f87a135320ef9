"""One-time setup of the server process for low latency."""

from __future__ import annotations

import gc
import threading
import warnings

from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mdcore.experiment import Experiment
from mdcore.experiment.query import OPENING
from mdcore.methods import METHODS
from mdcore.serving.stage.live import LIVE


def prepare_process() -> None:
    """Limit BLAS to one thread; in the background, load compiled kernels and exclude permanent objects from garbage
    collection."""
    threadpool_limits(limits=1, user_api="blas")
    # The page shows convergence next to each picture.
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    threading.Thread(target=_warm_up, name="warm-up", daemon=True).start()


def _warm_up() -> None:
    """Fit the opening's methods on a few points, which loads their machine code, and every method once on the opening
    picture: this compiles or loads all kernels and fills the caches."""
    Experiment.from_query("n=20&outliers=0").run()
    opening = Experiment.from_query(OPENING)
    for key in METHODS:
        opening.run_method(key, LIVE)
    gc.collect()
    gc.freeze()
