"""Whether a comparison names the faults planted in tables, and raises no alarm on clean ones.

A fault is named by a note of its kind; an alarm is a prominent note. Clean tables are made with independent rows, or
drawn without replacement from real ones, as they are or with every column permuted within each class, which leaves
neither twins nor copies beyond those of chance. Some real tables are not clean, and only used permuted: in `SOURCES`
several rows come from one source by their documentation, in the others there are copies or nearly equal columns.

`python -m benchmarks.planted_tables` uses the sets of scikit-learn; `--folder` adds every CSV file of a folder whose
last column is the class. Every method is fitted with default parameters.
"""

from __future__ import annotations

import argparse
import csv
import io
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import beta

from mdcore.data import propose, read_table, select
from mdcore.study import Note, compare, data_of_table, first_plan, fitting_score, notes, sentence
from tests import planted

Make = Callable[[int], bytes]

METHODS = ("svm",)  # and the reference learners
FAULTS: dict[str, tuple[str, Make]] = {
    "groups with a name": ("groups", planted.grouped),
    "groups with an odd name": ("twins", partial(planted.grouped, name="Aktenzeichen")),
    "groups without a name": ("twins", partial(planted.grouped, name="")),
    "pairs without a name": ("twins", partial(planted.grouped, groups=100, size=2, name="")),
    "sources of two to six rows": ("twins", planted.sources),
    "copies of numbers": ("copies", planted.copied),
    "copies of codes": ("copies", planted.copied_codes),
    "drift": ("drift", planted.drifting),
    "a column in two units": ("equal columns", planted.doubled),
    "a column written afterwards": ("telling columns", planted.written_afterwards),
    "numbers in the order of the classes": ("telling columns", planted.sorted_numbers),
    "many levels": ("many levels", planted.many_levels),
}
MADE: tuple[Make, ...] = (
    planted.ungrouped,
    planted.easy,
    planted.rare,
    planted.codes,
    partial(planted.codes, dependent=True),
    partial(planted.codes, levels=2, columns=8, dependent=True),
    planted.steady,
    partial(planted.many_levels, levels=(6, 4)),
    partial(planted.many_levels, effect=1.0),
)
SOURCES = {
    "clean1",
    "digits",
    "letter",
    "parkinsons",
    "pendigits",
    "satimage",
    "segment",
    "sonar",
    "vehicle",
    "vehicle2",
}
COPIES = {"adult-8k", "dna", "kc1", "planning-relax"}
EQUAL_COLUMNS = {"adult", "credit-a", "hill-valley"}
NOT_CLEAN = SOURCES | COPIES | EQUAL_COLUMNS
ROWS = 400
MOST_COLUMNS = 60


def found_in(content: bytes) -> list[Note]:
    """Return the notes of a comparison with default parameters on a table whose last column is the class."""
    target = content.split(b"\n", 1)[0].decode().rpartition(",")[2].strip()
    table = read_table(content, "table.csv")
    choices = propose(table, target)
    chosen = select(table, choices)
    data = data_of_table(table, choices, chosen)
    plan = first_plan(data.y, methods=METHODS, tuning="none", positive=chosen.positive, scheme=choices.scheme)
    comparison = compare(data.X, data.y, data.preparation, plan, along=data.along)
    return notes(data, comparison, fitting_score(data.y))


def real_tables(folder: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield name, header and rows of the real tables; the last column is the class."""
    from sklearn import datasets

    for name in ("iris", "wine", "breast_cancer", "digits"):
        bunch = getattr(datasets, f"load_{name}")()
        header = [f"x{j + 1}" for j in range(bunch.data.shape[1])]
        values = np.column_stack([bunch.data, bunch.target]).tolist()
        yield name, [*header, "target"], [[*(f"{v:.6g}" for v in row[:-1]), f"c{row[-1]:.0f}"] for row in values]
    for path in sorted(Path(folder).glob("*.csv")) if folder else ():
        with path.open(newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        yield path.stem, header, rows


def drawn(rows: list[list[str]], seed: int, *, permuted: bool) -> list[list[str]]:
    """Return a sample without replacement, of the classes with ten rows or more."""
    rng = np.random.default_rng(seed)
    some = [rows[i] for i in rng.permutation(len(rows))[:ROWS]]
    labels = np.array([row[-1] for row in some])
    values, counts = np.unique(labels, return_counts=True)
    cells = np.array(some, dtype=object)[np.isin(labels, values[counts >= 10])]
    for label in values if permuted else ():
        own = np.flatnonzero(cells[:, -1] == label)
        for column in range(cells.shape[1] - 1):
            cells[own, column] = cells[rng.permutation(own), column]
    return [list(row) for row in cells]


def as_csv(header: list[str], rows: list[list[str]], seed: int) -> bytes:
    """Return a table of at most MOST_COLUMNS random columns and the class."""
    width = len(header) - 1
    kept = [*np.sort(np.random.default_rng(seed).permutation(width)[:MOST_COLUMNS]), width]
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows([[row[j] for j in kept] for row in [header, *rows]])
    return written.getvalue().encode()


def clean_tables(folder: str, made: int, draws: int) -> Iterator[tuple[str, bytes]]:
    for make in MADE:
        name = getattr(make, "func", make).__name__
        yield from ((f"{name} {seed}", make(seed)) for seed in range(1000, 1000 + made))
    for name, header, rows in real_tables(folder):
        for seed in range(draws):
            yield f"{name} permuted {seed}", as_csv(header, drawn(rows, seed, permuted=True), seed)
            if name not in NOT_CLEAN:
                yield f"{name} {seed}", as_csv(header, drawn(rows, seed, permuted=False), seed)


def upper_limit(alarms: int, tables: int) -> float:
    """Return the upper 95 % confidence limit of a share (Clopper and Pearson)."""
    return 1.0 if alarms == tables else float(beta.ppf(0.95, alarms + 1, tables - alarms))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default="", help="a folder of CSV files, the class in the last column")
    parser.add_argument("--faults", type=int, default=9, help="tables of every fault (default: %(default)s)")
    parser.add_argument("--made", type=int, default=6, help="clean tables of every kind made (default: %(default)s)")
    parser.add_argument("--draws", type=int, default=2, help="samples of every real table (default: %(default)s)")
    options = parser.parse_args()
    begun = time.process_time()
    tables = missed = 0
    for name, (kind, make) in FAULTS.items():
        told = [found_in(make(seed)) for seed in range(options.faults)]
        named = sum(any(note.kind == kind for note in one) for one in told)
        prominent = sum(any(note.kind == kind and note.prominent for note in one) for one in told)
        tables, missed = tables + len(told), missed + len(told) - named
        print(f"{name:36} {kind:16} named {named} of {len(told)}, prominently {prominent}", flush=True)
    clean = alarms = 0
    for name, content in clean_tables(options.folder, options.made, options.draws):
        told = [note for note in found_in(content) if note.prominent]
        clean, alarms = clean + 1, alarms + bool(told)
        print(f"\r{clean} clean tables, {alarms} with an alarm", end="", flush=True)
        print("".join(f"\n  {name}: {sentence(note)}" for note in told), end="\n" if told else "")
    print(f"Faults: {tables - missed} of {tables} named.")
    limit = upper_limit(alarms, clean)
    print(f"\nClean: an alarm on {alarms} of {clean} tables; upper 95 % limit {100 * limit:.2g} %.")
    print(f"{time.process_time() - begun:.0f} s of processor time")


if __name__ == "__main__":
    main()
