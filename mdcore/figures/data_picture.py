"""The picture of data before a comparison, as HTML: rows in a plane, checks, and every column by class."""

from __future__ import annotations

from html import escape

import numpy as np

from mdcore.basics.text import count, label_text, percent, shortened
from mdcore.figures.scale import scale_of
from mdcore.study.data_picture import ColumnPicture, DataPicture

WIDE, HIGH = 400, 320  # px of the plane
COLUMN_WIDE, COLUMN_HIGH = 100, 60
MOST_DRAWN = 40  # columns
MOST_CLASSES = 6  # classes with a mark of their own, the most frequent; the others share the last
MARKS = (
    "h0",
    "m-3 2.5l3 -5.5l3 5.5z",
    "m-2.5 -2.5h5v5h-5z",
    "m0 -3.5l3.5 3.5l-3.5 3.5l-3.5 -3.5z",
    "m-3 0h6m-3 -3v6",
    "m-2.5 -2.5l5 5m0 -5l-5 5",
)

STYLE = """<style>
.picture {
  --a: light-dark(#2f363f, #e4e8ec); --b: light-dark(#878f99, #79828c); --c: light-dark(#1e62c4, #7fb2ff);
  --d: light-dark(#007a5e, #3ecfa5); --e: light-dark(#ad5a00, #f0a24a); --f: light-dark(#a0308a, #e58bd3);
  display: grid; grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); gap: 1.5rem;
}
.picture figure { margin: 0; }
.picture figcaption, .picture .small { color: color-mix(in srgb, currentColor 75%, transparent); font-size: 0.857rem; }
.picture svg { display: block; width: 100%; height: auto; }
.picture .plane { background: color-mix(in srgb, currentColor 5%, transparent); }
.picture ul { margin: 0.5rem 0 0; padding: 0; list-style: none; }
.picture li { margin: 0 0 0.25rem; padding: 0; }
.picture .columns { display: grid; grid-template-columns: repeat(auto-fill, minmax(6.2rem, 1fr)); gap: 0.6rem 0.75rem; }
.picture .columns p { margin: 0; line-height: 1.2; overflow-wrap: anywhere; font-size: 0.857rem; }
.picture h3 { margin: 0 0 0.5rem; padding: 0; font-size: 1rem; }
.picture .key { display: inline-flex; align-items: center; gap: 0.3rem; margin-right: 1rem; }
.picture .key svg { width: 14px; }
.picture .mark { stroke-linecap: round; stroke-linejoin: round; }
@media (max-width: 900px) { .picture { grid-template-columns: minmax(0, 1fr); } }
</style>"""


def data_headline(found: DataPicture) -> str:
    """Return what the best column does alone."""
    if not found.columns:
        return "There is no column to learn from."
    best = found.columns[0]
    pairs = "all pairs" if len(found.classes) == 2 else "all pairs of a class and the rest"
    name = best.name[:1].upper() + best.name[1:]
    return f"{name} alone orders {percent(best.separation)} of {pairs} correctly."


def data_picture_html(found: DataPicture) -> str:
    """Return the picture, with its style; it follows the colours of the page."""
    keys = "".join(_key(found, code) for code in range(min(len(found.classes), MOST_CLASSES)))
    more = len(found.classes) - MOST_CLASSES
    others = f'<span class="small">and {more} more classes</span>' if more > 0 else ""
    shown = "all rows" if len(found.points) == found.rows else f"{len(found.points):,} of {found.rows:,} rows"
    checks = "".join(
        f"<li>{'✓' if check.fine else '<strong>!</strong>'}&ensp;{escape(check.text)}</li>" for check in found.checks
    )
    columns = "".join(_column(column) for column in found.columns[:MOST_DRAWN])
    drawn = min(len(found.columns), MOST_DRAWN)
    left = len(found.columns) + found.columns_left - drawn
    title = f"{count(drawn, 'column')}, by how well each separates the classes alone"
    rest = f'<p class="small">{count(left, "further column")} not drawn</p>' if left else ""
    caption = (
        f"{keys}{others}<br>{escape(shown)} in the plane of two principal components, {percent(found.explained, 2)} of "
        "the variance"
    )
    return (
        f'{STYLE}<div class="picture"><div><figure>{_plane(found)}<figcaption>{caption}</figcaption></figure>'
        f'<ul aria-label="Checks">{checks}</ul></div>'
        f'<div><h3>{escape(title)}</h3><div class="columns">{columns}</div>{rest}</div></div>'
    )


def _key(found: DataPicture, code: int) -> str:
    mark = f'<svg viewBox="-7 -7 14 14" height="14" aria-hidden="true">{_marks(code, "M0 0" + MARKS[code])}</svg>'
    name = shortened(label_text(found.classes[code]), 24)
    return f'<span class="key">{mark}{escape(name)} {found.counts[code]:,}</span>'


def _plane(found: DataPicture) -> str:
    x, y = (scale_of(found.points[:, axis].tolist(), least=1e-9) for axis in (0, 1))
    places = np.column_stack(
        [
            WIDE * (found.points[:, 0] - x.low) / (x.high - x.low),
            HIGH - HIGH * (found.points[:, 1] - y.low) / (y.high - y.low),
        ]
    ).round(1)
    layers = []
    for code in range(min(len(found.classes), MOST_CLASSES)):
        of = found.codes >= code if code == MOST_CLASSES - 1 else found.codes == code
        layers.append(_marks(code, "".join(f"M{a:g} {b:g}{MARKS[code]}" for a, b in places[of])))
    words = escape("Rows in the plane of two principal components, by class", quote=True)
    return f'<svg class="plane" viewBox="0 0 {WIDE} {HIGH}" role="img" aria-label="{words}">{"".join(layers)}</svg>'


def _marks(code: int, path: str) -> str:
    """Return the marks of one class: dots are strokes of no length, which keeps the path short."""
    color = f"var(--{'abcdef'[code]})"
    if code == 0:
        return f'<path class="mark" d="{path}" stroke="{color}" stroke-width="5" fill="none"/>'
    return f'<path class="mark" d="{path}" stroke="{color}" stroke-width="1" fill="{color}"/>'


def _column(column: ColumnPicture) -> str:
    gaps = f", {count(column.missing, 'gap')}" if column.missing else ""
    words = f"{column.name}: separates {percent(column.separation, 2)}{gaps}"
    draw = _mirrored if len(column.shares) == 2 else _stacked
    return (
        f'<figure><svg viewBox="0 0 {COLUMN_WIDE} {COLUMN_HIGH}" role="img" aria-label="{escape(words, quote=True)}">'
        f"{draw(column)}</svg><p>{escape(shortened(column.name, 28))} "
        f'<span class="small">{percent(column.separation, 2)}{gaps}</span></p></figure>'
    )


def _mirrored(column: ColumnPicture) -> str:
    """Draw the first class upwards and the second downwards."""
    high = column.shares.max() or 1.0
    middle, wide = COLUMN_HIGH / 2, COLUMN_WIDE / column.shares.shape[1]
    parts = []
    for code, sign in ((0, -1), (1, 1)):
        tall = (middle - 1) * column.shares[code] / high
        bars = "".join(
            f"M{at * wide:.1f} {middle:g}v{sign * h:.1f}h{0.85 * wide:.1f}v{-sign * h:.1f}z"
            for at, h in enumerate(tall)
            if h > 0
        )
        parts.append(f'<path d="{bars}" fill="var(--{"ab"[code]})"/>')
    return "".join(parts)


def _stacked(column: ColumnPicture) -> str:
    """Draw one row of bars for each of the first classes."""
    classes = min(len(column.shares), MOST_CLASSES)
    room, wide = COLUMN_HIGH / classes, COLUMN_WIDE / column.shares.shape[1]
    high = column.shares[:classes].max() or 1.0
    parts = []
    for code in range(classes):
        base, tall = (code + 1) * room, (room - 1) * column.shares[code] / high
        bars = "".join(
            f"M{at * wide:.1f} {base:.1f}v{-h:.1f}h{0.85 * wide:.1f}v{h:.1f}z" for at, h in enumerate(tall) if h > 0
        )
        parts.append(f'<path d="{bars}" fill="var(--{"abcdef"[code]})"/>')
    return "".join(parts)
