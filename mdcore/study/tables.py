"""The tables of a comparison. The page, the command, the report, CSV and JSON files and scripts take theirs from
here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mdcore.experiment.query import number_text
from mdcore.margins.distribution import OF_SCALE, PARTS, Scale
from mdcore.study.board import Board, board
from mdcore.study.comparison import Comparison, unit_of
from mdcore.study.differences import Difference, family
from mdcore.study.references import MAJORITY
from mdcore.study.scores import SCORES

Record = dict[str, Any]
Tables = Mapping[str, list[Record]]

LEADERBOARD, ALL_SCORES, SPLITS, DIFFERENCES = "leaderboard", "scores", "splits", "differences"
CLASSES, MARGINS, CONFUSION = "classes", "margins", "confusion"
UNREPEATED = ("seconds", "gap")  # ends of the names of columns that no other run repeats: times, and errors of rounding


def tables(comparison: Comparison, scale: Scale) -> Tables:
    """Return records with equal columns by the name of the table."""
    boards = {score: board(comparison, score) for score in SCORES}
    return {
        LEADERBOARD: [record for found in boards.values() for record in leaderboard(found)],
        ALL_SCORES: [*summary(comparison), majority_row(comparison)],
        SPLITS: split_records(comparison),
        DIFFERENCES: [{"score": score, **_difference(d)} for score, found in boards.items() for d in found.tests],
        CLASSES: class_records(comparison),
        MARGINS: margin_summary(comparison, scale),
        CONFUSION: _confusion(comparison),
    }


def leaderboard(found: Board) -> list[Record]:
    """Return one record for each line of a leaderboard, best first."""
    return [
        {
            "score": found.score,
            "place": place,
            "method": line.key,
            "name": line.name,
            "splits": len(line.values),
            "mean": line.mean,
            "sd": line.deviation,
            "low": line.low,
            "high": line.high,
            "to_best": line.gap.mean if line.gap else None,
            "to_best_low": line.gap.low if line.gap else None,
            "to_best_high": line.gap.high if line.gap else None,
            "p_holm": line.gap.p if line.gap else None,
            "tuning_gained": line.gain.mean if line.gain else None,
            "tuning_gained_low": line.gain.low if line.gain else None,
            "tuning_gained_high": line.gain.high if line.gain else None,
            "tuning_seconds": line.tuning_seconds,
            "fit_seconds": line.fit_seconds,
            "failed": line.failed,
            "not_converged": line.not_converged,
        }
        for place, line in enumerate(found.lines, 1)
    ]


def summary(comparison: Comparison) -> list[dict[str, Any]]:
    """Return one row per method: scores with their spread, times, number of rows fitted, and how the fits ended."""
    rows = []
    for key in comparison.keys:
        done = comparison.of(key)
        row: dict[str, Any] = {"method": key, "name": comparison.names[key], "splits": len(done)}
        for name in SCORES:
            reached = comparison.spread(key, name)
            row |= {name: reached.mean, f"{name}_sd": reached.deviation}
        row["n_fit"] = done[0].n_fit if done else 0
        row["landmarks"] = done[0].landmarks if done else 0
        row["gap"] = max((result.gap for result in done), default=np.nan)
        row["exact_gap"] = done[0].exact_gap if done else np.nan
        for name in ("seconds", "selection_seconds"):
            row[name] = float(np.mean([getattr(result, name) for result in done])) if done else np.nan
        row["not_converged"] = sum(not result.converged for result in done)
        row["failed"] = sum(failure.key == key for failure in comparison.failures)
        rows.append(row)
    return rows


def margin_summary(comparison: Comparison, scale: Scale) -> list[dict[str, Any]]:
    """Return one row per method and part: mean and deviation of each margin statistic over the splits."""
    rows = []
    for key in comparison.keys:
        for part in PARTS:
            unit = unit_of(comparison, key, scale)
            row: dict[str, Any] = {"method": key, "name": comparison.names[key], "part": part, "unit": unit}
            for name in OF_SCALE:
                reached = comparison.statistic(key, part, name, scale)
                row |= {name: reached.mean, f"{name}_sd": reached.deviation}
            rows.append(row)
    return rows


def majority_row(comparison: Comparison) -> Record:
    """Return the row of `summary` for the majority class, which needs no fit."""
    row: Record = {"method": MAJORITY, "name": comparison.baseline_name, "splits": comparison.plan.repeats}
    for name in SCORES:
        reached = comparison.spread(MAJORITY, name)
        row |= {name: reached.mean, f"{name}_sd": reached.deviation}
    nothing = dict.fromkeys(("seconds", "selection_seconds", "not_converged", "failed", "landmarks"), 0)
    return row | {"n_fit": len(comparison.splits[0][0])} | nothing | {"gap": np.nan, "exact_gap": np.nan}


def split_records(comparison: Comparison) -> list[Record]:
    """Return one record for every method and split, a failed one with its reason."""
    names = list(dict.fromkeys(name for key in comparison.keys for r in comparison.of(key) for name in r.params))
    records: list[Record] = []
    for key in comparison.keys:
        for r in comparison.of(key):
            records.append(
                {"method": key, "split": r.split + 1}
                | r.scores
                | {f"untuned_{score}": r.untuned.get(score) for score in SCORES}
                | {"tried": r.tried, "n_fit": r.n_fit, "n_train": r.n_train, "n_test": len(r.test)}
                | {"tuning_seconds": r.selection_seconds, "fit_seconds": r.seconds, "converged": r.converged}
                | {name: r.params.get(name) for name in names}
                | {"failure": None}
            )
    columns = dict.fromkeys(records[0] if records else ("method", "split", *SCORES, "failure"))
    for failure in comparison.failures:
        place = {"method": failure.key, "split": failure.split + 1}
        records.append(columns | place | {"failure": failure.reason})
    return records


def class_records(comparison: Comparison) -> list[Record]:
    """Return precision and recall of every method for every class, from the test rows of all splits together."""
    records = []
    for key in comparison.keys_done:
        counts = comparison.confusion(key)
        right, true, predicted = np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0)
        for code, label in enumerate(comparison.classes.tolist()):
            records.append(
                {
                    "method": key,
                    "class": label,
                    "precision": float(right[code] / predicted[code]) if predicted[code] else None,
                    "recall": float(right[code] / true[code]) if true[code] else None,
                    "tested": int(true[code]),
                    "predicted": int(predicted[code]),
                }
            )
    return records


def difference_records(comparison: Comparison, score: str) -> list[Record]:
    """Return one record for every pair, with the tests of their differences."""
    return [_difference(d) for d in family(comparison, score)]


def _difference(d: Difference) -> Record:
    return {
        "first": d.first,
        "second": d.second,
        "splits": d.splits,
        "mean": d.mean,
        "sd": d.deviation,
        "wins": d.wins,
        "ties": d.ties,
        "losses": d.losses,
        "low": d.corrected.low,
        "high": d.corrected.high,
        "low_all_pairs": d.low,
        "high_all_pairs": d.high,
        "p_corrected": d.corrected.p,
        "p_plain": d.plain.p,
        "p_holm": d.adjusted,
        "p_first_better": d.practical.first,
        "p_equivalent": d.practical.neither,
        "p_second_better": d.practical.second,
    }


def _confusion(comparison: Comparison) -> list[Record]:
    labels = comparison.classes.tolist()
    return [
        {"method": key, "true": true, "predicted": predicted, "count": int(count)}
        for key in comparison.keys
        for true, counts in zip(labels, comparison.confusion(key), strict=True)
        for predicted, count in zip(labels, counts, strict=True)
    ]


def numbers(comparison: Comparison) -> str:
    """Return all tables with ten digits, without times and gaps."""
    return "\n".join(_lines(comparison))


def _lines(comparison: Comparison) -> Iterator[str]:
    plan = comparison.plan
    yield f"{len(comparison.y)} rows, {plan.repeats} splits, {plan.test:g} of the rows for testing, seed {plan.seed}"
    for name, records in tables(comparison, "geometric").items():
        yield ""
        yield name
        for record in records:
            cells = (f"{column}={_short(value)}" for column, value in record.items() if not column.endswith(UNREPEATED))
            yield ", ".join(cells)


def _short(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else number_text(value)
