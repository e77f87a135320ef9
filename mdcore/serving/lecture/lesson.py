"""Lessons: steps as data. A lesson is fully validated when it is read, including every state of the stage."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError, best_match

from mdcore.experiment import Experiment
from mdcore.experiment.query import SCALE, parse_query
from mdcore.methods import METHODS
from mdcore.serving.lecture.formula import Unreadable, mathml
from mdcore.serving.lecture.json_position import line_of
from mdcore.serving.lecture.papers import asked_tables, results, shown_tables
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.view_keys import check_view
from mdcore.spec import Param

SCHEMA = Path(__file__).with_name("lesson.schema.json")
LARGEST = 256 * 1024  # bytes of a lesson's text
EDIT = "edit"  # stands for the editing tools in a step's list of controls
VIEWS = ("boundary", "cumulative")  # the views of a step that names none
LEVELS = 21  # quantiles of a drawn curve, from 0 to 1
MEASURED = {  # the statistic of a question about runs -> its name on screen
    "accuracy": "test accuracy",
    "mean": "mean margin",
    "variance": "variance of the margins",
    "semivariance": "semi-variance of the margins",
    "min": "smallest margin",
}


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
        """Return the question of a step, counted from 1, with the names shown to the audience; None if it has none."""
        return _asked(self.steps[step - 1].get("question")) if 1 <= step <= len(self.steps) else None

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
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


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
        yield from _question_faults(step["question"], Experiment.from_query(step["reveal"]["state"]))


def _question_faults(question: Mapping[str, Any], revealed: Experiment) -> Any:
    match question["kind"]:
        case "choice" if question["answer"] >= len(question["options"]):
            yield ["question", "answer"], "question.answer: there is no such option; the first is 0."
        case "curve" if question["method"] not in revealed.methods:
            yield ["question", "method"], f"question.method: the reveal does not show {question['method']!r}."
        case "curve" if not question["axis"][0] < question["axis"][1]:
            yield ["question", "axis"], "question.axis: the first end must be the smaller one."
        case "runs":
            yield from _run_faults(question, revealed)


def _run_faults(question: Mapping[str, Any], revealed: Experiment) -> Any:
    try:
        for end in ("low", "high"):
            with_value(revealed, question, float(question[end]))
    except ValueError as error:
        yield ["question", "param"], f"question.param: {error}"
    if not question["low"] < question["high"]:
        yield ["question", "low"], "question.low: it must be smaller than high."


def with_value(experiment: Experiment, question: Mapping[str, Any], value: float) -> Experiment:
    """Return the experiment with a value chosen by one of the audience: a seed, or a parameter of a method."""
    name, number = question["param"], 2.0**value if question.get("log") else value
    query = parse_query(experiment.to_query())
    if name != "seed" and ("." not in name or name.split(".")[0] not in experiment.methods):
        raise ValueError(f"{name!r} is neither seed nor a parameter of a method shown.")
    method, _, own = name.partition(".")
    params = () if name == "seed" else METHODS[method].params
    whole = name == "seed" or any(isinstance(p, Param) and p.name == own and p.integer for p in params)
    query[name] = str(int(number)) if whole else repr(float(number))
    return Experiment.from_query(urlencode(query))


@cache
def controls() -> frozenset[str]:
    """Return the names of all controls that a step can keep visible."""
    _, known = catalog()
    own = {option["name"] for source in known["sources"] for option in source["options"]}
    params = {param["name"] for method in known["methods"] for param in method["params"]}
    return frozenset({EDIT, SCALE.name, *own, *params, *(control["name"] for control in known["common"])})


def _asked(question: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a question; one about runs is extended by the parameter's symbol and the name of its statistic."""
    if question is None or question["kind"] != "runs":
        return question
    method, _, own = question["param"].rpartition(".")
    symbol = next(param.symbol for param in METHODS[method].params if param.name == own) if method else own
    return {**question, "symbol": symbol, "measured": MEASURED[question["statistic"]]}


def _shown(step: Mapping[str, Any]) -> dict[str, Any]:
    formula = {"formula": mathml(step["formula"]), "latex": step["formula"]} if "formula" in step else {}
    reveal = {"text": [], "try": [], **step["reveal"]}
    defaults = {"text": [], "views": list(VIEWS), "keep": [], "notes": ""}
    tables = {"papers": shown_tables(step["tables"], results())} if "tables" in step else {}
    question = {"question": _asked(step["question"])} if "question" in step else {}
    return {**defaults, **step, **formula, **tables, **question, "reveal": reveal}


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
