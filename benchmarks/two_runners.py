"""`python -m benchmarks.two_runners`: two runners that share a store, against one, on the same table.

Each runner has one worker, so that two need two idle processors. Time is measured from the first result to the last,
which excludes Python's startup. The tables must be equal byte for byte, and no runner may find the store locked.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from mdcore.papers.store import Store

TABLE = ["--paper", "ldm-2014", "--table", "3", "--datasets", "wdbc", "--methods", "svm,komd,ldm"]
GOAL = 1.8


@dataclass(frozen=True)
class Timed:
    """The exported table, the seconds per cell, and the runners' messages."""

    table: bytes
    seconds_a_cell: float
    said: str


def timed(folder: Path, splits: int, runners: int) -> Timed:
    """Start `runners` runners at once on a new store, and wait for all of them."""
    folder.mkdir()
    store = folder / "store.db"
    tables = [folder / f"{number}.csv" for number in range(runners)]
    command = [sys.executable, "-m", "mdcore", "tables", *TABLE, "--splits", str(splits), "--jobs", "1"]
    begun = [
        subprocess.Popen(
            [*command, "--store", str(store), "--export", str(table)],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        )
        for table in tables
    ]  # fmt: skip
    said = "".join(runner.communicate()[1] for runner in begun)
    if any(runner.returncode for runner in begun):
        raise RuntimeError(f"A runner failed:\n{said}")
    with Store(store) as opened:
        (row,) = opened.rows("SELECT max(finished) - min(finished) AS seconds, count(*) AS cells FROM result")
    (same,) = {table.read_bytes() for table in tables}
    return Timed(same, row["seconds"] / (row["cells"] - 1), said)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.two_runners", description=__doc__)
    parser.add_argument("--splits", type=int, default=30)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        one = timed(Path(root) / "one", chosen.splits, 1)
        two = timed(Path(root) / "two", chosen.splits, 2)
    ratio, locked = one.seconds_a_cell / two.seconds_a_cell, "locked" in one.said + two.said
    print(f"one runner {1e3 * one.seconds_a_cell:.0f} ms per cell, two {1e3 * two.seconds_a_cell:.0f} ms")
    print(f"{ratio:.2f} times as fast: {'met' if ratio >= GOAL else 'NOT met'}, at least {GOAL}")
    print(f"the store was {'LOCKED' if locked else 'never locked'}")
    print(f"the tables are {'identical' if one.table == two.table else 'NOT identical'}")
    if ratio < GOAL or locked or one.table != two.table:
        sys.exit(1)


if __name__ == "__main__":
    main()
