"""The keys of a query that say how a picture is looked at: what their values may be."""

from __future__ import annotations

import math
from collections.abc import Mapping

from mdcore.query import BadKey

THRESHOLD = "view.t"
SWITCH = ("0", "1")
CHOICES = {
    "view.split": ("both", "train", "test"),
    "view.sv": SWITCH,
    "view.projector": SWITCH,
    "view.finish": SWITCH,
    "view.race": ("step", "updates"),
}


def check_view(given: Mapping[str, str]) -> None:
    """A BadKey for the first value that is not legal; keys of other pages may stand beside these."""
    for key, legal in CHOICES.items():
        if key in given and given[key] not in legal:
            raise BadKey(key, f"{key} must be one of {', '.join(legal)}; got {given[key]!r}.")
    if THRESHOLD in given and not _is_number(given[THRESHOLD]):
        raise BadKey(THRESHOLD, f"{THRESHOLD} must be a number; got {given[THRESHOLD]!r}.")


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
