"""The picture of the architecture in docs/, drawn from the layers that tests/test_layers.py enforces.

.venv/bin/python -m tests.architecture --write
"""

from __future__ import annotations

import sys
from html import escape
from itertools import groupby
from pathlib import Path

from tests.test_layers import LAYERS

PICTURE = Path(__file__).parents[1] / "docs" / "architecture.svg"
WIDTH, HIGH, GAP, EDGE = 760, 46, 14, 20
PER_LINE = 76  # characters
LINE = 18


def picture() -> str:
    """Return an SVG with one box per part, the highest on top, and an arrow for the direction of imports.

    Within a part, too, each package imports only from those that follow it.
    """
    boxes, y = [], EDGE
    for part, members in groupby(reversed(LAYERS), _part):
        lines = _lines([name.removeprefix(f"{part}.") for name in members if name != part])
        lines[0] = f"{part}:   {lines[0]}"
        high = HIGH + LINE * (len(lines) - 1)
        texts = "".join(
            f'<text x="{EDGE + 16}" y="{y + 28 + LINE * k}">{escape(line)}</text>' for k, line in enumerate(lines)
        )
        boxes.append(f'<rect x="{EDGE}" y="{y}" width="{WIDTH - 80}" height="{high}" rx="6"/>{texts}')
        y += high + GAP
    x, bottom = WIDTH - 34, y - GAP
    arrow = f'<path d="M{x} {EDGE}V{bottom - 8}m-6 -8l6 8l6 -8"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + EDGE}" role="img"'
        ' font-family="system-ui, sans-serif" font-size="14">\n<title>The layers of Margin Lab: imports go downward'
        " only</title>\n<style>rect{fill:#e6f2ee;stroke:#00785a}text{fill:#131817}path{fill:none;stroke:#00785a;"
        "stroke-width:2}</style>\n" + "\n".join(boxes) + f"\n{arrow}\n</svg>\n"
    )


def _part(name: str) -> str:
    """Return the part of the app in which a package is drawn."""
    known = [part for part in ("mdcore.ui", "mdcore.serving", "mdcore") if f"{name}.".startswith(f"{part}.")]
    return known[0] if known else "app"


def _lines(names: list[str]) -> list[str]:
    lines = [""]
    for name in names:
        longer = f"{lines[-1]}   {name}".strip()
        if len(longer) > PER_LINE:
            lines.append(name)
        else:
            lines[-1] = longer
    return lines


if __name__ == "__main__":
    if "--write" in sys.argv:
        PICTURE.write_text(picture(), encoding="utf-8")
    else:
        print(picture())
