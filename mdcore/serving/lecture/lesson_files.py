"""Lessons by name: the built-in ones, and those in a folder of the server's operator."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from mdcore.serving.lecture.lesson import Lesson, read_lesson

SHIPPED = Path(__file__).with_name("lessons")
FOLDER = "MARGIN_LAB_LESSONS"  # environment variable with the path of the folder
FIRST = "margins"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class NoLesson(LookupError):
    """An unknown lesson name."""


def lesson_names() -> list[str]:
    """Return the names of all lessons: the lecture, the other built-in lessons, then those in the folder whose names
    are not taken."""
    own = [path.stem for path in _own_folder() if NAME.fullmatch(path.stem)]
    shipped = sorted((path.stem for path in SHIPPED.glob("*.json")), key=lambda name: (name != FIRST, name))
    return list(dict.fromkeys([*shipped, *sorted(own)]))


def find_lesson(name: str) -> Lesson:
    """Return a lesson by name; raise NoLesson if the name is unknown, and BadLesson if the file is invalid."""
    if not NAME.fullmatch(name) or name not in lesson_names():
        raise NoLesson(f"There is no lesson {name!r}; there are {', '.join(lesson_names())}.")
    shipped = SHIPPED / f"{name}.json"
    path = shipped if shipped.is_file() else next(found for found in _own_folder() if found.stem == name)
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: Path, changed: int) -> Lesson:
    return read_lesson(path.read_text(encoding="utf-8-sig"))


def _own_folder() -> list[Path]:
    folder = os.environ.get(FOLDER)
    return sorted(Path(folder).glob("*.json")) if folder and Path(folder).is_dir() else []
