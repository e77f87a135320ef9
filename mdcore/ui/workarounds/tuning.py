"""Once per server process: what makes a live picture follow the hand."""

from __future__ import annotations

import gc
import threading
import warnings

import streamlit as st
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.query import OPENING
from mdcore.ui.stage.live import LIVE


@st.cache_resource(show_spinner=False)
def tune_server() -> None:
    """Set up one BLAS thread, no collection of what never becomes garbage, compiled kernels."""
    threadpool_limits(limits=1, user_api="blas")
    # Convergence is shown on the page, beside the picture it concerns.
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    _load_machine_code()
    threading.Thread(target=_warm_up, name="warm-up", daemon=True).start()


def _load_machine_code() -> None:
    """Fit the opening's methods on a few points, so that the times on the first picture are those of its own fits."""
    Experiment.from_query("n=20&outliers=0").run()


def _warm_up() -> None:
    """Fit every method once on the opening picture: compiles or loads the machine code, fills the caches."""
    opening = Experiment.from_query(OPENING)
    for key in METHODS:
        opening.run_method(key, LIVE)
    gc.collect()
    gc.freeze()
