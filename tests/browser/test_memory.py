"""Memory that a session leaves in use; `python -m tests.browser.soak` runs for minutes."""

from __future__ import annotations

from contextlib import closing
from itertools import islice, pairwise

from tests.browser.conftest import Visit
from tests.browser.memory import Drag
from tests.browser.server import Server

MOST = 8  # sweeps, of which the first ones fill caches
HEAP_GROWTH = 1.0  # MB from a sweep to the next
SERVER_GROWTH = 15.0  # MB


def test_a_long_drag_leaves_memory_flat(visit: Visit, server: Server) -> None:
    stage = visit("data=moons&n=200&seed=0&gamma=1&methods=svm,ldm", own=True)
    with closing(Drag(stage, "ldm.lambda1", server.pid).run()) as drag:
        sweeps = pairwise(islice(drag, MOST))
        next(sweeps)
        flat = any(
            after.heap - before.heap < HEAP_GROWTH and after.server - before.server < SERVER_GROWTH
            for before, after in sweeps
        )
    assert flat
    stage.check_numbers()
