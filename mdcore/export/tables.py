"""Tables as CSV: exact numbers, and no content that a spreadsheet would execute."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from mdcore.data.tables.writing import write_csv
from mdcore.margins.distribution import Scale
from mdcore.study import Comparison
from mdcore.study import tables as tables_of
from mdcore.study.shown_tables import example_frame

DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip file; a fixed date makes equal archives for equal comparisons


def csv_file(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Return rows with equal columns as a CSV file, marked as UTF-8 for spreadsheets."""
    return _encoded(_of_dicts(rows))


def tables(comparison: Comparison, scale: Scale, row_names: Sequence[Any]) -> Mapping[str, str]:
    """Return CSV texts by file name. `row_names` are the names of the rows in the original data."""
    found = tables_of(comparison, scale)
    files = {f"{name}.csv": _of_dicts(records) for name, records in found.items() if records}
    rows = example_frame(comparison, scale, row_names)
    return files | {"examples.csv": write_csv([*map(str, rows)], rows.to_dict("split")["data"])}


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
