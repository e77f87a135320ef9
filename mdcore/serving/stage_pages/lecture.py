"""The Lecture page: it opens on the step in the URL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mdcore.serving.lecture.lesson import BadLesson
from mdcore.serving.lecture.lesson_files import FIRST, NoLesson, find_lesson
from mdcore.serving.lecture.pictures import PICTURES


def query_at(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the state of the step in the URL; the lecture's first lesson or step if it names an invalid one."""
    address = dict(pairs)
    try:
        lesson = find_lesson(address.get("lesson", FIRST))
    except (NoLesson, BadLesson):  # the browser shows the error
        lesson = find_lesson(FIRST)
    step = address.get("step", "1")
    number = min(max(int(step), 1), len(lesson.steps)) if step.isdecimal() and len(step) < 4 else 1
    before, after = lesson.states(number)
    return after if address.get("phase") == "reveal" else before


LECTURE = replace(PICTURES, query=query_at(()), address=query_at)
