"""The result of a comparison as plain data, as written by `python -m mdcore compare --json`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mdcore.study import MAJORITY, SCORES, Comparison, Note, answer, is_reference, sentence, tables
from mdcore.study.plan import TUNING_NAMES
from mdcore.study.tables import ALL_SCORES, CLASSES, DIFFERENCES, LEADERBOARD, MARGINS, Record
from mdcore.study.wording import CONDITIONS


def comparison_record(
    comparison: Comparison, score: str, remarks: Sequence[str], notes: Sequence[Note]
) -> dict[str, Any]:
    """Return headline, leaderboard, scores of each method and of the majority class, differences by every score, and
    notes.

    `remarks` on the data come before the notes; `facts` holds the notes with their figures.
    """
    found = {
        name: [{column: _plain(value) for column, value in record.items()} for record in records]
        for name, records in tables(comparison, "geometric").items()
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
