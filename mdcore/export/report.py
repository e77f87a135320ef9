"""The report of a comparison in one HTML file: interactive figures, tables, choices, versions and the script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from mdcore.data.splitting import GROUPS, RANDOM, TIME
from mdcore.export.script import DataCode, script
from mdcore.export.web_page import web_page
from mdcore.figures import (
    band_figure,
    confusion_figure,
    difference_figure,
    figure_html,
    plotly_library,
    score_figure,
)
from mdcore.margin import OF_SCALE, PARTS, SCALES, Scale
from mdcore.study import (
    LOG_ODDS,
    SCORES,
    VOTES,
    WHAT_TESTS_SAY,
    WHY_TWO_TESTS,
    Comparison,
    Result,
    band,
    differences,
    examples,
    fitting_score,
    headline,
    majority_row,
    margin_axis,
)
from mdcore.study import margin_summary as margins_of
from mdcore.study import summary as scores_of
from mdcore.text import fixed, label_text, percent, plus_minus, short, steady

MOST_ROWS = 50
SCHEMES = {RANDOM: "stratified", GROUPS: "by groups", TIME: "in the order of time"}
STYLE = """
:root { --rule: color-mix(in srgb, currentColor 16%, transparent); }
body { font-size: 16px; line-height: 1.5; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--rule); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid var(--rule); white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.facts td { white-space: normal; text-align: left; }
pre { background: var(--st-secondary-background-color); padding: 1rem; overflow-x: auto; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); }
.note { color: color-mix(in srgb, currentColor 80%, transparent); max-width: 48rem; }
"""


def report(
    comparison: Comparison,
    title: str,
    choices: Sequence[tuple[str, str]],
    data: DataCode,
    scale: Scale,
    row_names: Sequence[Any],
    notes: Sequence[str] = (),
) -> str:
    """Return the page.

    `choices` describes the choices about the data in words, `row_names` are the names of the rows, and `notes` are the
    notes on the comparison.
    """
    body = "\n".join(
        [
            f"<h1>{escape(title)}</h1>",
            f"<p><strong>{escape(headline(comparison, fitting_score(comparison.y)))}</strong></p>",
            *(_note(line) for line in notes),
            _section("What was compared", _facts(comparison, choices)),
            _section("Scores", _scores(comparison)),
            _section("Differences", _differences(comparison)),
            _section("Margins", _margins(comparison, scale)),
            _section("Predicted and true classes", _confusion(comparison)),
            _section("The hardest rows", _examples(comparison, scale, row_names)),
            _section("Made with", _table(("package", "version"), comparison.versions)),
            _section("Script", f"<pre>{escape(script(comparison, data))}</pre>"),
        ]
    )
    return web_page(title, body, style=STYLE, head=plotly_library())


def _section(title: str, content: str) -> str:
    return f"<h2>{escape(title)}</h2>\n{content}"


def _facts(comparison: Comparison, choices: Sequence[tuple[str, str]]) -> str:
    plan = comparison.plan
    counts = ", ".join(f"{label_text(label)}: {(comparison.y == label).sum():,}" for label in comparison.classes)
    kernel = plan.kernel
    facts = [
        *choices,
        ("rows", f"{len(comparison.y):,}"),
        ("classes", counts),
        (
            "splits",
            f"{plan.repeats}, {SCHEMES[plan.scheme]}, {percent(plan.test, 2)} of the rows for testing, seeds from "
            f"{plan.seed}",
        ),
        ("kernel", f"{kernel.name}, γ = {kernel.gamma}, bias {'yes' if kernel.bias else 'no'}"),
        *_large_data_facts(comparison),
        *((comparison.names[key], _candidate(comparison, key)) for key in comparison.keys),
    ]
    unfinished = "" if comparison.complete else "<p><strong>Stopped before all splits were done.</strong></p>"
    return f'{unfinished}<div class="facts">{_table(("", ""), facts)}</div>'


def _large_data_facts(comparison: Comparison) -> list[tuple[str, str]]:
    """Return the measures taken for large data."""
    plan, facts = comparison.plan, []
    fewer = [result for result in comparison.outcomes if isinstance(result, Result) and result.n_fit < result.n_train]
    if fewer:
        rows = f"a stratified sample of {fewer[0].n_fit:,} of the {fewer[0].n_train:,} training rows of each split"
        facts.append(("kernel methods are fitted on", rows))
    spanned = [result for result in comparison.outcomes if isinstance(result, Result) and result.landmarks]
    if spanned:
        facts.append(("kernel methods use all rows", f"through {plan.landmarks} landmarks"))
    if plan.nystroem:
        facts.append(("linear methods are fitted to", f"{plan.nystroem} Nystroem features of the kernel"))
    return facts


def _candidate(comparison: Comparison, key: str) -> str:
    plan = comparison.plan
    candidate = plan.candidate(key)
    if not plan.is_tuned(candidate):
        return candidate.settings
    alternatives = [
        f"{candidate.symbols[name]} in {', '.join(short(value) for value in values)}" for name, values in candidate.grid
    ]
    widths = plan.widths_for(candidate.method)
    if len(widths) > 1:
        alternatives.append(f"γ times {', '.join(short(width) for width in widths)}")
    criterion, tried = plan.criterion.replace("_", " "), plan.alternatives(candidate)
    grid = "; ".join(alternatives)
    return f"chosen by {plan.folds}-fold cross-validation on {criterion}, {tried:,} alternatives out of: {grid}"


def _scores(comparison: Comparison) -> str:
    found = [*scores_of(comparison), majority_row(comparison)]
    faults = [name for name in ("not_converged", "failed") if any(row[name] for row in found)]
    header = ("method", *SCORES.values(), "rows fitted", "fit, s", *(name.replace("_", " ") for name in faults))
    rows = [
        (
            row["method"],
            *(plus_minus(row[name], row[f"{name}_sd"]) for name in SCORES),
            f"{row['n_fit']:,}",
            steady(row["seconds"]),
            *(row[name] for name in faults),
        )
        for row in found
    ]
    note = "Mean ± standard deviation over the splits, on test rows."
    reasons = dict.fromkeys(failure.reason for failure in comparison.failures)
    problems = "".join(f"<p>Failed: {escape(reason)}</p>" for reason in reasons)
    return (
        _note(note)
        + _table(header, rows)
        + problems
        + figure_html(score_figure(comparison, fitting_score(comparison.y)))
    )


def _differences(comparison: Comparison) -> str:
    parts = [_note(WHY_TWO_TESTS), _note(WHAT_TESTS_SAY[comparison.plan.scheme])]
    for score, title in SCORES.items():
        found = differences(comparison, score)
        if not found:
            return _note("A paired test needs at least two methods and two splits.")
        rows = [
            (
                " − ".join(comparison.title(key) for key in (d.first, d.second)),
                fixed(d.mean, 3),
                f"{fixed(d.corrected.low, 3)} to {fixed(d.corrected.high, 3)}",
                f"{d.wins}/{d.ties}/{d.losses}",
                steady(d.corrected.p),
                steady(d.adjusted),
                steady(d.plain.p),
                percent(d.practical.neither, 2),
            )
            for d in found
        ]
        header = ("pair", "mean", "95 % interval", "win/tie/loss", "p corrected", "p Holm", "p plain", "no difference")
        parts += [f"<h3>{escape(title)}</h3>", _table(header, rows)]
        if score == fitting_score(comparison.y):
            parts.append(figure_html(difference_figure(comparison, found, score)))
    return "".join(parts)


def _margins(comparison: Comparison, scale: Scale) -> str:
    if not comparison.keys_done:
        return _note("No split was finished.")
    t = margin_axis(comparison, scale)
    places = ((key, part) for key in comparison.with_margins for part in PARTS)
    bands = {(key, part): band(comparison, key, part, scale, t) for key, part in places}
    names = OF_SCALE
    note = "Median over the splits; at each t, the band covers the middle 80 % of the splits."
    parts = [_note(note), figure_html(band_figure(comparison, bands, scale))]
    if len(comparison.with_margins) < len(comparison.keys_done):
        parts.append(_note(LOG_ODDS))
    if comparison.voting:
        parts.append(_note(f"{VOTES} {', '.join(comparison.voting)}."))
    for shown in SCALES:
        rows = [
            (row["method"], row["part"], *(f"{steady(row[n])} ± {steady(row[f'{n}_sd'])}" for n in names))
            for row in margins_of(comparison, shown)
        ]
        parts += [f"<h3>On the {shown} scale</h3>", _table(("method", "part", *names), rows)]
    return "".join(parts)


def _examples(comparison: Comparison, scale: Scale, row_names: Sequence[Any]) -> str:
    found = examples(comparison, scale)
    methods = list(comparison.names.values())
    header = ("row", "class", "tested", *(f"{m} {what}" for m in methods for what in ("margin", "wrong")))
    rows = []
    for i in range(min(MOST_ROWS, len(found.rows))):
        values = [
            text for key in comparison.keys for text in (steady(found.margin[key][i]), percent(found.wrong[key][i], 2))
        ]
        rows.append((row_names[found.rows[i]], comparison.y[found.rows[i]], found.tested[i], *values))
    note = f"The {len(rows)} test rows that the methods most often misclassify; row numbers start at 0."
    return _note(note) + _table(header, rows)


def _confusion(comparison: Comparison) -> str:
    figures = "".join(f"<div>{figure_html(confusion_figure(comparison, key))}</div>" for key in comparison.keys_done)
    return (
        _note("Sum over all splits; the colour is the share of the true class.") + f'<div class="grid">{figures}</div>'
    )


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(str(cell))}</th>" for cell in header)
    lines = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
