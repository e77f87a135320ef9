"""The frame of every page that is a file of its own: reports, figures, lessons, the scrubber."""

from __future__ import annotations

from html import escape

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}
</style>
{head}</head>
<body>
{body}
</body>
</html>
"""


def web_page(title: str, body: str, *, style: str = "", head: str = "") -> str:
    """Return a whole page; `title` is text, the rest is HTML and CSS."""
    return PAGE.format(title=escape(title), style=style.strip("\n"), head=head, body=body.strip("\n"))
