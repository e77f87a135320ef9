"""Tables as CSV: exact numbers, and no content that a spreadsheet would execute."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from mdcore.data.tables.writing import write_csv
from mdcore.margin import Scale
from mdcore.study import SCORES, Comparison, differences, examples, margin_summary, summary

DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip file; a fixed date makes equal archives for equal comparisons


def csv_file(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return rows with equal columns as a CSV file, marked as UTF-8 for spreadsheets."""
    return _encoded(_of_dicts(rows))


def tables(comparison: Comparison, scale: Scale, row_names: Sequence[Any]) -> Mapping[str, str]:
    """Return CSV texts by file name. `row_names` are the names of the rows in the original data."""
    return {
        "scores.csv": _of_dicts(summary(comparison)),
        "splits.csv": _splits(comparison),
        "differences.csv": _differences(comparison),
        "margins.csv": _of_dicts([{"scale": scale, **row} for row in margin_summary(comparison, scale)]),
        "examples.csv": _examples(comparison, scale, row_names),
        "confusion.csv": _confusion(comparison),
    }


def tables_archive(comparison: Comparison, scale: Scale, row_names: Sequence[Any]) -> bytes:
    """Return all tables in a zip file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in tables(comparison, scale, row_names).items():
            archive.writestr(zipfile.ZipInfo(name, DATE), _encoded(text), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def _encoded(text: str) -> bytes:
    return text.encode("utf-8-sig")


def _of_dicts(rows: Sequence[Mapping[str, Any]]) -> str:
    return write_csv(list(rows[0]), [list(row.values()) for row in rows])


def _splits(comparison: Comparison) -> str:
    names = list(dict.fromkeys(name for key in comparison.keys for r in comparison.of(key) for name in r.params))
    header = ["method", "split", *SCORES, "n_fit", "n_train", "n_test", "seconds", "converged", *names, "failure"]
    rows: list[list[Any]] = []
    for key in comparison.keys:
        method = comparison.names[key]
        for r in comparison.of(key):
            sizes = [r.n_fit, r.n_train, len(r.test), r.seconds, r.converged]
            params = [r.params.get(name) for name in names]
            rows.append([method, r.split + 1, *(r.scores[score] for score in SCORES), *sizes, *params, None])
    gaps = [None] * (len(header) - 3)
    for failure in comparison.failures:
        method = comparison.names[failure.key]
        rows.append([method, failure.split + 1, *gaps, failure.reason])
    return write_csv(header, rows)


def _differences(comparison: Comparison) -> str:
    header = ["score", "first", "second", "splits", "mean", "deviation", "wins", "ties", "losses"]
    header += [f"{name}_{test}" for test in ("corrected", "plain") for name in ("t", "p", "low", "high")]
    rows = []
    for score in SCORES:
        for d in differences(comparison, score):
            names = [comparison.names[d.first], comparison.names[d.second]]
            tests = [value for test in (d.corrected, d.plain) for value in (test.t, test.p, test.low, test.high)]
            rows.append([score, *names, d.splits, d.mean, d.deviation, d.wins, d.ties, d.losses, *tests])
    return write_csv(header, rows)


def _examples(comparison: Comparison, scale: Scale, row_names: Sequence[Any]) -> str:
    found = examples(comparison, scale)
    methods = list(comparison.names.values())
    header = ["row", "class", "times tested"]
    header += [f"{method} {what}" for method in methods for what in ("mean margin", "share wrong")]
    columns = [values for key in comparison.keys for values in (found.margin[key], found.wrong[key])]
    rows = [
        [row_names[row], comparison.y[row].item(), int(tested), *(float(column[i]) for column in columns)]
        for i, (row, tested) in enumerate(zip(found.rows, found.tested, strict=True))
    ]
    return write_csv(header, rows)


def _confusion(comparison: Comparison) -> str:
    rows = []
    for key in comparison.keys:
        counts = comparison.confusion(key)
        for i, true in enumerate(comparison.classes.tolist()):
            for j, predicted in enumerate(comparison.classes.tolist()):
                rows.append([comparison.names[key], true, predicted, int(counts[i, j])])
    return write_csv(["method", "true", "predicted", "count"], rows)
