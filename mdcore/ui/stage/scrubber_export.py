"""The scrubber as one HTML file for a lecture slide, which needs neither server nor network.

An import map gives every module, under the name by which the others import it, as a data: URL, so that each module is
included once and unchanged in behaviour. The frames are embedded as base64.
"""

from __future__ import annotations

import base64
import json
import posixpath
import re
from pathlib import Path

from mdcore.export.web_page import web_page

ASSETS = Path(__file__).parent.parent / "assets"
ENTRY = "scrubber/scrubber_view.js"
STYLES = ("stage.css", "scrubber.css")
IMPORT = re.compile(r'^((?:import|export)\b[^"]*)"(\.\.?/[\w./]+\.js)"', re.MULTILINE)
CSS_IMPORT = re.compile(r'@import url\("\./([\w.]+\.css)"\)(?: layer\((\w+)\))?;\n?')

STYLE = "body { margin: 12px; }\n"
BODY = """<main id="scrubber"></main>
<script type="text/plain" id="frames">{frames}</script>
<script type="module">
import {{ createScrubber }} from "margin-lab/{entry}";
const text = document.getElementById("frames").textContent;
const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
createScrubber(document.getElementById("scrubber"), bytes, {{ offline: true }});
</script>"""


def scrubber_html(message: bytes, title: str) -> str:
    """Return the HTML page for a message of `pack_path`."""
    body = BODY.format(frames=base64.b64encode(message).decode(), entry=ENTRY)
    style = STYLE + "".join(stylesheet(name) for name in STYLES)
    return web_page(title, body, style=style, head=import_map(ENTRY))


def import_map(entry: str) -> str:
    """Return an import map, as part of the page's head, of all modules reachable from `entry`."""
    return f'<script type="importmap">{json.dumps({"imports": modules(entry)})}</script>\n'


def modules(entry: str) -> dict[str, str]:
    """Return the data: URL of every module reachable from `entry`, by its name `margin-lab/...`."""
    found: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        address = f"margin-lab/{name}"
        if address in found:
            continue
        source = (ASSETS / name).read_text(encoding="utf-8")
        for imported in {path for _, path in IMPORT.findall(source)}:
            path = _resolved(name, imported)
            waiting.append(path)
            source = source.replace(f'"{imported}"', f'"margin-lab/{path}"')
        found[address] = "data:text/javascript;base64," + base64.b64encode(source.encode()).decode()
    return found


def _resolved(name: str, imported: str) -> str:
    """Return the path, relative to the assets, of a module imported by `name`."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), imported))


def stylesheet(name: str) -> str:
    """Return a style sheet with its imports inlined, each in its layer."""

    def imported(found: re.Match[str]) -> str:
        content = stylesheet(found[1])
        return f"@layer {found[2]} {{\n{content}}}\n" if found[2] else content

    return CSS_IMPORT.sub(imported, (ASSETS / "css" / name).read_text(encoding="utf-8"))
