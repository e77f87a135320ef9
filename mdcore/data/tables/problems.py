"""Errors about users' data, with messages that tell what is wrong, where, and what to do; and JSON from users, whose
faults are such errors."""

from __future__ import annotations

import json
from typing import Any

from mdcore.data.tables import wording

LONGEST = 300  # characters of `where`, since file names may have any length

MOST_DIGITS = 18  # of a whole number, so that it fits into 64 bits


class DataProblem(ValueError):
    """Error for data that cannot be used as they are, as a fact: a key and figures, and `where` it is.

    `wording.py` puts into words what is wrong (`what`) and what to do (`todo`).
    """

    def __init__(self, key: str, where: str, /, **figures: Any) -> None:
        super().__init__(key, where)
        self.key = key
        self.where = where if len(where) <= LONGEST else f"{where[:LONGEST]}…"
        self.figures = figures

    @property
    def what(self) -> str:
        return wording.refusal(self.key, self.figures)[0]

    @property
    def todo(self) -> str:
        return wording.refusal(self.key, self.figures)[1]

    def __str__(self) -> str:
        return f"{self.where}: {self.what} {self.todo}"


class NeedsChoice(DataProblem):
    """Error for data that can be used after a choice: `choice` names the field, and `offer` is a suitable value."""

    def __init__(self, key: str, where: str, /, *, choice: str = "", offer: float = 0.0, **figures: Any) -> None:
        super().__init__(key, where, offer=offer, **figures)
        self.choice = choice
        self.offer = offer


def read_json(text: str, where: str, origin: str) -> Any:
    """Return the value of a JSON text.

    Raise DataProblem if the text is malformed or nested too deeply, or if a whole number is too large.
    """
    try:
        return json.loads(text, parse_int=_whole)
    except RecursionError:
        raise DataProblem("deep JSON", where, origin=origin) from None
    except ValueError as error:
        raise DataProblem("invalid JSON", where, origin=origin, error=str(error)) from None


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"an integer has {len(digits):,} digits; at most {MOST_DIGITS} are supported")
    return int(digits)
