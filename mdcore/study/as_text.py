"""Every reproducible number of a comparison as plain text, as printed by the exported script."""

from __future__ import annotations

from collections.abc import Iterator

from mdcore.margin import OF_SCALE
from mdcore.query import number_text
from mdcore.study.comparison import Comparison, margin_summary, summary
from mdcore.study.differences import differences
from mdcore.study.scores import SCORES


def numbers(comparison: Comparison) -> str:
    """Return scores, differences, margins and chosen parameters with ten digits, without times."""
    return "\n".join(_lines(comparison))


def _lines(comparison: Comparison) -> Iterator[str]:
    plan, n = comparison.plan, len(comparison.y)
    yield f"{n} rows, {plan.repeats} splits, {plan.test:g} of the rows for testing, seed {plan.seed}"
    yield ""
    yield "Test scores: mean, standard deviation over the splits"
    for row in summary(comparison):
        for name, title in SCORES.items():
            yield f"{row['method']}: {title} {row[name]:.10g} {row[f'{name}_sd']:.10g}"
        yield (
            f"{row['method']}: fitted on {row['n_fit']} rows, {row['splits']} splits done, "
            f"{row['not_converged']} not converged, {row['failed']} failed"
        )
    for score, title in SCORES.items():
        yield ""
        yield f"Differences in {title}: mean, wins/ties/losses, p corrected, p plain"
        for d in differences(comparison, score):
            pair = f"{comparison.names[d.first]} - {comparison.names[d.second]}"
            yield f"{pair}: {d.mean:.10g} {d.wins}/{d.ties}/{d.losses} {d.corrected.p:.10g} {d.plain.p:.10g}"
    yield ""
    yield "Geometric margins: mean over the splits"
    for row in margin_summary(comparison, "geometric"):
        values = ", ".join(f"{name} {row[name]:.10g}" for name in OF_SCALE)
        yield f"{row['method']}, {row['part']}: {values}"
    yield ""
    yield "Parameters of each split"
    for key in comparison.keys:
        for result in comparison.of(key):
            chosen = ", ".join(f"{name}={_short(value)}" for name, value in result.params.items())
            yield f"{comparison.names[key]}, split {result.split + 1}: {chosen}"
    for failure in comparison.failures:
        yield f"{comparison.names[failure.key]}, split {failure.split + 1}: {failure.reason}"


def _short(value: object) -> str:
    return f"{value:.10g}" if isinstance(value, float) else number_text(value)
