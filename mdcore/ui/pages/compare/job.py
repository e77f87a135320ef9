"""A comparison under way, in a thread of its own: the page looks in now and then. No Streamlit."""

from __future__ import annotations

import os
import threading
import weakref
from dataclasses import dataclass, field

from mdcore.memo import Recent
from mdcore.study import Comparison, Data, Plan, begin, results
from mdcore.study.comparison import Outcome
from mdcore.study.trial import Fitted, Result, refit
from mdcore.ui.pages.compare.sample import Sample

WORKERS = max(1, (os.cpu_count() or 2) - 1)  # one processor stays free for the pages


@dataclass
class _Work:
    """What the thread writes and the page reads. It holds no Job, so that a Job can go when its session goes."""

    outcomes: list[Outcome] = field(default_factory=list)
    made: int = 0
    total: int = 0
    finished: bool = False
    stop: threading.Event = field(default_factory=threading.Event)

    def progress(self, made: int, total: int) -> None:
        self.made, self.total = made, total


class Job:
    """Started when made. It lives in one session's state; when that is dropped the work stops."""

    def __init__(self, sample: Sample, plan: Plan, earlier: Comparison | None = None) -> None:
        self.sample = sample
        self.plan = plan
        data = sample.data
        self._begun = begin(data.X, data.y, data.preparation, plan, earlier)
        self._work = _Work()
        self._fitted: Recent[Fitted] = Recent(room=4)
        weakref.finalize(self, self._work.stop.set)
        arguments = (data, plan, self._begun, self._work)
        self._thread = threading.Thread(target=_carry_out, args=arguments, name="comparison", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def broken(self) -> bool:
        """Has the thread ended by an error that nobody foresaw?"""
        return not self.running and not self._work.finished

    @property
    def cancelled(self) -> bool:
        return self._work.stop.is_set() and not self.comparison.complete

    @property
    def share(self) -> float:
        return self._work.made / self._work.total if self._work.total else 0.0

    @property
    def fits(self) -> tuple[int, int]:
        return self._work.made, self._work.total

    @property
    def comparison(self) -> Comparison:
        """What is done until now."""
        return self._begun.with_outcomes(list(self._work.outcomes))

    def cancel(self) -> None:
        self._work.stop.set()

    def wait(self) -> None:
        self._thread.join()

    def fitted(self, result: Result) -> Fitted:
        """The model of a result; the last few are kept."""
        return self._fitted.get((result.key, result.split), lambda: refit(self.sample.data, self.plan, result))


def _carry_out(data: Data, plan: Plan, begun: Comparison, work: _Work) -> None:
    for outcome in results(
        data.X,
        data.y,
        data.preparation,
        plan,
        progress=work.progress,
        stop=work.stop.is_set,
        done=begun,
        jobs=WORKERS,
    ):
        work.outcomes.append(outcome)
    work.finished = True
