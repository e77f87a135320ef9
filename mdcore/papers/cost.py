"""Estimates of the time and memory that cells need, from the times of finished cells."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from mdcore.papers.cells import Cell
from mdcore.papers.margin_table import MOST_BYTES
from mdcore.papers.protocol import TableProtocol
from mdcore.papers.sets import Rows
from mdcore.papers.store import Store
from mdcore.spaces.space import MATRICES_PER_FIT

PROCESS = 300 * 2.0**20  # bytes of a worker process before it loads data
COPIES = 3.0  # how often a worker holds the rows of its set in memory

Place = tuple[str, str, int]  # set, method and number of fits of a cell


@dataclass(frozen=True)
class Cost:
    """The unfinished cells: their number, their fits, and their seconds on one processor (None if unknown)."""

    cells: int
    fits: int
    seconds: float | None


def cost_left(store: Store, run: str) -> Cost:
    """Return the cost of the unfinished cells of a run."""
    rows = store.rows(
        "SELECT paper, tab, dataset, method, fits FROM run_cell JOIN cell ON cell.id = cell "
        "WHERE run = ? AND state IN ('open', 'leased')",
        run,
    )
    return _cost(store, [(row["dataset"], row["method"], row["fits"]) for row in rows], {row["paper"] for row in rows})


def cost_of(store: Store, cells: Collection[Cell]) -> Cost:
    """Return the cost of those of the given cells that the store does not hold as done; they need not be planned
    yet."""
    done = {row["id"] for row in store.rows("SELECT id FROM cell WHERE state = 'done'")}
    left = [cell for cell in cells if cell.id not in done]
    places = [(cell.task.dataset, cell.task.method, cell.fits) for cell in left]
    return _cost(store, places, {cell.task.paper for cell in left})


def bytes_of(table: TableProtocol, sets: Iterable[Rows]) -> float:
    """Return an upper bound on the memory of one worker for these sets, in bytes."""
    largest = 0.0
    for rows in sets:
        data, share = rows.dataset, table.set(rows.name).train
        train = share if isinstance(share, int) else share * data.n
        pairs = 0.0 if table.kernel == "linear" else 8.0 * MATRICES_PER_FIT * train**2
        largest = max(largest, 8.0 * COPIES * data.n * data.d + pairs)
    return PROCESS + largest + (MOST_BYTES if table.measure == "margin" else 0.0)


def _cost(store: Store, left: list[Place], papers: set[str]) -> Cost:
    """Estimate each cell from the mean seconds per fit of the finished cells of its set and method, else of its method,
    else of all cells of the same papers."""
    fits = sum(each for _, _, each in left)
    seen: dict[tuple[str, ...], tuple[float, int]] = {}
    for row in store.rows(
        "SELECT paper, dataset, method, sum(seconds + selection_seconds) AS took, sum(result.fits) AS made "
        "FROM cell JOIN result ON result.cell = cell.id GROUP BY paper, dataset, method"
    ):
        if row["paper"] in papers:
            for key in ((row["dataset"], row["method"]), (row["method"],), ()):
                took, made = seen.get(key, (0.0, 0))
                seen[key] = took + row["took"], made + row["made"]
    if left and not seen:
        return Cost(len(left), fits, None)
    total = 0.0
    for dataset, method, each in left:
        took, made = next(seen[key] for key in ((dataset, method), (method,), ()) if key in seen)
        total += each * took / made
    return Cost(len(left), fits, total)
