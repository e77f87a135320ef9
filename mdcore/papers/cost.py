"""What cells will take, from the seconds of those that are done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from mdcore.papers.cells import Cell
from mdcore.papers.store import Store

Place = tuple[str, str, int]  # set, method and fits of a cell


@dataclass(frozen=True)
class Cost:
    """Of the cells that are not done: how many, their fits, and their seconds on one processor, None where unknown."""

    cells: int
    fits: int
    seconds: float | None


def cost_left(store: Store, run: str) -> Cost:
    """Of a run."""
    rows = store.rows(
        "SELECT paper, tab, dataset, method, fits FROM run_cell JOIN cell ON cell.id = cell "
        "WHERE run = ? AND state IN ('open', 'leased')",
        run,
    )
    return _cost(store, [(row["dataset"], row["method"], row["fits"]) for row in rows], {row["paper"] for row in rows})


def cost_of(store: Store, cells: Collection[Cell]) -> Cost:
    """Of cells that may not be planned yet."""
    done = {row["id"] for row in store.rows("SELECT id FROM cell WHERE state = 'done'")}
    left = [cell for cell in cells if cell.id not in done]
    places = [(cell.task.dataset, cell.task.method, cell.fits) for cell in left]
    return _cost(store, places, {cell.task.paper for cell in left})


def _cost(store: Store, left: list[Place], papers: set[str]) -> Cost:
    """A cell takes as long a fit as those of its set and method did, else as those of its method, else as any."""
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
