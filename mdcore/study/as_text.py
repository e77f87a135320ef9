"""Every reproducible number of a comparison as plain text, as printed by the exported script."""

from __future__ import annotations

from collections.abc import Iterator

from mdcore.experiment.query import number_text
from mdcore.study.comparison import Comparison
from mdcore.study.tables import UNREPEATED, tables


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
