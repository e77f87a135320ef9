"""Legible colours, and a message about a lost server that speaks to visitors.

Seen in Streamlit 1.67: its colours for these elements miss the contrast of 4.5 : 1 that small text needs, and its
message about a lost server addresses the developer of the app.
"""

from __future__ import annotations

READABLE = """<style>
.js-plotly-plot .hovertext text { fill: currentColor !important; }
.js-plotly-plot :is(.xtick, .x2tick, .ytick, .g-xtitle, .g-x2title, .g-ytitle, .colorbar, .annotation) text {
  fill: color-mix(in srgb, currentColor 80%, transparent) !important;
}
[data-testid="stBaseButton-primary"], .stMultiSelect [data-tag] span { color: light-dark(#fff, #06120e); }
[data-testid="stBaseButton-primary"]:is(:hover, :active) { color: #fff; }
button[data-variant="segmented_control"][data-selected="true"] { color: light-dark(#00604a, #3fd0a7) !important; }
[data-testid="stMarkdownContainer"] h2 { padding-block: 0.4rem; font-size: 1rem; }
[data-stale="true"] { opacity: 1 !important; }
[data-testid="stPopoverButton"][kind="tertiary"][aria-expanded="true"] { color: inherit; }
[role="dialog"]:has([data-testid="stErrorCodeBlock"]) > div > * { display: none; }
[role="dialog"]:has([data-testid="stErrorCodeBlock"]) > div::before {
  content: "The server does not answer. This page reconnects as soon as the server is back.";
}
.stCode .token.keyword { color: light-dark(#0f5ba7, #6cb6ff); }
.stCode .token.punctuation { color: light-dark(#5c6172, #a3a8b8); }
.stCode .token.operator { color: light-dark(#a8470a, #f4944d); }
.stCode .token.string { color: light-dark(#0a6b2b, #3ecf74); }
.stCode .token.number { color: light-dark(#0b6b5f, #35c7b2); }
</style>"""
