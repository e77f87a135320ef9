"""What a run will take, and what is left of it: from the seconds of the cells that are done."""

from __future__ import annotations

from dataclasses import dataclass

from mdcore.papers.store import Store


@dataclass(frozen=True)
class Cost:
    """Of the cells that are not done: how many, their fits, and their seconds on one processor, None where unknown."""

    cells: int
    fits: int
    seconds: float | None


def cost_left(store: Store, run: str) -> Cost:
    """A cell takes as long as those of its set and method did, else as those of its method per fit, else as any."""
    rows = store.rows(
        "SELECT dataset, method, cell.fits AS fits, state, seconds + selection_seconds AS took "
        "FROM run_cell JOIN cell ON cell.id = run_cell.cell LEFT JOIN result ON result.cell = cell.id WHERE run = ?",
        run,
    )
    seen: dict[tuple[str, ...], tuple[float, int]] = {}
    for row in rows:
        if row["state"] == "done":
            for key in ((row["dataset"], row["method"]), (row["method"],), ()):
                took, fits = seen.get(key, (0.0, 0))
                seen[key] = took + row["took"], fits + row["fits"]
    left = [row for row in rows if row["state"] in ("open", "leased")]
    fits = sum(row["fits"] for row in left)
    if not seen:
        return Cost(len(left), fits, 0.0 if not left else None)
    total = 0.0
    for row in left:
        keys = ((row["dataset"], row["method"]), (row["method"],), ())
        took, made = next(seen[key] for key in keys if key in seen)
        total += row["fits"] * took / made
    return Cost(len(left), fits, total)
