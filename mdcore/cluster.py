"""Distribution of work to a dask cluster: connecting, checking versions, sending shared data, and cancelling.

Data that all tasks need are sent once to each worker, including workers that join later. Only a few tasks are submitted
at a time, so that a dead worker loses few; the scheduler gives these to another worker. A cancelled task ends on its
worker too. joblib's backend for dask gives no control back to its caller before the next result, so that cancelling
would wait for one.
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, Generic, Self, TypeVar
from uuid import uuid4

from sklearn.exceptions import ConvergenceWarning

from mdcore.basics.source_code import code_digest
from mdcore.basics.threads import libraries
from mdcore.solvers.budget import raise_if_stopped, stoppable

Task = TypeVar("Task")
Outcome = TypeVar("Outcome")

CONNECT_TIMEOUT = 10  # timeout of the connection to the scheduler, in seconds
WINDOW = 2  # tasks submitted per thread of the cluster
POLL_INTERVAL = 0.05  # seconds between polls for results

_LOCK = Lock()
_CLIENTS: dict[str, Any] = {}  # the clients of this process, by address
_FUNCTIONS: dict[str, Any] = {}  # on a worker: the functions received, by name


class NoCluster(ValueError):
    """Raised if there is no cluster at the address, or none that can do the work."""


class TaskLost(NoCluster):
    """A task that ended every worker that ran it, or that the cluster lost."""


class TaskWindow(Generic[Task, Outcome]):
    """The tasks of one job on a cluster, of which only a window is submitted at a time, while the context is open.

    `take` returns the next task, or None if there is none now.
    """

    def __init__(self, address: str, function: Callable[[Task], Outcome], take: Callable[[], Task | None]) -> None:
        from distributed import as_completed

        self._client, self._name, self._take = _client(address), f"margin-lab-{uuid4().hex}", take
        self._completed = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)
        self._submitted: dict[str, tuple[Task, Any]] = {}  # by key: the task and its future
        self._client.register_plugin(_delivery_plugin(self._name, function))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # a cluster that is gone needs no cleanup
            self._client.cancel([future for _, future in self._submitted.values()])
            self._client.unregister_worker_plugin(self._name)

    def step(self) -> list[tuple[Task, Outcome | Exception]]:
        """Submit tasks while there is room, and return those that have ended since, with their outcomes or errors."""
        if self._client.status != "running":
            raise NoCluster(
                "The connection to the cluster was lost. Finished results are kept; start again to compute the rest."
            )
        room = WINDOW * max(1, sum(self._client.nthreads().values()))
        while len(self._submitted) < room and (task := self._take()) is not None:
            self._submit(task)
        ended = self._completed.next_batch(block=False)
        return [(self._submitted.pop(future.key)[0], _outcome(future, result)) for future, result in ended]

    def _submit(self, task: Task) -> None:
        key = f"{self._name}-{uuid4().hex}"
        future = self._client.submit(run_task, self._name, task, key=key, retries=0)
        self._submitted[key] = task, future
        self._completed.add(future)


def run_tasks(
    address: str, function: Callable[[Task], Outcome], tasks: Sequence[Task]
) -> Iterator[tuple[Task, Outcome]]:
    """Yield each task with its outcome, in the order in which they finish; an exception of one task ends all.

    If the work of this thread is cancelled (`stoppable`), the tasks are cancelled on the workers too.
    """
    left, waiting = len(tasks), iter(tasks)
    with TaskWindow(address, function, lambda: next(waiting, None)) as window:
        while left:
            raise_if_stopped()
            ended = window.step()
            for task, outcome in ended:
                if isinstance(outcome, Exception):
                    raise outcome
                yield task, outcome
            left -= len(ended)
            if not ended:
                time.sleep(POLL_INTERVAL)


def _outcome(future: Any, result: Any) -> Any:
    """Return the outcome of a task, or the error that it ended with."""
    from distributed import KilledWorker

    if future.status == "finished":
        return result
    error = result[1] if isinstance(result, tuple) else result
    if isinstance(error, KilledWorker):
        return TaskLost(
            "One part of this job ended every worker that ran it, probably because memory ran out. Start workers with "
            "more memory, or use fewer rows."
        )
    if isinstance(error, Exception):
        return error
    return TaskLost("The cluster lost a part of this job. See the scheduler's log for the reason.")


def _client(address: str) -> Any:
    """Return this process's client of a cluster, after checking that it is there and has the same packages and code."""
    with _LOCK:
        client = _CLIENTS.get(address)
        if client is None or client.status != "running":
            client = _CLIENTS[address] = _connect(address)
        _check(client, address)
        return client


def _connect(address: str) -> Any:
    try:
        from distributed import Client
        from distributed.comm.addressing import parse_address
        from distributed.comm.registry import get_backend
    except ImportError:
        raise NoCluster(
            "Running on a cluster needs the optional packages [dask]: pip install 'mdcore[dask]'."
        ) from None
    logging.getLogger("distributed").setLevel(logging.ERROR)  # lost workers are handled here
    try:
        get_backend(parse_address(address)[0])  # an unknown protocol would leave a client half initialised
        return Client(address, timeout=CONNECT_TIMEOUT, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise NoCluster(
            f"No cluster answers at {address} ({error}). Start one with `dask scheduler` and `dask worker {address}`, "
            "or leave the address out to run on this machine."
        ) from None


def run_task(name: str, task: Any) -> Any:
    """Compute one task; runs on a worker."""
    from distributed import get_worker

    worker = get_worker()
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        state = worker.state.tasks.get(key)
        return state is None or state.state == "cancelled"

    with stoppable(is_cancelled), libraries().limit(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # every result says whether it converged
        return _FUNCTIONS[name](task)


def _check(client: Any, address: str) -> None:
    try:
        client.get_versions(check=True)
    except ValueError as error:
        raise NoCluster(f"The cluster at {address} has other package versions than this process: {error}") from None
    if not client.scheduler_info(n_workers=-1)["workers"]:
        raise NoCluster(f"The cluster at {address} has no workers. Start some: `dask worker {address}`.")
    digests = client.run(code_digest, on_error="return")
    for worker, digest in digests.items():
        if digest != code_digest():
            found = f"it reports {digest}" if isinstance(digest, BaseException) else f"its code is {digest[:12]}"
            raise NoCluster(
                f"The worker {worker} has another version of mdcore than this process ({code_digest()[:12]}): {found}. "
                "Install the same version there, and restart the worker."
            )


def _delivery_plugin(name: str, function: Any) -> Any:
    from distributed import WorkerPlugin

    class DeliveryPlugin(WorkerPlugin):
        """A plugin that delivers the function to every worker, and removes it at the end."""

        def __init__(self) -> None:
            self.name, self.function = name, function

        def setup(self, worker: Any) -> None:
            functions()[self.name] = self.function

        def teardown(self, worker: Any) -> None:
            del functions()[self.name]

    return DeliveryPlugin()


def functions() -> dict[str, Any]:
    """Return the functions that a worker has received; the plugin, which is sent by value, has no other way to them."""
    return _FUNCTIONS
