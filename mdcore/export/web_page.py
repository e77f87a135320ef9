"""The frame of all standalone HTML pages: reports, figures, lessons, the scrubber."""

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
    """Return a complete page; `title` is plain text, the other arguments are HTML and CSS."""
    return PAGE.format(title=escape(title), style=style.strip("\n"), head=head, body=body.strip("\n"))
