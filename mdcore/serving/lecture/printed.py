"""The layout of printable pages: handouts and tables."""

from __future__ import annotations

from mdcore.export.web_page import web_page

STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 12pt/1.45 Georgia, serif; }
h1, h2 { font-family: system-ui, sans-serif; line-height: 1.2; }
section { break-inside: avoid; margin: 0 0 1.6rem; padding-top: .4rem; border-top: 1px solid #777; }
.question { padding: .5rem .8rem; background: var(--st-secondary-background-color);
  font-family: system-ui, sans-serif; }
.answer { border-left: 3px solid var(--st-primary-color); padding-left: .8rem; }
.notes { border: 1px dashed #777; padding: .5rem .8rem; font-style: italic; }
code { overflow-wrap: anywhere; }
math { margin: .6rem 0; }
table { border-collapse: collapse; font: 9.5pt/1.3 system-ui, sans-serif; }
th, td { padding: .1rem .5rem; border-bottom: 1px solid #999; text-align: left; }
"""


def printed_page(title: str, body: str) -> str:
    """Return a complete page; `title` is plain text, `body` is HTML."""
    return web_page(title, f"<main>\n{body}\n</main>", style=STYLE)
