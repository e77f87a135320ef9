"""The visitor's own table in a project file: the original file, how it was read, and the choices about it."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from mdcore.data import OWN, Choices, DataProblem, OwnSource, as_file, own_source, read_table
from mdcore.data.tables.reading import Ragged
from mdcore.experiment.query import DataKey

WHERE = "project file"
KEY = re.compile(re.escape(OWN) + r"[\w-]{16,64}", re.ASCII)
TEXTS = ("encoding", "delimiter", "decimal")


def packed(data: DataKey, own: OwnSource) -> dict[str, Any]:
    """Return a table as JSON data, with the split and scaling of the experiment being saved."""
    table = as_file(own.table)
    choices = choices_of(data, own)
    assert table.content is not None, "a file has content"
    return {
        "key": own.key,
        "name": table.name,
        "content": base64.b64encode(table.content).decode(),
        "options": json.loads(json.dumps(dict(table.origin.options))),
        "choices": json.loads(choices.to_json()),
    }


def choices_of(data: DataKey, own: OwnSource) -> Choices:
    """Return the choices about a table, with the split and scaling of an experiment."""
    return replace(own.choices, test=data.test, seed=data.seed, scaling=data.scaling)


def unpacked(given: Any) -> OwnSource:
    """Return the source that `packed` saved; raise DataProblem if the data are invalid."""
    if not isinstance(given, Mapping) or not {"key", "name", "content", "options", "choices"} <= set(given):
        raise _damaged("fields")
    if not all(isinstance(given[field], str) for field in ("key", "name", "content")) or not KEY.fullmatch(
        given["key"]
    ):
        raise _damaged("texts")
    try:
        content = base64.b64decode(given["content"], validate=True)
    except binascii.Error:
        raise _damaged("content") from None
    table = read_table(content, given["name"], **_options(given["options"]))
    return own_source(table, Choices.from_fields(given["choices"]), given["key"])


def _options(given: Any) -> dict[str, Any]:
    """Return the format options after checking their types; read_table checks their values."""
    if not isinstance(given, Mapping):
        raise _damaged("options")
    for name, value in given.items():
        texts = isinstance(value, list) and all(isinstance(text, str) for text in value)
        right = dict.fromkeys(TEXTS, isinstance(value, str))
        right |= {"header": isinstance(value, bool), "missing": texts, "ragged": value in get_args(Ragged)}
        if not right.get(name, False):
            raise _damaged("option", name=name, value=value)
    return dict(given)


def _damaged(part: str, **figures: Any) -> DataProblem:
    return DataProblem("damaged project", WHERE, part=part, **figures)
