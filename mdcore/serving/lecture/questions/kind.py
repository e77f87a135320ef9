"""What a kind of question consists of, apart from its drawing in the browser."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mdcore.experiment import Experiment

Question = Mapping[str, Any]  # as in a lesson file
Answer = Any  # of one of the audience, in the form in which the room stores it

BUDGET = 2.0  # s for the fits behind one computation


class NoAnswer(ValueError):
    """An invalid answer to a question."""


@dataclass(frozen=True)
class Kind:
    """A kind of question, by its name in lesson files.

    `schema` has the JSON schema of each key that such a question has besides `kind` and `text`; a key with a default
    may be omitted. A question's `answer`, if it has one, is kept from the audience until the reveal. `faults` yields
    key and reason of each error that the schema cannot detect, given the experiment of the reveal. `shown` returns the
    question with what the browser needs besides, and `listed` what a hand-out lists below its text.

    `read` returns a validated answer or raises NoAnswer. `tally` combines answers without any hint of who gave which;
    `brief` reduces a tally to what every phone hears, whose size must not grow with the audience.

    `truth` computes what the reveal shows beside the answers, and `run` what belongs to one (hashable) answer; both
    from the experiment of the reveal, in the background.
    """

    name: str
    schema: Mapping[str, Mapping[str, Any]]
    read: Callable[[Question, Any], Answer]
    tally: Callable[[Question, Sequence[Answer]], dict[str, Any]]
    description: str = ""
    faults: Callable[[Question, Experiment], Iterable[tuple[str, str]]] = lambda question, revealed: ()
    shown: Callable[[Question], Question] = lambda question: question
    listed: Callable[[Question], Sequence[str]] = lambda question: ()
    brief: Callable[[dict[str, Any]], dict[str, Any]] = lambda tallied: tallied
    truth: Callable[[Question, Experiment], Any] | None = None
    run: Callable[[Question, Experiment, Answer], Any] | None = None


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
