"""The result of a comparison as plain data, as written by `python -m mdcore compare --json`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mdcore.study import (
    MAJORITY,
    SCORES,
    Comparison,
    Difference,
    Note,
    against_majority,
    differences,
    headline,
    is_reference,
    sentence,
)


def comparison_record(
    comparison: Comparison, score: str, remarks: Sequence[str], notes: Sequence[Note]
) -> dict[str, Any]:
    """Return headline, scores of each method and of the majority class, differences by every score, and notes.

    `remarks` on the data come before the notes; `facts` holds the notes with their figures.
    """
    return {
        "headline": headline(comparison, score),
        "score": score,
        "rows": len(comparison.y),
        "classes": {str(label): int((comparison.y == label).sum()) for label in comparison.classes},
        "positive": None if comparison.plan.positive is None else str(comparison.plan.positive),
        "splits": comparison.plan.repeats,
        "scheme": comparison.plan.scheme,
        "methods": {key: _method(comparison, key) for key in comparison.keys},
        MAJORITY: {"name": comparison.baseline_name, **_scores(comparison, MAJORITY)},
        "differences": [
            _difference(name, d)
            for name in SCORES
            for d in (*differences(comparison, name), *against_majority(comparison, name))
        ],
        "notes": [*remarks, *map(sentence, notes)],
        "facts": [_fact(note) for note in notes],
        "versions": dict(comparison.versions),
    }


def _method(comparison: Comparison, key: str) -> dict[str, Any]:
    done = comparison.of(key)
    return {
        "name": comparison.names[key],
        "reference": is_reference(key),
        **_scores(comparison, key),
        "splits": len(done),
        "not_converged": sum(not result.converged for result in done),
        "params": [{name: _plain(value) for name, value in result.params.items()} for result in done],
    }


def _scores(comparison: Comparison, key: str) -> dict[str, float | None]:
    """Return mean and deviation over the splits, and the score of every split."""
    found: dict[str, Any] = {}
    for name in SCORES:
        reached = comparison.spread(key, name)
        found |= {name: _plain(reached.mean), f"{name}_sd": _plain(reached.deviation)}
    found["by_split"] = {name: [_plain(v) for v in comparison.by_split(key, name).values()] for name in SCORES}
    return found


def _difference(score: str, d: Difference) -> dict[str, Any]:
    return {
        "score": score,
        "first": d.first,
        "second": d.second,
        "mean": d.mean,
        "sd": d.deviation,
        "low": d.corrected.low,
        "high": d.corrected.high,
        "p_corrected": d.corrected.p,
        "p_plain": d.plain.p,
        "p_holm": d.adjusted,
        "p_first_better": d.practical.first,
        "p_equivalent": d.practical.neither,
        "p_second_better": d.practical.second,
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
                "as_planned": {"condition": one.as_planned, "mean": float(one.planned.mean())},
                "otherwise": {"condition": one.otherwise, "mean": float(one.other.mean())},
                "gap": one.gap,
                "standard_error": one.noise,
            }
            for one in note.contrasts
        ],
    }


def _plain(value: Any) -> Any:
    """Return the value, or None for NaN and infinity, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
