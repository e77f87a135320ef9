"""Lessons: steps as data. A lesson is fully validated when it is read, including every state of the stage."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from mdcore.experiment import Experiment
from mdcore.experiment.query import SCALE, parse_query
from mdcore.papers.published import published
from mdcore.serving.lecture import questions
from mdcore.serving.lecture.formula import Unreadable, mathml
from mdcore.serving.lecture.json_position import line_of
from mdcore.serving.lecture.papers import asked_tables, shown_tables
from mdcore.serving.lecture.questions import kind_of
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.view_keys import check_view

SCHEMA = Path(__file__).with_name("lesson.schema.json")
LARGEST = 256 * 1024  # bytes of a lesson's text
EDIT = "edit"  # stands for the editing tools in a step's list of controls
VIEWS = ("boundary", "cumulative")  # the views of a step that names none


class BadLesson(ValueError):
    """An error in a lesson, with the line of its text."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"Line {line}: {reason}")
        self.line = line
        self.reason = reason


@dataclass(frozen=True)
class Lesson:
    """A validated lesson: `content` is its parsed JSON, and all its states can be drawn."""

    content: Mapping[str, Any]

    @property
    def title(self) -> str:
        return str(self.content["title"])

    @property
    def steps(self) -> Sequence[Mapping[str, Any]]:
        steps: Sequence[Mapping[str, Any]] = self.content["steps"]
        return steps

    def question(self, step: int) -> Mapping[str, Any] | None:
        """Return the question of a step, counted from 1, as sent to the browser; None if it has none."""
        question = self.steps[step - 1].get("question") if 1 <= step <= len(self.steps) else None
        return kind_of(question).shown(question) if question else None

    def states(self, step: int) -> tuple[str, str]:
        """Return the queries before and after the reveal of a step, counted from 1."""
        found = self.steps[step - 1]
        return str(found["state"]), str(found["reveal"]["state"])

    def shown(self) -> dict[str, Any]:
        """Return the lesson as sent to the browser: formulas as MathML, omitted entries filled in."""
        return {**self.content, "steps": [_shown(step) for step in self.steps]}


def read_lesson(text: str) -> Lesson:
    """Return the lesson parsed from a text; raise BadLesson with line and reason if it is invalid."""
    if len(text.encode()) > LARGEST:
        raise BadLesson(1, f"a lesson has at most {LARGEST // 1024} kB; this one has {len(text.encode()) // 1024} kB.")
    try:
        content = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise BadLesson(error.lineno, f"this is not JSON: {error.msg.lower()}, column {error.colno}.") from None
    except (ValueError, RecursionError) as error:
        raise BadLesson(1, f"this is not JSON: {error}") from None
    worst = best_match(_validator().iter_errors(content))
    if worst is not None:
        raise BadLesson(line_of(text, worst.absolute_path), _words(worst))
    for number, step in enumerate(content["steps"]):
        for path, reason in _faults(step):
            raise BadLesson(line_of(text, ["steps", number, *path]), f"step {number + 1}, {reason}")
    return Lesson(content)


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number.")


@cache
def schema() -> dict[str, Any]:
    """Return the JSON schema of a lesson: that of a question comes from its kinds."""
    content: dict[str, Any] = json.loads(SCHEMA.read_text(encoding="utf-8"))
    content["$defs"]["question"] = questions.schema()
    return content


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(schema())


def _words(error: ValidationError) -> str:
    """Return the error message with its position, in terms of the lesson's keys."""
    where = ".".join(str(part + 1) if isinstance(part, int) else part for part in error.absolute_path)
    return f"{where or 'the lesson'}: {error.message[:300]}."


def _faults(step: Mapping[str, Any]) -> Any:
    """Yield (path, reason) of errors that the schema cannot detect: invalid states, unknown controls or methods, and
    the like."""
    for path in (["state"], ["reveal", "state"]):
        state = step[path[0]] if len(path) == 1 else step["reveal"]["state"]
        try:
            check_view(parse_query(state))
            Experiment.from_query(state).prepare()
        except ValueError as error:
            yield path, f"{'.'.join(path)}: {error}"
            return
    if "formula" in step:
        try:
            mathml(step["formula"])
        except Unreadable as error:
            yield ["formula"], f"formula: {error}"
    known = controls()
    for number, name in enumerate(step.get("keep", ())):
        if name not in known:
            yield ["keep", number], f"keep: there is no control {name!r}."
    if ("papers" in step.get("views", ())) != ("tables" in step):
        yield ["views" if "views" in step else "tables"], "views: papers and tables go together."
    try:
        asked_tables(step.get("tables", ()))
    except ValueError as error:
        yield ["tables"], f"tables: {error}"
    if "question" in step:
        question, revealed = step["question"], Experiment.from_query(step["reveal"]["state"])
        for key, reason in kind_of(question).faults(question, revealed):
            yield ["question", key], f"question.{key}: {reason}"


@cache
def controls() -> frozenset[str]:
    """Return the names of all controls that a step can keep visible."""
    _, known = catalog()
    own = {option["name"] for source in known["sources"] for option in source["options"]}
    params = {param["name"] for method in known["methods"] for param in method["params"]}
    return frozenset({EDIT, SCALE.name, *own, *params, *(control["name"] for control in known["common"])})


def _shown(step: Mapping[str, Any]) -> dict[str, Any]:
    formula = {"formula": mathml(step["formula"]), "latex": step["formula"]} if "formula" in step else {}
    reveal = {"text": [], "try": [], **step["reveal"]}
    defaults = {"text": [], "views": list(VIEWS), "keep": [], "notes": ""}
    tables = {"papers": shown_tables(step["tables"], published())} if "tables" in step else {}
    question = {"question": kind_of(step["question"]).shown(step["question"])} if "question" in step else {}
    return {**defaults, **step, **formula, **tables, **question, "reveal": reveal}
