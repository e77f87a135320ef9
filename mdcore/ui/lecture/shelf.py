"""The lessons that are opened by name: those that ship, and those of a folder of one's own."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from mdcore.ui.lecture.lesson import Lesson, read_lesson

SHIPPED = Path(__file__).with_name("lessons")
FOLDER = "MARGIN_LAB_LESSONS"  # the environment's name of the folder
FIRST = "margins"
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


class NoLesson(LookupError):
    """No lesson of this name."""


def lesson_names() -> list[str]:
    """Return the shipped ones, the lecture first, then those of the folder that do not bear the same name."""
    own = [path.stem for path in _own_folder() if NAME.fullmatch(path.stem)]
    shipped = sorted((path.stem for path in SHIPPED.glob("*.json")), key=lambda name: (name != FIRST, name))
    return list(dict.fromkeys([*shipped, *sorted(own)]))


def find_lesson(name: str) -> Lesson:
    """NoLesson where there is none of this name, BadLesson where its file is broken."""
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
