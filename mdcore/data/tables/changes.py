"""Choices about a table, stored as differences from the proposal to fit into an address."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict

from mdcore.data.tables.columns import Choices, propose
from mdcore.data.tables.problems import DataProblem, read_json
from mdcore.data.tables.reading import Table

COPY_AGAIN = "Copy the whole link again."


def changes_from_proposal(table: Table, choices: Choices) -> str:
    """Return the target and every choice that differs from the proposal for that target, as JSON."""
    made, proposed = asdict(choices), asdict(propose(table, choices.target))
    different = {name: value for name, value in made.items() if value != proposed[name]}
    if "kinds" in different:
        different["kinds"] = [pair for pair in made["kinds"] if pair not in proposed["kinds"]]
    return json.dumps({"target": choices.target, **different}, ensure_ascii=False, separators=(",", ":"))


def apply_changes(table: Table, text: str) -> Choices:
    """Return the choices from a text of `changes_from_proposal`; raise DataProblem if they do not fit the table."""
    given = read_json(text, "choices", COPY_AGAIN)
    if not isinstance(given, dict) or not isinstance(given.get("target"), str):
        raise DataProblem("No target is named.", "choices", COPY_AGAIN)
    proposed = asdict(propose(table, given["target"]))
    with suppress(TypeError, ValueError):  # `from_fields` refuses anything but a list of pairs
        given["kinds"] = list((dict(proposed["kinds"]) | dict(given.get("kinds", ()))).items())
    choices = Choices.from_fields(proposed | given)
    for name in (*choices.dropped, *dict(choices.kinds)):
        table.column(name)
    return choices
