"""The frame around every page: window title, heading, and legible colours."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from mdcore.ui.shared.session import state_of
from mdcore.ui.workarounds.readable import READABLE
from mdcore.ui.workarounds.returning import has_lost_session

NAME = "Margin Lab"

# A low navigation bar and tightly spaced controls: a form fits on one screen with its results.
COMPACT = """<style>
[data-testid="stHeader"] { height: 2.75rem; min-height: 2.75rem; }
.stMainBlockContainer [data-testid="stVerticalBlock"] { gap: 0.6rem; }
[data-testid="stSidebarUserContent"] [data-testid="stVerticalBlock"] { gap: 0.5rem; }
[data-testid="stSidebarHeader"] { height: 2.75rem; padding-block: 0; margin: 0; }
.stMainBlockContainer .stHeading :is(h2, h3) { padding-block: 0.4rem; }
[data-testid="stWidgetLabel"] { min-height: 0; margin-bottom: 0.1rem; }
.stCaption, [data-testid="stCaptionContainer"] p { line-height: 1.35; }
</style>"""

# The title shares the line of the navigation, so that it takes no space from the page.
TITLE = """<style>
.stElementContainer:has(.page-heading) {
  position: fixed;
  top: 0;
  right: 9.5rem;
  z-index: 1000000;
  width: auto;
  pointer-events: none;
}
.page-heading.page-heading { margin: 0; padding: 0; font-size: 1.05rem; font-weight: 650; line-height: 2.75rem; }
@media (max-width: 900px) {
  .stElementContainer:has(.page-heading) { right: auto; left: 50%; transform: translateX(-50%); }
}
</style>"""

# Embedded in another page, which has its own navigation and title.
EMBEDDED = """<style>
[data-testid="stHeader"], .stElementContainer:has(.page-heading) { display: none; }
.stMainBlockContainer:has(.ml-stage) { padding: 0.2rem 0.4rem 0; }
.ml-lecture.ml-lecture { height: calc(100dvh - 0.4rem); }
</style>"""

LOST_SESSION = (
    "This page lost its session: the server was restarted, or the connection was down for several minutes. Your "
    "settings are back, but not your results or your file: load the file and press Compare again. In Tables, press Run "
    "to continue from the finished cells."
)


def configure_page(page_title: str, *, first: bool) -> None:
    """Set the window title, which tells browser tabs apart, and load the style sheets."""
    st.set_page_config(
        page_title=NAME if first else f"{page_title} · {NAME}", page_icon="assets/icon.svg", layout="wide"
    )
    st.html(READABLE + COMPACT + TITLE)
    if st.context.is_embedded:
        st.html(EMBEDDED)


@dataclass
class FrameState:
    """What the frame remembers of a session: whether it has looked for an earlier session that was lost."""

    looked: bool = False


def report_lost_session() -> None:
    """Show once per session what was lost when the page reconnected to a new session."""
    state = state_of(FrameState)
    if not state.looked:
        state.looked = True
        if has_lost_session():
            st.toast(LOST_SESSION, icon=":material/restart_alt:", duration="infinite")


def name_page(title: str) -> None:
    """Draw the first heading of a page, at the right of the navigation."""
    st.html(f'<h1 class="page-heading">{title}</h1>')


def trim_top_padding() -> None:
    """Start the page right below the navigation; Streamlit leaves the top eighth of a laptop's screen empty."""
    st.html("<style>.stMainBlockContainer { padding: 3.25rem clamp(1rem, 2.5vw, 2rem) 1.5rem; }</style>")
