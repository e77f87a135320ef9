"""Response times: metrics for Prometheus, and a log line for each slow answer.

Neither reveals anybody's data: the log identifies a session by eight digits of the hash of its name.
"""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import Gauge, Histogram

from mdcore.serving.jobs.pool import POOL
from mdcore.serving.jobs.precedence import ACTIVE_ANSWERS

SLOW = 2.0  # seconds from which an answer is logged
BUCKETS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0)

_SECONDS = Histogram("margin_lab_seconds", "How long visitors waited for an answer", ["kind"], buckets=BUCKETS)
_JOBS = Gauge("margin_lab_jobs", "Long work of all sessions", ["state"])
_JOBS.labels("running").set_function(lambda: POOL.load[0])
_JOBS.labels("waiting").set_function(lambda: POOL.load[1])


@contextmanager
def timed(kind: str, session: str) -> Iterator[None]:
    """Time the body as an answer of this kind to a session, and give it precedence over long work."""
    begun = time.perf_counter()
    try:
        with ACTIVE_ANSWERS.first():
            yield
    finally:
        seconds = time.perf_counter() - begun
        _SECONDS.labels(kind).observe(seconds)
        if seconds >= SLOW:
            logging.getLogger(__name__).warning("%s took %.1f s for session %s", kind, seconds, alias(session))


def alias(session: str) -> str:
    """Return a short hash that distinguishes a session in the log without revealing its name."""
    return hashlib.sha256(session.encode()).hexdigest()[:8]
