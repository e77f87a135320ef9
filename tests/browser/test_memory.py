"""Memory that a session leaves in use; `python -m tests.browser.soak` runs for minutes."""

from __future__ import annotations

from contextlib import closing
from itertools import islice

from tests.browser.conftest import Visit
from tests.browser.memory import Drag
from tests.browser.server import Server

SWEEPS = 3  # the first one warms up
HEAP_GROWTH = 1.0  # MB from a sweep to the next
SERVER_GROWTH = 15.0  # MB


def test_a_long_drag_leaves_memory_flat(visit: Visit, server: Server) -> None:
    stage = visit("data=moons&n=200&seed=0&gamma=1&methods=svm,ldm", own=True)
    with closing(Drag(stage, "ldm.lambda1", server.pid).run()) as drag:
        _, *warm = islice(drag, SWEEPS)
    assert warm[-1].pictures >= SWEEPS * Drag.STOPS
    assert warm[-1].heap - warm[0].heap < HEAP_GROWTH, warm
    assert warm[-1].server - warm[0].server < SERVER_GROWTH, warm
    stage.check_numbers()
