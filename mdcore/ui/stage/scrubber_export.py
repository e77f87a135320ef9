"""The scrubber as one HTML file that needs neither server nor network: a lecture's slide.

The modules become data: addresses in an import map, under the names by which they import each other, so each is there
once and runs as it is; the frames stand in the page as base64.
"""

from __future__ import annotations

import base64
import html
import json
import posixpath
import re
from pathlib import Path

ASSETS = Path(__file__).parent.parent / "assets"
ENTRY = "scrubber/scrubber_view.js"
STYLES = ("stage.css", "scrubber.css")
IMPORT = re.compile(r'^((?:import|export)\b[^"]*)"(\.\.?/[\w./]+\.js)"', re.MULTILINE)
CSS_IMPORT = re.compile(r'@import url\("\./([\w.]+\.css)"\)(?: layer\((\w+)\))?;\n?')

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 12px; font-family: system-ui, sans-serif; }}
{style}
</style>
<script type="importmap">{modules}</script>
</head>
<body>
<main id="scrubber"></main>
<script type="text/plain" id="frames">{frames}</script>
<script type="module">
import {{ createScrubber }} from "margin-lab/{entry}";
const text = document.getElementById("frames").textContent;
const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
createScrubber(document.getElementById("scrubber"), bytes, {{ offline: true }});
</script>
</body>
</html>
"""


def scrubber_html(message: bytes, title: str) -> str:
    """The page for a message of `pack_path`."""
    return PAGE.format(
        title=html.escape(title),
        style="".join(stylesheet(name) for name in STYLES),
        modules=json.dumps({"imports": modules(ENTRY)}),
        frames=base64.b64encode(message).decode(),
        entry=ENTRY,
    )


def modules(entry: str) -> dict[str, str]:
    """Every module reached from `entry`, as `margin-lab/name` and a data: address."""
    found: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        address = f"margin-lab/{name}"
        if address in found:
            continue
        source = (ASSETS / name).read_text(encoding="utf-8")
        for imported in {path for _, path in IMPORT.findall(source)}:
            beside = _beside(name, imported)
            waiting.append(beside)
            source = source.replace(f'"{imported}"', f'"margin-lab/{beside}"')
        found[address] = "data:text/javascript;base64," + base64.b64encode(source.encode()).decode()
    return found


def _beside(name: str, imported: str) -> str:
    """Return the module that `name` imports, as a path below the assets."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))


def stylesheet(name: str) -> str:
    """Return a style sheet with those that it imports in their places, each in its layer."""

    def imported(found: re.Match[str]) -> str:
        content = stylesheet(found[1])
        return f"@layer {found[2]} {{\n{content}}}\n" if found[2] else content

    return CSS_IMPORT.sub(imported, (ASSETS / "css" / name).read_text(encoding="utf-8"))
