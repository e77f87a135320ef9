"""The result of a comparison as plain data, as `python -m mdcore compare --json` writes it, and its tables as CSV, with
exact numbers and no content that a spreadsheet would execute."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping, Sequence
from typing import Any

from mdcore.data.tables.writing import write_csv
from mdcore.margins.distribution import Scale
from mdcore.study import MAJORITY, SCORES, Comparison, Note, answer, is_reference, sentence
from mdcore.study import tables as tables_of
from mdcore.study.plan import TUNING_NAMES
from mdcore.study.shown_tables import example_frame
from mdcore.study.tables import ALL_SCORES, CLASSES, DIFFERENCES, LEADERBOARD, MARGINS, Record
from mdcore.study.wording import CONDITIONS

DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date in a zip file; a fixed date makes equal archives for equal comparisons


def comparison_record(
    comparison: Comparison, score: str, remarks: Sequence[str], notes: Sequence[Note]
) -> dict[str, Any]:
    """Return headline, leaderboard, scores of each method and of the majority class, differences by every score, and
    notes.

    `remarks` on the data come before the notes; `facts` holds the notes with their figures.
    """
    found = {
        name: [{column: _plain(value) for column, value in record.items()} for record in records]
        for name, records in tables_of(comparison, "geometric").items()
    }
    *methods, baseline = found[ALL_SCORES]
    return {
        "headline": answer(comparison, score),
        "score": score,
        "complete": comparison.complete,
        "rows": len(comparison.y),
        "classes": {str(label): int((comparison.y == label).sum()) for label in comparison.classes},
        "positive": None if comparison.plan.positive is None else str(comparison.plan.positive),
        "splits": comparison.plan.repeats,
        "scheme": comparison.plan.scheme,
        "parameters": TUNING_NAMES[comparison.plan.tuning],
        "leaderboard": [record for record in found[LEADERBOARD] if record["score"] == score],
        "methods": {record["method"]: _method(comparison, record, found[CLASSES]) for record in methods},
        MAJORITY: baseline,
        "differences": found[DIFFERENCES],
        "margins": found[MARGINS],
        "notes": [*remarks, *map(sentence, notes)],
        "facts": [_fact(note) for note in notes],
        "versions": dict(comparison.versions),
    }


def _method(comparison: Comparison, record: Record, classes: list[Record]) -> Record:
    """Return the scores of a method with those of every split and class, and the parameters of every split."""
    key = record["method"]
    return record | {
        "reference": is_reference(key),
        "by_split": {name: [_plain(value) for value in comparison.by_split(key, name).values()] for name in SCORES},
        "by_class": [row for row in classes if row["method"] == key],
        "params": [{name: _plain(value) for name, value in result.params.items()} for result in comparison.of(key)],
        "tried": [result.tried for result in comparison.of(key)],
    }


def _fact(note: Note) -> dict[str, Any]:
    return {
        "kind": note.kind,
        "prominent": note.prominent,
        "text": sentence(note),
        "figures": {name: _plain(value) for name, value in note.figures.items()},
        "contrasts": [
            {
                "method": one.key,
                "score": one.score,
                "as_planned": {"condition": CONDITIONS[one.as_planned], "mean": float(one.planned.mean())},
                "otherwise": {"condition": CONDITIONS[one.otherwise], "mean": float(one.other.mean())},
                "gap": one.gap,
                "standard_error": one.noise,
            }
            for one in note.contrasts
        ],
    }


def _plain(value: Any) -> Any:
    """Return the value, or None for NaN and infinity, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


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
