"""The query keys that select the view: their legal values, and whether the browser handles them alone.

Other keys that begin with `view.` are the pins, `view.pin1` and so on, and the keys of other pages.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mdcore.basics.text import quoted
from mdcore.experiment.query import BadKey

SWITCH = ("0", "1")


@dataclass(frozen=True)
class ViewKey:
    """A key with its legal values. Without a list of values it takes a finite number, or any string if `text`.

    A `local` key is handled in the browser, without a request.
    """

    name: str
    legal: tuple[str, ...] = ()
    text: bool = False
    local: bool = False

    def check(self, value: str) -> None:
        if self.legal and value not in self.legal:
            raise BadKey(self.name, f"{self.name} must be one of {', '.join(self.legal)}; got {quoted(value)}.")
        if not self.legal and not self.text and not _is_number(value):
            raise BadKey(self.name, f"{self.name} must be a number; got {quoted(value)}.")


VIEW_KEYS = (
    ViewKey("view.t", local=True),
    ViewKey("view.split", ("both", "train", "test"), local=True),
    ViewKey("view.sv", SWITCH, local=True),
    ViewKey("view.projector", SWITCH, local=True),
    ViewKey("view.race", ("step", "updates"), local=True),
    ViewKey("view.class", text=True, local=True),
    ViewKey("view.speed", text=True, local=True),
    ViewKey("view.finish", SWITCH),
    ViewKey("view.probe", text=True),
)


def check_view(given: Mapping[str, str]) -> None:
    """Raise BadKey for the first illegal value; keys of other pages are ignored."""
    for key in VIEW_KEYS:
        if key.name in given:
            key.check(given[key.name])


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False
