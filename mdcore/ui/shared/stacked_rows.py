"""A table for narrow windows: one block for each row, so that no column is cut off or needs sideways scrolling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

import streamlit as st

Block = tuple[str, Sequence[tuple[str, str]]]  # the name of a row, and the heads and texts of its cells

STYLE = """<style>
.stElementContainer:has(> .stHtml > .stacked) { display: none; }
@media (max-width: 640px) {
  .stElementContainer:has(.stDataFrame):has(+ .stElementContainer > .stHtml > .stacked) { display: none; }
  .stElementContainer:has(> .stHtml > .stacked) { display: block; }
}
.stacked.stacked { margin: 0; padding: 0; list-style: none; }
.stacked.stacked li {
  margin: 0;
  padding: 0.5rem 0;
  border-top: 1px solid color-mix(in srgb, currentColor 20%, transparent);
}
.stacked.stacked dl {
  display: grid;
  grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr));
  gap: 0.25rem 0.75rem;
  margin: 0.2rem 0 0;
  padding: 0;
}
.stacked.stacked :is(dt, dd) { margin: 0; padding: 0; line-height: 1.3; }
.stacked.stacked dt { color: color-mix(in srgb, currentColor 75%, transparent); font-size: 0.8rem; font-weight: 400; }
.stacked.stacked dd { font-variant-numeric: tabular-nums; }
</style>"""


def show_stacked(blocks: Iterable[Block]) -> None:
    """Show a block for each row in a narrow window, in place of the table drawn just before."""
    st.html(f'{STYLE}<ul class="stacked">{"".join(_block(*block) for block in blocks)}</ul>')


def _block(name: str, cells: Sequence[tuple[str, str]]) -> str:
    listed = "".join(f"<div><dt>{escape(head)}</dt><dd>{escape(text)}</dd></div>" for head, text in cells)
    return f"<li><strong>{escape(name)}</strong><dl>{listed}</dl></li>"
