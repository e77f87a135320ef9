"""`make bench`: print the ratios; with --write, also put them into the README with the date."""

from __future__ import annotations

import argparse
import datetime
import platform
import re
import warnings
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks import (
    exact_rows,
    grids,
    libodm,
    linear,
    many_rows,
    multiclass,
    online,
    peers,
    scrubber,
    solvers,
    stage,
    sweep,
    tuned,
)
from benchmarks.timing import table

README = Path(__file__).parent.parent / "README.md"
MARKERS = re.compile(r"(<!-- bench:begin -->\n).*(<!-- bench:end -->)", re.DOTALL)
PARTS = {
    "solvers": solvers.rows,
    "linear": linear.rows,
    "peers": peers.rows,
    "libodm": libodm.rows,
    "grids": grids.rows,
    "tuned": tuned.rows,
    "many_rows": many_rows.rows,
    "exact_rows": exact_rows.rows,
    "multiclass": multiclass.rows,
    "online": online.rows,
    "sweep": sweep.rows,
    "stage": stage.rows,
    "scrubber": scrubber.rows,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="part to run; repeatable (default: all)")
    parser.add_argument("--write", action="store_true", help="write the table into README.md")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    threadpool_limits(1)  # the same for every side
    rows = []
    for name in chosen.only or PARTS:
        for row in PARTS[name]():
            print(f"{row.what}: {row.ratio:.3g} times {row.peer} {row.verdict} [{row.quality}]", flush=True)
            rows.append(row)
    where = f"Measured on {datetime.date.today()}, {platform.machine()}, one BLAS thread on every side."
    text = f"{where}\n\n{table(rows)}\n"
    print("\n" + text)
    if chosen.write:
        README.write_text(MARKERS.sub(lambda found: found[1] + text + found[2], README.read_text()))


if __name__ == "__main__":
    main()
