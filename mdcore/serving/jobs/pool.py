"""The pool of a server for long computations: bounded in number and memory, with an end for those whose owner has left.

A task declares how much memory it needs and starts when that much is free. It gives way to interactive answers, and
ends at the time limit; items computed by then are kept.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from mdcore.basics.memory import free_memory
from mdcore.basics.text import duration
from mdcore.serving.jobs.precedence import pausing_for_answers
from mdcore.serving.jobs.progress import Iterate, Progress
from mdcore.serving.jobs.settings import limit
from mdcore.solvers.budget import Stopped, raise_if_stopped, stoppable

T = TypeVar("T")

MAX_JOBS = max(2, (os.cpu_count() or 2) // 4)  # tasks that may run at once
THREADS = max(1, ((os.cpu_count() or 2) - 1) // MAX_JOBS)  # threads per task; one processor is reserved for the pages
GRACE = 60.0  # seconds in which a disconnected session can return to its tasks
CHECK_PERIOD = 1.0  # seconds between two checks for disconnected sessions
MINUTES = "MARGIN_LAB_JOB_MINUTES"
LONGEST = 60.0 * limit(MINUTES, 120.0)  # seconds that a task may run
EVERYBODY = "everybody"  # the owner of work shared by all sessions, which no disconnection cancels


class Task(Generic[T]):
    """A computation of the pool, in a thread that collects its items.

    It holds no reference to the Job by which a session follows it, so that the Job is freed when its session drops it.
    """

    def __init__(
        self, iterate: Iterate[T], owner: Hashable, needs: float, longest: float, shutdown_message: str
    ) -> None:
        self.owner, self.needs, self.longest, self.shutdown_message = owner, needs, longest, shutdown_message
        self.lacks_memory = False  # the task is next in line, but too little memory is free
        self.items: list[T] = []
        self.progress = Progress()
        self.cancelled = threading.Event()
        self.forgotten = False
        self.finished = threading.Event()
        self.problem = ""
        self._iterate: Iterate[T] | None = iterate

    def refuse(self, problem: str) -> None:
        self.problem = problem
        self.finished.set()

    def run(self) -> None:
        iterate, self._iterate = self._iterate, None
        self.progress.begin()
        try:
            assert iterate is not None
            with stoppable(pausing_for_answers(self._is_over)):
                for item in iterate(self.progress):
                    self.items.append(item)
                    raise_if_stopped()
            self.problem = ""  # complete, even if it was cancelled during the last step
        except Stopped:
            if not (self.forgotten or self.cancelled.is_set()):
                self.problem = _time_limit_message(self.longest)
        except ValueError as error:
            self.problem = str(error)
        except Exception:  # the thread ends here: nothing else could report the failure to the user
            logging.getLogger(__name__).exception("A job failed")
            self.problem = "The computation failed; the server's log has the details. Try other settings."
        finally:
            self.finished.set()

    def forget(self) -> None:
        """Ask the task to end, as nobody can see it any more.

        This takes no lock: the garbage collector may call it in a thread that holds one, or for which another waits.
        """
        self.forgotten = True

    def _is_over(self) -> bool:
        return self.forgotten or self.cancelled.is_set() or self.progress.seconds >= self.longest


class Pool:
    """A pool that runs a few tasks at a time, at most one per owner, and starts the others in the order of arrival.

    If a task needs more memory than the running ones leave free, it waits for them, and so do all tasks behind it;
    otherwise a series of small tasks could delay it forever. A task that does not fit even while nothing else runs is
    refused. `is_present(owner)` returns whether the owner's session is connected; the tasks of owners that stay away
    are cancelled.
    """

    def __init__(
        self,
        places: int,
        is_present: Callable[[Any], bool] = lambda owner: True,
        clock: Callable[[], float] = time.monotonic,
        free: Callable[[], float] = free_memory,
    ) -> None:
        self.is_present = is_present
        self._places, self._clock, self._free = places, clock, free
        self._free_at_rest = 0.0  # free memory when no task was running
        self._lock = threading.RLock()
        self._waiting: list[Task[Any]] = []
        self._running: list[Task[Any]] = []
        self._left: dict[Hashable, float] = {}  # the time at which each absent owner was first found absent
        self._watched = False
        self._closed = False

    def enter(self, task: Task[Any]) -> None:
        with self._lock:
            if self._closed:
                task.refuse(task.shutdown_message)
                return
            self._waiting.append(task)
            self._fill()
            if not self._watched:
                self._watched = True
                threading.Thread(target=self._watch, name="job watch", daemon=True).start()

    def before(self, task: Task[Any]) -> int:
        """Return the number of tasks ahead of this one; 0 once it has begun."""
        with self._lock:
            if task not in self._waiting:
                return 0
            return max(1, len(self._running) + self._waiting.index(task) - self._places + 1)

    def cancel(self, task: Task[Any]) -> None:
        task.cancelled.set()
        with self._lock:
            if task in self._waiting:
                self._waiting.remove(task)
                task.finished.set()

    @property
    def load(self) -> tuple[int, int]:
        """The number of running and of waiting tasks."""
        with self._lock:
            return len(self._running), len(self._waiting)

    def cancel_all(self) -> None:
        for task in [*self._waiting, *self._running]:
            self.cancel(task)

    def close(self) -> list[Task[Any]]:
        """Cancel all tasks with their shutdown messages, as the server stops, and accept no more; return the cancelled
        ones."""
        with self._lock:
            self._closed = True
            tasks = [*self._waiting, *self._running]
            for task in tasks:
                task.problem = task.shutdown_message
                self.cancel(task)
        return tasks

    def cancel_abandoned(self) -> None:
        """Cancel forgotten tasks, and those of owners who have been away for GRACE seconds."""
        with self._lock:
            tasks = [*self._waiting, *self._running]
            now = self._clock()
            owners = {task.owner for task in tasks} - {None, EVERYBODY}
            away = {owner for owner in owners if not self.is_present(owner)}
            self._left = {owner: self._left.get(owner, now) for owner in away}
            for task in tasks:
                if task.forgotten or now - self._left.get(task.owner, now) >= GRACE:
                    self.cancel(task)

    def _fill(self) -> None:
        busy = {task.owner for task in self._running if task.owner is not None}
        for task in [*self._waiting]:
            if len(self._running) >= self._places:
                return
            if task.owner in busy:
                continue
            left = self._memory_left()
            task.lacks_memory = task.needs > left
            if task.lacks_memory and self._running:
                return
            self._waiting.remove(task)
            if task.lacks_memory:
                task.refuse(_memory_message(task.needs, left))
                continue
            busy |= {task.owner} - {None}
            self._running.append(task)
            threading.Thread(target=self._run, args=(task,), name="job", daemon=True).start()

    def _memory_left(self) -> float:
        """Return the bytes not claimed by running tasks, whether or not they have allocated their share yet; at most
        the bytes free now."""
        free = self._free()
        if not self._running:
            self._free_at_rest = free
        return min(free, self._free_at_rest - sum(task.needs for task in self._running))

    def _run(self, task: Task[Any]) -> None:
        try:
            task.run()
        finally:
            with self._lock:
                self._running.remove(task)
                self._fill()

    def _watch(self) -> None:
        while True:
            time.sleep(CHECK_PERIOD)
            self.cancel_abandoned()
            with self._lock:
                if not self._waiting and not self._running:
                    self._watched = False
                    return


def _time_limit_message(longest: float) -> str:
    return (
        f"This server limits a computation to {duration(longest)}: it was stopped there, and its results so far are "
        f"kept. Ask for less at a time, or start a server with a larger {MINUTES}."
    )


def _memory_message(needs: float, left: float) -> str:
    return (
        f"This needs about {needs / 2**30:.2f} GiB of memory, but only {left / 2**30:.2f} GiB are free. Use fewer rows "
        "or fewer landmarks, or try again when other programs have ended."
    )


POOL = Pool(MAX_JOBS)
