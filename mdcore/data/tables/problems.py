"""Errors about users' data, with messages that tell what is wrong, where, and what to do."""

from __future__ import annotations

LONGEST = 300  # characters of `where`, since file names may have any length


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
