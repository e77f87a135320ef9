"""Work in the background of a session: it goes on while its user looks at other pages, and ends with the session."""

from __future__ import annotations

import logging
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mdcore.solvers.budget import Stopped, heed_stop, stoppable

T = TypeVar("T")


@dataclass
class _Shared(Generic[T]):
    """What the thread and the session both see. The thread holds no more than this: the job itself can be let go."""

    items: list[T] = field(default_factory=list)
    cancel: threading.Event = field(default_factory=threading.Event)
    finished: threading.Event = field(default_factory=threading.Event)
    problem: str = ""


class Job(Generic[T]):
    """Collects what an iterator yields, in a thread of its own. `subject` says what the job is about."""

    def __init__(self, subject: Hashable, total: int, iterate: Callable[[], Iterator[T]]) -> None:
        self.subject = subject
        self.total = total
        self._shared: _Shared[T] = _Shared()
        threading.Thread(target=_work, args=(iterate, self._shared), daemon=True).start()
        weakref.finalize(self, self._shared.cancel.set)

    @property
    def items(self) -> tuple[T, ...]:
        """What there is so far."""
        return tuple(self._shared.items)

    @property
    def share(self) -> float:
        return min(1.0, len(self._shared.items) / self.total)

    @property
    def running(self) -> bool:
        return not self._shared.finished.is_set()

    @property
    def cancelled(self) -> bool:
        return self._shared.cancel.is_set()

    @property
    def problem(self) -> str:
        """Why it ended early, where it did so by itself."""
        return self._shared.problem

    def cancel(self) -> None:
        self._shared.cancel.set()

    def wait(self) -> None:
        self._shared.finished.wait()


def _work(iterate: Callable[[], Iterator[T]], shared: _Shared[T]) -> None:
    try:
        with suppress(Stopped), stoppable(shared.cancel.is_set):
            for item in iterate():
                shared.items.append(item)
                heed_stop()
    except ValueError as error:
        shared.problem = str(error)
    except Exception:  # the last place before the thread ends: nobody else could tell the user
        logging.getLogger(__name__).exception("A job failed")
        shared.problem = "The computation failed before it was done; the server's log says where. Try other settings."
    finally:
        shared.finished.set()
