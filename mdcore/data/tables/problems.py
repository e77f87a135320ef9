"""What can be wrong with people's data, in words that say what, where and what to do."""

from __future__ import annotations

LONGEST = 300  # characters of a place: files have names of any length


class DataProblem(ValueError):
    """Data that cannot be used as they are: `what` is wrong, `where`, and what `todo` about it."""

    def __init__(self, what: str, where: str, todo: str) -> None:
        where = where if len(where) <= LONGEST else f"{where[:LONGEST]}…"
        super().__init__(f"{where}: {what} {todo}")
        self.what = what
        self.where = where
        self.todo = todo


class NeedsChoice(DataProblem):
    """Data that can be used once something is chosen; `choice` names the field, `offer` a value that would do."""

    def __init__(self, what: str, where: str, todo: str, *, choice: str, offer: float) -> None:
        super().__init__(what, where, todo)
        self.choice = choice
        self.offer = offer
