"""JSON from users: project files, addresses, saved choices. Every fault raises a DataProblem with a message."""

from __future__ import annotations

import json
from typing import Any

from mdcore.data.tables.problems import DataProblem

MOST_DIGITS = 18  # of a whole number, so that it fits into 64 bits


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
