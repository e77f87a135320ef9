"""The frame of all standalone HTML pages: reports, figures, lessons, the scrubber. They are dark in a dark browser."""

from __future__ import annotations

from html import escape

# The names are those of Streamlit, which the style sheets of the stage use as well. Paper is white.
COLORS = """:root { color-scheme: light; --st-background-color: #fff; --st-text-color: #131817;
  --st-secondary-background-color: #f3f5f4; --st-primary-color: #00785a; }
@media screen and (prefers-color-scheme: dark) { :root { color-scheme: dark; --st-background-color: #12171a;
  --st-text-color: #e8edeb; --st-secondary-background-color: #1d2427; --st-primary-color: #1fa37f; } }
body { background: var(--st-background-color); color: var(--st-text-color); font-family: system-ui, sans-serif; }"""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{colors}
{style}
</style>
{head}</head>
<body>
{body}
</body>
</html>
"""


def web_page(title: str, body: str, *, style: str = "", head: str = "") -> str:
    """Return a complete page; `title` is plain text, the other arguments are HTML and CSS."""
    return PAGE.format(title=escape(title), colors=COLORS, style=style.strip("\n"), head=head, body=body.strip("\n"))
