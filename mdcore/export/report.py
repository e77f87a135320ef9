"""The report of a comparison in one HTML file: interactive figures, tables, choices, versions and the script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from mdcore.basics.shown_table import ShownTable
from mdcore.basics.text import label_text, listed, percent, short
from mdcore.export.script import DataCode, script
from mdcore.export.web_page import web_page
from mdcore.figures import band_figure, board_html, confusion_figure, figure_html, plotly_library
from mdcore.margins.distribution import PARTS, SCALES, Scale
from mdcore.study import (
    SCORES,
    WHAT_TESTS_SAY,
    WHY_TWO_TESTS,
    Comparison,
    band,
    basis,
    board,
    fitting_score,
    headline,
    margin_axis,
    split_words,
    unit_notes,
)
from mdcore.study.search import WAY, WIDTH
from mdcore.study.shown_tables import (
    class_table,
    example_columns,
    example_frame,
    margin_table,
    pair_table,
    score_table,
)

MOST_ROWS = 50
OF_CLASSES = "Over the test rows of all splits together."
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
    answer = board(comparison, fitting_score(comparison.y))
    body = "\n".join(
        [
            f"<h1>{escape(title)}</h1>",
            f"<p><strong>{escape(headline(answer))}</strong> {escape(basis(answer))}</p>",
            *(_note(line) for line in notes),
            _section("Which method?", f'<div class="scroll">{board_html(answer)}</div>'),
            _section("What was compared", _facts(comparison, choices)),
            _section("Scores", _scores(comparison)),
            _section("Differences", _differences(comparison)),
            _section("Precision and recall", f"{_note(OF_CLASSES)}{_shown(class_table(comparison))}"),
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
            f"{split_words(plan)}, {percent(plan.test, 2)} of the rows for testing, seeds from {plan.seed}",
        ),
        ("kernel", f"{kernel.name}, γ = {kernel.gamma}, bias {'yes' if kernel.bias else 'no'}"),
        *_large_data_facts(comparison),
        *((comparison.names[key], _candidate(comparison, key)) for key in comparison.keys),
    ]
    unfinished = "" if comparison.complete else "<p><strong>Stopped before all splits were done.</strong></p>"
    return f'{unfinished}<div class="facts">{_table(("", ""), facts)}</div>'


def _large_data_facts(comparison: Comparison) -> list[tuple[str, str]]:
    """Return the measures taken for large data."""
    plan, facts = comparison.plan, list[tuple[str, str]]()
    for key in comparison.keys_done:
        first, within = comparison.of(key)[0], plan.candidate(key).within
        if first.landmarks:
            facts.append((f"{comparison.names[key]} is fitted on", f"all rows, through {within.note}"))
        elif first.n_fit < first.n_train:
            rows = f"a stratified sample of {first.n_fit:,} of the {first.n_train:,} training rows of each split"
            facts.append((f"{comparison.names[key]} is fitted on", rows))
    if plan.nystroem:
        facts.append(("linear methods are fitted to", f"{plan.nystroem} Nystroem features of the kernel"))
    return facts


def _candidate(comparison: Comparison, key: str) -> str:
    plan = comparison.plan
    candidate = plan.candidate(key)
    if not plan.is_tuned(candidate):
        return candidate.settings
    if candidate.effort:
        return _searched(comparison, key)
    alternatives = [
        f"{candidate.symbols[name]} in {', '.join(short(value) for value in values)}" for name, values in candidate.grid
    ]
    widths = plan.widths_for(candidate.method)
    if len(widths) > 1:
        alternatives.append(f"γ times {', '.join(short(width) for width in widths)}")
    criterion, tried = plan.criterion.replace("_", " "), plan.alternatives(candidate)
    grid = "; ".join(alternatives)
    return f"chosen by {plan.folds}-fold cross-validation on {criterion}, {tried:,} alternatives out of: {grid}"


def _searched(comparison: Comparison, key: str) -> str:
    """Return among what a search chose, and how many candidates it tried."""
    plan, tried = comparison.plan, [result.tried for result in comparison.of(key)]
    lattice = plan.lattice(plan.candidate(key), len(comparison.classes))
    symbols = plan.candidate(key).symbols | {WIDTH: "γ or the linear kernel", WAY: "one versus one or rest"}
    what = listed([symbols[axis.name] for axis in lattice.axes])
    number = f"{min(tried)} to {max(tried)} candidates tried" if tried else f"at most {plan.candidate(key).effort}"
    criterion = plan.criterion.replace("_", " ")
    return f"{what}: chosen by {plan.folds}-fold cross-validation on {criterion} inside each training part, {number}"


def _scores(comparison: Comparison) -> str:
    reasons = dict.fromkeys(failure.reason for failure in comparison.failures)
    problems = "".join(f"<p>Failed: {escape(reason)}</p>" for reason in reasons)
    return (
        _note("Mean ± standard deviation over the splits, on test rows.") + _shown(score_table(comparison)) + problems
    )


def _differences(comparison: Comparison) -> str:
    if not comparison.complete:
        return _note("There are no tests before all planned splits are done: they would depend on when one looks.")
    found = {title: pair_table(comparison, score) for score, title in SCORES.items()}
    if not any(table.rows for table in found.values()):
        return _note("A paired test needs at least two splits.")
    parts = [f"<h3>{escape(title)}</h3>{_shown(table)}" for title, table in found.items()]
    return "".join([_note(WHY_TWO_TESTS), _note(WHAT_TESTS_SAY[comparison.plan.scheme]), *parts])


def _margins(comparison: Comparison, scale: Scale) -> str:
    if not comparison.keys_done:
        return _note("No split was finished.")
    t = margin_axis(comparison, scale)
    places = ((key, part) for key in comparison.with_margins for part in PARTS)
    bands = {(key, part): band(comparison, key, part, scale, t) for key, part in places}
    note = "Median over the splits; at each t, the band covers the middle 80 % of the splits."
    parts = [_note(note), figure_html(band_figure(comparison, bands, scale))]
    parts += [_note(note) for note in unit_notes(comparison, scale)]
    parts += [f"<h3>On the {shown} scale</h3>{_shown(margin_table(comparison, shown))}" for shown in SCALES]
    return "".join(parts)


def _examples(comparison: Comparison, scale: Scale, row_names: Sequence[Any]) -> str:
    rows = example_frame(comparison, scale, row_names)[:MOST_ROWS].to_dict("records")
    note = f"The {len(rows)} test rows that the methods most often misclassify; row numbers start at 0."
    return _note(note) + _shown(ShownTable(example_columns(comparison), rows))


def _confusion(comparison: Comparison) -> str:
    figures = "".join(f"<div>{figure_html(confusion_figure(comparison, key))}</div>" for key in comparison.keys_done)
    return (
        _note("Sum over all splits; the colour is the share of the true class.") + f'<div class="grid">{figures}</div>'
    )


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def _shown(table: ShownTable) -> str:
    heads, *rows = table.lines
    return _table(heads, rows)


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    head = "".join(f"<th>{escape(str(cell))}</th>" for cell in header)
    lines = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
