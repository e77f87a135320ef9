"""The answer of a comparison in two sentences: a headline that names a winner only if the tests do, and what it rests
on."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mdcore.basics.text import count, listed, p_text, percent, points, short
from mdcore.data.splitting import EACH_GROUP, GROUPS, K_FOLD, RANDOM, TIME, folds_of
from mdcore.study.board import Board, Line, board
from mdcore.study.comparison import Comparison
from mdcore.study.plan import Plan, Tuning
from mdcore.study.references import MAJORITY
from mdcore.study.scores import SCORES

SURE = 0.95  # probability from which methods count as equivalent
EFFORT: dict[Tuning, str] = {"equal": "each tuned", "none": "untuned", "papers": "tuned on the papers' grids"}
WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def answer(comparison: Comparison, score: str) -> str:
    """Return both sentences of the answer as one text."""
    found = board(comparison, score)
    return f"{headline(found)} {basis(found)}"


def headline(found: Board) -> str:
    """Return the verdict of the tests, or how far the comparison is."""
    best, (first, *others) = found.best, found.methods or (None,)
    if best is None or first is None:
        return "Nothing is finished yet."
    splits = count(found.plan.repeats, "split")
    if not found.complete:
        when = f"after {found.done} of {splits}" if found.done else f"in the first of {splits}"
        return f"So far, {when}: {_range(found.methods)}."
    many = f"{_word(len(others) + 1)} method{'s' if others else ''}"
    tested = found.tests_of_best()
    if not {MAJORITY, *(line.key for line in others)} <= tested.keys():
        return f"{_capital(many)}, {splits}: too few to test a difference."
    unproven = found.not_better_than_baseline()
    if len(unproven) == len(found.methods):
        who = "No method is" if others else f"{named(best)} is not"
        return f"{who} shown to be better than {found.baseline.name}."
    if not others:
        return f"{named(best)} reaches {percent(best.mean)}."
    rivals = {line: tested[line.key] for line in others}
    if all(d.practical.neither >= SURE for d in rivals.values()):
        return f"{_capital(many)}, practically equal: {_gaps(others)}."
    close = [line for line, d in rivals.items() if not d.is_significant]
    if not close and best not in unproven:
        return f"{named(best)} is best, by {_range_of_points(_points(others))}."
    if len(close) in (0, len(others)):
        return f"{_capital(many)}, no winner: {_gaps(others)}."
    return f"{_capital(_word(1 + len(close)))} of {many} lead, no winner among them: {_gaps(close)}."


def basis(found: Board) -> str:
    """Return what the headline rests on: the score, the splits, the effort, Holm's p, and the baseline."""
    parts = [f"{SCORES[found.score]} over {split_words(found.plan)}, {EFFORT[found.plan.tuning]}."]
    if not found.complete:
        parts.append("No verdict before all of them are done.")
    parts += _evidence(found)
    failed = [named(line) for line in found.lines if line.failed and not line.values]
    if failed:
        parts.append(f"{listed(failed)} failed.")
    unproven = found.not_better_than_baseline()
    but = ""
    if 0 < len(unproven) < len(found.methods):
        names = listed([named(line) for line in unproven], "or")
        but = f", and {names} {'is' if len(unproven) == 1 else 'are'} not shown to be better"
    return " ".join([*parts, f"{_capital(found.baseline.name)}: {percent(found.baseline.mean)}{but}."])


def split_words(plan: Plan) -> str:
    """Return the splits of a plan in words."""
    n = plan.repeats
    if plan.scheme == K_FOLD:
        folds = folds_of(plan.test)
        return f"{n} folds" if n == folds else f"{short(n / folds)} × {folds} folds"
    noun, more = {
        RANDOM: ("split", ""),
        GROUPS: ("split", " by groups"),
        EACH_GROUP: ("group", " left out one at a time"),
        TIME: ("window", " of time"),
    }[plan.scheme]
    return f"{count(n, noun)}{more}"


def _evidence(found: Board) -> list[str]:
    """Return Holm's p of the best method against the others, or the probability that they are equivalent."""
    tested = found.tests_of_best()
    rivals = [tested[line.key] for line in found.methods[1:] if line.key in tested]
    if not rivals or len(found.not_better_than_baseline()) == len(found.methods):
        return []
    if all(d.practical.neither >= SURE for d in rivals):
        return [f"All within one point with probability {_sure(min(d.practical.neither for d in rivals))}."]
    of = f"Holm over {count(len(found.tests), 'pair')}"
    unsettled = [d.adjusted for d in rivals if not d.is_significant]
    if not unsettled:
        return [f"Every difference to it is significant ({_p(max(d.adjusted for d in rivals))}, {of})."]
    return [f"Which is best is not established ({_p(min(unsettled))}, {of})."]


def _gaps(lines: Sequence[Line]) -> str:
    """Return the gaps of some lines to the best as a clause."""
    told = _points(lines)
    if len(lines) == 1:
        return f"the gap is {_range_of_points(told)}"
    return f"the gaps are {_range_of_points(told)}" if len(told) > 1 else f"every gap is {_range_of_points(told)}"


def _points(lines: Sequence[Line]) -> list[str]:
    """Return the smallest and the largest gap to the best, in points of a hundred; one if they are written alike."""
    gaps = sorted(abs(line.gap.mean) for line in lines if line.gap is not None)
    return list(dict.fromkeys(points(gap).removeprefix("+") for gap in (gaps[0], gaps[-1])))


def _range_of_points(told: Sequence[str]) -> str:
    return f"{' to '.join(told)} points"


def _range(methods: Sequence[Line]) -> str:
    """Return the range of the mean scores."""
    texts = list(dict.fromkeys(percent(line.mean) for line in (methods[-1], methods[0])))
    return texts[0] if len(texts) == 1 else f"{texts[0].removesuffix(' %')} to {texts[1]}"


def _word(number: int) -> str:
    return WORDS[number] if number < len(WORDS) else str(number)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _sure(probability: float) -> str:
    """Format a probability; an estimate from a few splits is never reported as certain."""
    return "above 99 %" if probability > 0.99 else percent(probability, 2)


def named(line: Line) -> str:
    """Return a method's name without commas outside of parentheses, as names stand between commas in a sentence."""
    name, *more = re.split(r", | \(", line.name.removesuffix(")"))
    return f"{name} ({', '.join(more)})" if more else name


def _p(value: float) -> str:
    return f"p {'' if value < 0.001 else '= '}{p_text(value)}"
