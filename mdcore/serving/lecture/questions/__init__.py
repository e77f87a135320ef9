"""The kinds of questions in a lesson, one module each. `KINDS` is the only place that lists them all; the module of the
same name in `mdcore/browser/questions` draws a question of this kind."""

from typing import Any

from mdcore.serving.lecture.questions import choice, curve, points, runs
from mdcore.serving.lecture.questions.kind import Kind, Question

KINDS: dict[str, Kind] = {module.KIND.name: module.KIND for module in (choice, curve, points, runs)}


def kind_of(question: Question) -> Kind:
    return KINDS[question["kind"]]


def schema() -> dict[str, Any]:
    """Return the JSON schema of a question of any kind."""
    return {
        "type": "object",
        "required": ["kind", "text"],
        "properties": {"kind": {"enum": list(KINDS)}, "text": {"$ref": "#/$defs/line"}},
        "oneOf": [_schema_of(kind) for kind in KINDS.values()],
    }


def _schema_of(kind: Kind) -> dict[str, Any]:
    properties = {"kind": {"const": kind.name}, "text": {}, **kind.schema}
    optional = {name for name, each in kind.schema.items() if "default" in each}
    described = {"description": kind.description} if kind.description else {}
    required = [name for name in kind.schema if name not in optional]
    return {**described, "required": required, "additionalProperties": False, "properties": properties}
