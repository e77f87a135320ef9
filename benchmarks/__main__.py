"""`make bench`: print the ratios, and write them into docs/benchmarks.md."""

from __future__ import annotations

import argparse
import warnings
from importlib import import_module

from threadpoolctl import threadpool_limits

from benchmarks.results import PARTS, load, measured, save


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="part to run; repeatable (default: all)")
    parser.add_argument("--print", action="store_true", help="only print the ratios; write nothing")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    modules = {name: import_module(f"benchmarks.{name}") for name in chosen.only or PARTS}
    threadpool_limits(1)  # the same for every side, now that the libraries are loaded
    results = load()
    for name, module in modules.items():
        rows = []
        for row in module.rows():
            print(f"{row.what}: {row.ratio:.3g} times {row.peer} {row.verdict} [{row.quality}]", flush=True)
            rows.append(row)
        part = measured(rows)
        if part is not None and not chosen.print:
            save(results := {**results, name: part})


if __name__ == "__main__":
    main()
