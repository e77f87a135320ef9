"""The tables of a comparison as people read them: page, report and command show these columns, written alike."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from mdcore.basics.shown_table import Column, ShownTable
from mdcore.basics.text import NONE, fixed, p_text, percent, points, short, steady
from mdcore.margins.distribution import Scale
from mdcore.study.board import Board, Gap, Line
from mdcore.study.comparison import Comparison
from mdcore.study.differences import EQUIVALENT
from mdcore.study.margin_curves import examples
from mdcore.study.references import is_reference
from mdcore.study.scores import EXPLAINED, SCORES
from mdcore.study.tables import class_records, difference_records, majority_row, margin_summary, summary

if TYPE_CHECKING:
    import pandas as pd


WITH_SPREAD = "Mean ± standard deviation over the splits."
METHOD = Column("Method", "What is fitted. The page Methods says what each minimises.", pinned=True)
ALWAYS = ("splits", "n_fit", "seconds")  # other columns are shown only if one of their values is above 0
THREE_PLACES = partial(fixed, decimals=3)
COUNT = "{:,.0f}".format
OF_FITS = {
    "splits": Column("Splits", "Splits done.", text=COUNT),
    "n_fit": Column("Rows fitted", "The number of training rows that the method was fitted on.", text=COUNT),
    "gap": Column(
        "Gap, at most",
        "The relative duality gap of the problem solved, the largest of the splits; none without a certificate.",
        text=partial(short, digits=2),
    ),
    "exact_gap": Column(
        "Exact gap, at most",
        "Of kernel methods that see all rows through landmarks: the relative distance to the optimum of the exact "
        "kernel problem is at most this, on the first split. Above 100 % it is vacuous: use more landmarks.",
        text=percent,
    ),
    "seconds": Column(
        "Fit, s", "From the prepared rows to the model, kernel matrix included; mean over splits.", text=steady
    ),
    "selection_seconds": Column("Choosing, s", "Cross-validation; mean over the splits.", text=steady),
    "not_converged": Column("Not converged", "Fits that stopped before they converged.", text=COUNT),
    "failed": Column("Failed", "Splits on which the method could not be fitted.", text=COUNT),
}
PAIRS = {
    "pair": Column("Pair", "The first method minus the second, on the same splits.", "wide", pinned=True),
    "mean": Column("Difference", f"Of the scores on each split. {WITH_SPREAD}", text=THREE_PLACES, spread="sd"),
    "interval": Column("95 % interval", "Of this difference alone, corrected for the rows that splits share."),
    "interval_all": Column("Interval for all pairs", "95 % for all differences at once (Bonferroni), corrected."),
    "record": Column("Win / tie / loss", "Splits on which the first is better, equal, worse."),
    "p_corrected": Column(
        "p corrected",
        "Corrected resampled t-test, which accounts for the rows that splits share: prefer this one.",
        text=p_text,
    ),
    "p_holm": Column("p Holm", "The corrected p, adjusted for all pairs tested together.", text=p_text),
    "p_plain": Column("p plain", "Paired t-test, as in the papers.", text=p_text),
    "p_equivalent": Column(
        "No difference", f"Probability that they differ by at most one point: {EQUIVALENT:g}.", text=percent
    ),
}
CLASSES = {
    "name": METHOD,
    "class": Column("Class", "A value of the target.", pinned=True),
    "precision": Column("Precision", "Share of the rows predicted as this class that belong to it.", text=percent),
    "recall": Column("Recall", "Share of the rows of this class that are predicted as it.", text=percent),
    "tested": Column("Tested", "Test rows of this class, over all splits.", text=COUNT),
    "predicted": Column("Predicted", "Test rows predicted as this class, over all splits.", text=COUNT),
}
MARGINS = {
    "name": METHOD,
    "part": Column(
        "Rows", "Training rows, which the method is fitted to, or test rows, which it has not seen.", pinned=True
    ),
    "unit": Column(
        "Unit",
        "What a margin of one is: only margins in the same unit can be compared, and distances only in one space.",
    ),
} | {
    name: Column(name.capitalize(), f"{meaning} {WITH_SPREAD}", text=steady, spread=f"{name}_sd")
    for name, meaning in {
        "mean": "The average of the margins.",
        "variance": "The mean squared distance of the margins from their mean.",
        "semivariance": "The mean of the squared shortfall below the mean: margins above it do not count.",
        "min": "The margin of the row that is nearest to the boundary, or furthest on the wrong side.",
    }.items()
}
EXAMPLES = {
    "row": Column("Row", "Its number in the data, counted from 0.", "whole", pinned=True),
    "class": Column("Class", "The row's label in the data."),
    "times tested": Column("Tested", "Splits in which the row was a test row.", "whole"),
}
UNITS = {
    "margin": "How far the row is on the right side; negative on the wrong side.",
    "log-odds": "The logarithm of the odds that the method gives the row's class; negative if it prefers another.",
}
BOARD = {
    "name": Column("method", "What is fitted."),
    "mean": Column("mean", "Mean over the splits.", text=percent),
    "interval": Column("95 % interval", "Of the mean, corrected for the rows that splits share."),
    "gap": Column("difference to the best, points", "With its interval, which holds for all pairs at once."),
    "p": Column("Holm p", "The corrected p of this difference, adjusted for all pairs.", text=p_text),
    "gain": Column("tuning gained, points", "Over the default parameters on the same splits, with its interval."),
    "time": Column("seconds", "Of choosing parameters and of fitting, mean over the splits."),
}


def score_table(comparison: Comparison, scores: Collection[str] = tuple(SCORES)) -> ShownTable:
    """Return the scores of every method and of the majority class, and how the fits ended."""
    rows = [*summary(comparison), majority_row(comparison)]
    columns: dict[str, Column] = {"name": METHOD}
    columns |= {
        name: Column(SCORES[name], f"{EXPLAINED[name]} {WITH_SPREAD}", text=THREE_PLACES, spread=f"{name}_sd")
        for name in scores
    }
    columns |= {
        name: column for name, column in OF_FITS.items() if name in ALWAYS or any(row[name] > 0 for row in rows)
    }
    return ShownTable(columns, rows)


def pair_table(comparison: Comparison, score: str) -> ShownTable:
    """Return the tests of all pairs by a score; none before all planned splits are done."""
    rows = [
        record
        | {
            "pair": " − ".join(comparison.title(record[side]) for side in ("first", "second")),
            "interval": f"{fixed(record['low'], 3)} to {fixed(record['high'], 3)}",
            "interval_all": f"{fixed(record['low_all_pairs'], 3)} to {fixed(record['high_all_pairs'], 3)}",
            "record": f"{record['wins']} / {record['ties']} / {record['losses']}",
        }
        for record in difference_records(comparison, score)
    ]
    return ShownTable(PAIRS, rows)


def class_table(comparison: Comparison) -> ShownTable:
    rows = [record | {"name": comparison.names[record["method"]]} for record in class_records(comparison)]
    return ShownTable(CLASSES, rows)


def margin_table(comparison: Comparison, scale: Scale) -> ShownTable:
    return ShownTable(MARGINS, margin_summary(comparison, scale))


def example_frame(comparison: Comparison, scale: Scale, row_names: Sequence[Any]) -> pd.DataFrame:
    """Return every tested row, the hardest first, with its margin and share of errors for each method."""
    import pandas as pd

    found = examples(comparison, scale)
    made: dict[str, Any] = {
        "row": [row_names[row] for row in found.rows],
        "class": comparison.y[found.rows],
        "times tested": found.tested,
    }
    for key, name in comparison.names.items():
        made |= {f"{name} mean margin": found.margin[key], f"{name} share wrong": found.wrong[key]}
    return pd.DataFrame(made)


def example_columns(comparison: Comparison) -> Mapping[str, Column]:
    """Return the columns of `example_frame`."""
    columns = dict(EXAMPLES)
    for key, name in comparison.names.items():
        unit = "log-odds" if is_reference(key) else "margin"
        said, wrong = f"{UNITS[unit]} Mean over the splits that test the row.", "misclassified"
        columns[f"{name} mean margin"] = Column(f"{name} {unit}", said, "number")
        said = f"The share of those splits in which the row was {wrong}."
        columns[f"{name} share wrong"] = Column(f"{name} wrong", said, "share")
    return columns


def board_table(found: Board) -> ShownTable:
    """Return the leaderboard without its drawing, best first."""
    rows = [
        {
            "name": line.name,
            "mean": line.mean,
            "interval": NONE if line.low is None else f"{percent(line.low)} to {percent(line.high)}",
            "gap": gap_text(line.gap) if line.gap else NONE if line.is_baseline else "best",
            "p": line.gap.p if line.gap else None,
            "gain": gap_text(line.gain) if line.gain else NONE,
            "time": seconds_text(line),
        }
        for line in found.lines
    ]
    columns = {name: column for name, column in BOARD.items() if any(row[name] not in (None, NONE) for row in rows)}
    return ShownTable(columns, rows)


def gap_text(gap: Gap) -> str:
    """Return a difference in points of a hundred, with its interval."""
    mean = points(gap.mean)
    return mean if gap.low is None or gap.high is None else f"{mean} ({points(gap.low)} to {points(gap.high)})"


def seconds_text(line: Line) -> str:
    """Return the seconds of choosing parameters and of fitting."""
    if line.is_baseline:
        return ""
    fit = steady(line.fit_seconds, 2)
    return f"{steady(line.tuning_seconds, 2)} + {fit}" if line.tuning_seconds else fit or NONE
