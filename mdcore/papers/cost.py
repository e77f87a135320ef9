"""Estimates of the time and memory that cells need, from the times of finished cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mdcore.papers.cells import Cell
from mdcore.papers.margin_table import MOST_BYTES
from mdcore.papers.protocol import TableProtocol
from mdcore.papers.sets import Rows
from mdcore.papers.store import Store
from mdcore.spaces.space import MATRICES_PER_FIT

PROCESS = 300 * 2.0**20  # bytes of a worker process before it loads data
COPIES = 3.0  # how often a worker holds the rows of its set in memory


@dataclass(frozen=True)
class Cost:
    """The unfinished cells: their number, their fits, and their seconds on one processor (None if unknown)."""

    cells: int
    fits: int
    seconds: float | None


def cost_of(store: Store, cells: Iterable[Cell]) -> Cost:
    """Return the cost of those of the given cells that the store does not hold as done.

    A cell is estimated from the mean seconds per fit of the finished cells of its set and method, else of its method,
    else of all cells of the same papers.
    """
    done = store.in_state("done")
    left = [cell for cell in cells if cell.id not in done]
    papers, fits = {cell.task.paper for cell in left}, sum(cell.fits for cell in left)
    seen: dict[tuple[str, ...], tuple[float, int]] = {}
    for row in store.times():
        if row["paper"] in papers:
            for key in ((row["dataset"], row["method"]), (row["method"],), ()):
                took, made = seen.get(key, (0.0, 0))
                seen[key] = took + row["took"], made + row["made"]
    if left and not seen:
        return Cost(len(left), fits, None)
    total = 0.0
    for cell in left:
        keys = (cell.task.dataset, cell.task.method), (cell.task.method,), ()
        took, made = next(seen[key] for key in keys if key in seen)
        total += cell.fits * took / made
    return Cost(len(left), fits, total)


def bytes_of(table: TableProtocol, sets: Iterable[Rows]) -> float:
    """Return an upper bound on the memory of one worker for these sets, in bytes."""
    largest = 0.0
    for rows in sets:
        data, share = rows.dataset, table.set(rows.name).train
        train = share if isinstance(share, int) else share * data.n
        pairs = 0.0 if table.kernel == "linear" else 8.0 * MATRICES_PER_FIT * train**2
        largest = max(largest, 8.0 * COPIES * data.n * data.d + pairs)
    return PROCESS + largest + (MOST_BYTES if table.measure == "margin" else 0.0)
