"""The scrubber as one HTML file for a lecture slide, which needs neither server nor network."""

from __future__ import annotations

import base64

from mdcore.export.web_page import web_page
from mdcore.serving.bundle import script, stylesheet

STYLES = ("stage.css", "scrubber.css")

STYLE = "body { margin: 12px; }\n"
BODY = """<main id="scrubber"></main>
<script type="text/plain" id="frames">{frames}</script>
<script type="module">
{script}
const text = document.getElementById("frames").textContent;
const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
createScrubber(document.getElementById("scrubber"), bytes, {{ offline: true }});
</script>"""


def scrubber_html(message: bytes, title: str) -> str:
    """Return the HTML page for a message of `pack_path`."""
    made = script({"createScrubber": ("scrubber/scrubber_view.js", "createScrubber")})
    body = BODY.format(frames=base64.b64encode(message).decode(), script=made)
    return web_page(title, body, style=STYLE + "".join(stylesheet(name) for name in STYLES))
