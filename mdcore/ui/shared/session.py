"""What the pages know of each other: names in the state of a session."""

from __future__ import annotations

TAKE_OVER = "compare takes over"  # the key of the stage whose picture Compare is to begin with

PLAYGROUND, COMPARE = "pages/playground.py", "pages/compare.py"


def drawn_on(stage: str = "playground") -> str:
    """Return the key of the scene.Drawn that a stage shows, or showed last."""
    return f"{stage} drawn"


def query_on(stage: str) -> str:
    """Return the key of the query that a stage was last asked for."""
    return f"{stage} query"
