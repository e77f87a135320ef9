"""Errors about users' data, with messages that tell what is wrong, where, and what to do; and JSON from users, whose
faults are such errors."""

from __future__ import annotations

import json
from typing import Any

LONGEST = 300  # characters of `where`, since file names may have any length

MOST_DIGITS = 18  # of a whole number, so that it fits into 64 bits


class DataProblem(ValueError):
    """Error for data that cannot be used as they are: `what` is wrong, `where` it is, and what to do (`todo`)."""

    def __init__(self, what: str, where: str, todo: str) -> None:
        where = where if len(where) <= LONGEST else f"{where[:LONGEST]}…"
        super().__init__(f"{where}: {what} {todo}")
        self.what = what
        self.where = where
        self.todo = todo


class NeedsChoice(DataProblem):
    """Error for data that can be used after a choice: `choice` names the field, and `offer` is a suitable value."""

    def __init__(self, what: str, where: str, todo: str, *, choice: str, offer: float) -> None:
        super().__init__(what, where, todo)
        self.choice = choice
        self.offer = offer


def read_json(text: str, where: str, todo: str) -> Any:
    """Return the value of a JSON text.

    Raise DataProblem if the text is malformed or nested too deeply, or if a whole number is too large.
    """
    try:
        return json.loads(text, parse_int=_whole)
    except RecursionError:
        raise DataProblem("The JSON is nested too deeply.", where, todo) from None
    except ValueError as error:
        raise DataProblem(f"This is not valid JSON ({error}).", where, todo) from None


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"an integer has {len(digits):,} digits; at most {MOST_DIGITS} are supported")
    return int(digits)
