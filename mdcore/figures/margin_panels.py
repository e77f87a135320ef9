"""The margin curves of the methods of a comparison as small multiples, on one axis where the margins have one unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from mdcore.basics.text import short
from mdcore.figures.scale import Scale
from mdcore.figures.style import ink
from mdcore.study.margin_curves import Band

WIDE, HIGH = 172, 120  # px of a curve
LEFT, BELOW, ABOVE = 34, 20, 18  # px around it, for the texts of the axes and the name
GREY = 1.2  # px

STYLE = """<style>
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(12.5rem, 17rem)); gap: 0.5rem 1rem; }
.panels figure { margin: 0; }
.panels svg { display: block; width: 100%; height: auto; }
.panels text { fill: color-mix(in srgb, currentColor 75%, transparent); font-size: 12px; }
.panels .name { fill: var(--ink); font-size: 14px; font-weight: 600; }
.panels .grid { stroke: color-mix(in srgb, currentColor 14%, transparent); }
.panels .zero { stroke: currentColor; }
.panels .other { stroke: color-mix(in srgb, currentColor 30%, transparent); fill: none; }
.panels .own { stroke: var(--ink); stroke-width: 2.4; fill: none; }
.panels .band { fill: var(--ink); fill-opacity: 0.25; stroke: none; }
</style>"""


def margin_panels_html(groups: Sequence[Mapping[str, Band]], names: Mapping[str, str]) -> str:
    """Return one panel for each method, with its style.

    The methods of a group have one unit: they share an axis, and each panel has the group's other curves in grey.
    """
    panels = [_panel(key, group, names[key]) for group in groups for key in group]
    return f'{STYLE}<div class="panels">{"".join(panels)}</div>'


def _panel(key: str, group: Mapping[str, Band], name: str) -> str:
    band = group[key]
    scale = Scale(float(band.x[0]), float(band.x[-1]))
    others = [_line(other, scale, "other", GREY) for k, other in group.items() if k != key]
    own = _line(band, scale, "own")
    light, dark = ink(key)
    words = f"Share of held-out examples with at most a margin, {name}: half at {short(_middle(band))}."
    return (
        f'<figure style="--ink: light-dark({light}, {dark})"><svg viewBox="0 0 {LEFT + WIDE} {ABOVE + HIGH + BELOW}" '
        f'role="img" aria-label="{escape(words, quote=True)}">{_axes(scale)}{_area(band, scale)}{"".join(others)}{own}'
        f'<text class="name" x="{LEFT}" y="12">{escape(name)}</text></svg></figure>'
    )


def _middle(band: Band) -> float:
    return float(band.x[min(int(np.searchsorted(band.middle, 0.5)), len(band.x) - 1)])


def _axes(scale: Scale) -> str:
    parts = []
    for share in (0.0, 0.5, 1.0):
        y = ABOVE + HIGH * (1.0 - share)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{LEFT + WIDE}" y1="{y:g}" y2="{y:g}"/>')
        parts.append(f'<text x="{LEFT - 4}" y="{y + 4:g}" text-anchor="end">{100 * share:g}</text>')
    for tick in scale.ticks(4):
        parts.append(
            f'<text x="{_x(tick, scale):.1f}" y="{ABOVE + HIGH + 15}" text-anchor="middle">{escape(short(tick))}</text>'
        )
    if scale.low <= 0.0 <= scale.high:
        x = _x(0.0, scale)
        parts.append(f'<line class="zero" x1="{x:.1f}" x2="{x:.1f}" y1="{ABOVE}" y2="{ABOVE + HIGH}"/>')
    return "".join(parts)


def _line(band: Band, scale: Scale, kind: str, width: float | None = None) -> str:
    stroke = f' stroke-width="{width}"' if width else ""
    return f'<path class="{kind}" d="M{_path(band.x, band.middle, scale)}"{stroke}/>'


def _area(band: Band, scale: Scale) -> str:
    up, down = _path(band.x, band.high, scale), _path(band.x[::-1], band.low[::-1], scale)
    return f'<path class="band" d="M{up}L{down}Z"/>'


def _path(x: np.ndarray, y: np.ndarray, scale: Scale) -> str:
    places = (f"{_x(float(a), scale):.1f} {ABOVE + HIGH * (1.0 - b):.1f}" for a, b in zip(x, y, strict=True))
    return "L".join(places)


def _x(value: float, scale: Scale) -> float:
    return LEFT + WIDE * (value - scale.low) / (scale.high - scale.low)
