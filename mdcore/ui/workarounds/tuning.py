"""Once per server process: what makes a live picture follow the hand. Every step is skipped where it cannot work."""

from __future__ import annotations

import gc
import os
import socket
import stat
import threading
import warnings
from pathlib import Path

import streamlit as st
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.query import OPENING
from mdcore.ui.stage.live import LIVE

DESCRIPTORS = Path("/proc/self/fd")


@st.cache_resource(show_spinner=False)
def tune_server() -> None:
    """Small packets leave at once, one BLAS thread, no collection of what never becomes garbage, compiled kernels."""
    send_small_packets_at_once()
    threadpool_limits(limits=1, user_api="blas")
    # Convergence is shown on the page, beside the picture it concerns.
    warnings.filterwarnings("ignore", category=ConvergenceWarning)
    _load_machine_code()
    threading.Thread(target=_warm_up, name="warm-up", daemon=True).start()


def send_small_packets_at_once() -> int:
    """Set TCP_NODELAY on the server's sockets; connections accepted later inherit it from the listening one.

    Options belong to the kernel's socket, so a duplicate of the descriptor is enough. Where the descriptors of a
    process are not listed (anything but Linux), nothing is done: rapid updates are then a little less smooth.
    """
    if not DESCRIPTORS.is_dir():
        return 0
    changed = 0
    for name in os.listdir(DESCRIPTORS):
        try:
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            duplicate = socket.socket(fileno=os.dup(int(name)))
        except OSError:  # closed since it was listed
            continue
        with duplicate:
            if duplicate.family in (socket.AF_INET, socket.AF_INET6) and duplicate.type == socket.SOCK_STREAM:
                duplicate.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                changed += 1
    return changed


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
