"""What the pages know of each other: names in the state of a session."""

from __future__ import annotations

from mdcore.ui.openings import PLAYGROUND, Opening


def drawn_on(opening: Opening = PLAYGROUND) -> str:
    """Where the scene.Drawn is kept that the stage of a page shows, or showed last."""
    return f"{opening.key} drawn"


def first_on(opening: Opening = PLAYGROUND) -> str:
    """Where the query is kept that the stage of a page begins with when it is opened."""
    return f"{opening.key} first query"
