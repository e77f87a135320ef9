"""The leaderboard of a comparison as an HTML table: every split as a dot, means with intervals, differences to the
best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from mdcore.basics.shown_table import ShownTable
from mdcore.basics.text import NONE, count, in_sentence, percent, short
from mdcore.figures.scale import Scale, scale_of
from mdcore.figures.style import ink
from mdcore.study.board import Board, Line
from mdcore.study.differences import EQUIVALENT
from mdcore.study.scores import SCORES
from mdcore.study.shown_tables import BOARD, board_table

LAST = ("p", "gain", "time")  # columns of the table behind the drawings
APART = 1.6  # per cent of the width: dots closer than this stand above each other
RISE = 5  # px between such dots
HIGHEST = 4  # dots above each other, at most; further ones share the highest place
BASELINE_FAR = 0.25  # a baseline further than this below the worst method is told in words, not drawn to scale

STYLE = """<style>
.board { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; line-height: 1.25; }
.board :is(th, td) {
  padding: 0.15rem 0 0.15rem 0.75rem; border: 0; text-align: right; vertical-align: middle; white-space: normal;
}
.board :is(th, td):first-child { padding-left: 0; text-align: left; }
.board tbody :is(th, td) { border-top: 1px solid color-mix(in srgb, currentColor 16%, transparent); }
.board thead th, .board-note, .board .small {
  color: color-mix(in srgb, currentColor 75%, transparent); font-size: 0.857rem; font-weight: 400;
}
.board-note.board-note { margin: 0.25rem 0 0; line-height: 1.3; }
.board thead th { vertical-align: bottom; }
.board thead .wide { text-align: left; }
.board tbody th { color: var(--ink); font-weight: 600; }
.board tbody tr.base th { color: inherit; font-weight: 400; }
.board .name { min-width: 7.5rem; overflow-wrap: break-word; }
.board .dots { width: 34%; }
.board .gap { width: 30%; }
.board .none { text-align: left; }
.board td.gap { text-align: center; }
.board svg { display: block; width: 100%; overflow: visible; }
.board svg .own { stroke: var(--ink); fill: var(--ink); }
.board svg .dot { fill: var(--ink); fill-opacity: 0.5; stroke: none; }
.board svg :is(.grid, .zero) { stroke: color-mix(in srgb, currentColor 14%, transparent); }
.board svg .zero { stroke: currentColor; }
.board svg .within { fill: color-mix(in srgb, currentColor 8%, transparent); }
.board svg text { fill: color-mix(in srgb, currentColor 75%, transparent); font-size: 12px; text-anchor: middle; }
.board td.mean { font-size: 1.15rem; white-space: nowrap; }
.board :is(.p, .gain, .time) { white-space: nowrap; }
.board .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 640px) {
  .board thead, .board .axis { display: none; }
  .board, .board tbody { display: block; }
  .board tbody tr {
    display: grid; grid-template-columns: 1fr auto; padding: 0.4rem 0;
    border-top: 1px solid color-mix(in srgb, currentColor 16%, transparent);
  }
  .board tbody :is(th, td) { padding: 0.1rem 0; border: 0; }
  .board tbody :is(.dots, .gap, .none) { grid-column: 1 / -1; width: 100%; }
  .board tbody .mean { order: -1; }
  .board tbody .name { order: -2; }
  .board tbody :is(.p, .gain, .time):not(:empty)::before {
    content: attr(data-head) " "; color: color-mix(in srgb, currentColor 75%, transparent); font-size: 0.857rem;
  }
  .board tbody td { text-align: left; }
}
</style>"""


def board_html(found: Board) -> str:
    """Return the table, with its style; it follows the colours of the page."""
    shown = [line for line in found.lines if line.values]
    without = [line for line in found.lines if not line.values]
    methods = [line for line in shown if not line.is_baseline] or shown
    scores = scale_of(_ends(_near(shown, methods)), least=0.02)
    gaps = scale_of([0.0, *_gap_ends(_near(shown, methods))], least=4 * EQUIVALENT)
    table = board_table(found)
    texts = dict(zip((line.key for line in found.lines), table.texts, strict=True))
    rows = [_row(found, line, texts[line.key], scores, gaps) for line in shown]
    rows += [_row_without(found, line) for line in without]
    heads = _heads(found, table)
    axis = (
        f'<tr class="axis" aria-hidden="true"><td></td><td>{_axis(scores, "percent")}</td><td></td>'
        f"<td>{_axis(gaps, 'points') if len(shown) > 1 else ''}</td>{'<td></td>' * (len(heads) - 4)}</tr>"
    )
    head = "".join(f'<th scope="col" class="{name}">{escape(text)}</th>' for name, text in heads)
    words = escape(board_words(found), quote=True)
    return (
        f'{STYLE}<table class="board" aria-label="{words}"><thead><tr>{head}</tr></thead>'
        f'<tbody>{"".join(rows)}{axis}</tbody></table><p class="board-note">{escape(_note(found))}</p>'
    )


def _heads(found: Board, table: ShownTable) -> list[tuple[str, str]]:
    every = "each split, mean, 95 % interval" if found.complete else "each split so far, mean"
    apart = BOARD["gap"].title + (", interval for all pairs at once" if found.complete else "")
    heads = [("name", BOARD["name"].title), ("wide dots", every), ("mean", BOARD["mean"].title), ("wide gap", apart)]
    return [*heads, *((name, column.title) for name, column in table.columns.items() if name in LAST)]


def _note(found: Board) -> str:
    within = "Grey: within one point of the best."
    if not found.complete:
        return f"{within} No intervals and no p before all {found.plan.repeats} splits are done."
    return (
        f"{within} The intervals of a mean and of what tuning gained are single ones; those of differences hold for "
        f"all {count(len(found.tests), 'pair')} at once, the baseline among them, as Holm's p does. Seconds of "
        "choosing parameters and of fitting, mean over the splits."
    )


def _row(found: Board, line: Line, texts: Mapping[str, str], scores: Scale, gaps: Scale) -> str:
    cells = [
        f'<th scope="row" class="name">{escape(line.name)}</th>',
        f'<td class="dots">{_dots(line, scores)}{_unseen(_mean_text(line))}</td>',
        f'<td class="mean">{escape(texts["mean"])}</td>',
        f'<td class="gap">{_gap(found, line, texts["gap"], gaps)}</td>',
    ]
    for name in LAST:
        if name in texts:
            text = "" if texts[name] == NONE else escape(texts[name])
            cells.append(f'<td class="{name}" data-head="{escape(BOARD[name].title)}">{text}</td>')
    light, dark = ink(line.key)
    kind = ' class="base"' if line.is_baseline else ""
    return (
        f'<tr{kind} data-method="{escape(line.key)}" style="--ink: light-dark({light}, {dark})">{"".join(cells)}</tr>'
    )


def _row_without(found: Board, line: Line) -> str:
    """Return the row of a method that has no result yet, or never will."""
    failed = "failed on every split: the reason is below" if found.complete else "failed so far: the reason is below"
    why = failed if line.failed else "no result yet"
    return (
        f'<tr><th scope="row" class="name">{escape(line.name)}</th><td colspan="6" class="small none">{why}</td></tr>'
    )


def _dots(line: Line, scores: Scale) -> str:
    """Draw the splits as dots under the mean with its interval; nothing of a line that is far off the scale."""
    if line.mean < scores.low:
        return f'<svg height="40" aria-hidden="true">{_grid(scores, 40)}</svg>'
    own = _interval(scores, line.mean, line.low, line.high, 9)
    heights: list[tuple[float, int]] = []
    dots = []
    for split, value in sorted(line.values.items(), key=lambda item: item[1]):
        if value != value:
            continue
        x = scores.place(value)
        level = sum(1 for other, _ in heights if x - other < APART)
        heights = [(other, high) for other, high in heights if x - other < APART] + [(x, level)]
        y = 35 - RISE * min(level, HIGHEST - 1)
        title = f"<title>split {split + 1}: {escape(percent(value))}</title>"
        dots.append(f'<circle class="dot" cx="{x}%" cy="{y}" r="2.5">{title}</circle>')
    return f'<svg height="40" aria-hidden="true">{_grid(scores, 40)}{"".join(dots)}{own}</svg>'


def _gap(found: Board, line: Line, text: str, gaps: Scale) -> str:
    """Draw the difference to the best with its interval, and write it below."""
    if line.gap is None:
        return f'<div class="small">{"" if line.is_baseline else text if found.complete else f"{text} so far"}</div>'
    within = gaps.place(-EQUIVALENT), gaps.place(EQUIVALENT)
    band = f'<rect class="within" x="{within[0]}%" width="{within[1] - within[0]:.2f}%" y="0" height="22"/>'
    zero = f'<line class="zero" x1="{gaps.place(0)}%" x2="{gaps.place(0)}%" y1="0" y2="22"/>'
    own = "" if line.gap.mean < gaps.low else _interval(gaps, line.gap.mean, line.gap.low, line.gap.high, 11)
    drawing = f'<svg height="22" aria-hidden="true">{band}{_grid(gaps, 22)}{zero}{own}</svg>'
    return f'{drawing}<div class="small">{escape(text)}</div>'


def _interval(scale: Scale, mean: float, low: float | None, high: float | None, y: int) -> str:
    point = f'<circle class="own" cx="{scale.place(mean)}%" cy="{y}" r="4.5"/>'
    if low is None or high is None:
        return point
    ends = f'x1="{scale.place(low)}%" x2="{scale.place(high)}%"'
    return f'<line class="own" stroke-width="2.5" {ends} y1="{y}" y2="{y}"/>{point}'


def _grid(scale: Scale, height: int) -> str:
    places = [scale.place(tick) for tick in scale.ticks()]
    return "".join(f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="{height}"/>' for x in places)


def _axis(scale: Scale, unit: str) -> str:
    ticks = scale.ticks()
    texts = [short(100 * tick) for tick in ticks]
    if texts:
        texts[-1] += " %" if unit == "percent" else ""
    labels = "".join(
        f'<text x="{scale.place(tick)}%" y="12">{escape(text)}</text>' for tick, text in zip(ticks, texts, strict=True)
    )
    return f'<svg height="16">{labels}</svg>'


def _near(shown: Sequence[Line], methods: Sequence[Line]) -> list[Line]:
    """Return the lines that set the scales: not the baseline if it is far below all methods."""
    lowest = min(line.mean for line in methods)
    return [line for line in shown if not line.is_baseline or lowest - line.mean < BASELINE_FAR]


def _ends(lines: Sequence[Line]) -> list[float | None]:
    return [value for line in lines for value in (*line.values.values(), line.low, line.high)]


def _gap_ends(lines: Sequence[Line]) -> list[float | None]:
    return [value for line in lines if line.gap for value in (line.gap.mean, line.gap.low, line.gap.high)]


def _mean_text(line: Line) -> str:
    if line.low is None or line.high is None:
        return f"{count(len(line.values), 'split')}"
    return f"95 % interval {percent(line.low)} to {percent(line.high)}, {count(len(line.values), 'split')}"


def _unseen(text: str) -> str:
    return f'<span class="unseen">{escape(text)}</span>'


def board_words(found: Board) -> str:
    """Return the name of the table for those who hear it."""
    return f"Leaderboard by {in_sentence(SCORES[found.score])}, best first."
