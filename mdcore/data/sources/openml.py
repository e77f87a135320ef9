"""Tables from OpenML, by name or id, through scikit-learn, which downloads each once and caches it on disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError

from mdcore.data.tables.detection import Finding
from mdcore.data.tables.problems import DataProblem
from mdcore.data.tables.reading import Origin, Table, make_table

Progress = Callable[[str], None]
SECONDS_BETWEEN_REPORTS = 0.5


def read_openml(which: str | int, progress: Progress = lambda _: None, *, folder: Path | None = None) -> Table:
    """Return the table with the given name or id; `progress` is called repeatedly with the amount downloaded.

    `folder` defaults to scikit-learn's data folder.
    """
    from sklearn.datasets import get_data_home

    wanted = str(which).strip()
    if not wanted:
        raise DataProblem("no name", "OpenML")
    home = Path(get_data_home(None if folder is None else str(folder)))
    progress(f"Asking OpenML for {wanted}")
    found = _with_progress(lambda: _fetch(wanted, home), home, progress)
    return _table(found, wanted)


def _fetch(wanted: str, home: Path) -> Any:
    from sklearn.datasets import fetch_openml

    address: dict[str, Any] = {"data_id": int(wanted)} if wanted.isdecimal() else {"name": wanted}
    try:
        return fetch_openml(**address, as_frame=True, parser="pandas", data_home=str(home), n_retries=1)
    except HTTPError as error:
        raise DataProblem("HTTP status", "OpenML", wanted=wanted, status=error.code) from None
    except (URLError, ConnectionError, TimeoutError) as error:
        reason = getattr(error, "reason", error)
        raise DataProblem("offline", "OpenML", error=reason) from None
    except ValueError as error:
        raise DataProblem("unreadable", "OpenML", wanted=wanted, error=error) from None


def _with_progress(fetch: Callable[[], Any], home: Path, progress: Progress) -> Any:
    """Return the result of `fetch`; meanwhile report the growth of the cache, as scikit-learn reports no progress."""
    before = _size(home)
    with ThreadPoolExecutor(max_workers=1) as worker:
        running = worker.submit(fetch)
        while not wait([running], timeout=SECONDS_BETWEEN_REPORTS).done:
            arrived = (_size(home) - before) / 2**20
            progress(f"{arrived:.1f} MiB downloaded" if arrived >= 0.1 else "Waiting for OpenML")
        return running.result()


def _size(home: Path) -> int:
    total = 0
    for folder, _, files in os.walk(home / "openml"):
        for name in files:
            with suppress(FileNotFoundError):  # scikit-learn may have moved the file
                total += os.stat(os.path.join(folder, name)).st_size
    return total


def _table(found: Any, wanted: str) -> Table:
    details = found.details
    name = f"{details['name']} (OpenML {details['id']})"
    frame = found.frame
    plain = {column: frame[column].astype(object) for column in frame.columns if frame[column].dtype.kind not in "iuf"}
    frame = frame.assign(**plain)
    frame.columns = frame.columns.map(str)
    targets = list(found.target_names)
    target = Finding(targets[0], "OpenML") if len(targets) == 1 else None
    return make_table(name, frame, Origin("openml", str(details["id"])), target=target)
