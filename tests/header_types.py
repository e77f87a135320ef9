"""The types of messages in JavaScript, made from their one declaration in Python, as `make lint` does."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from mdcore.serving.stage import header
from mdcore.serving.stage.arrays import DTYPES, PINNED, WHOLE

PLAIN = {str: "string", bool: "boolean", int: "number", float: "number", NoneType: "null", object: "object"}
TYPED = {"float64": "Float64Array", "float32": "Float32Array", "int32": "Int32Array", "int16": "Int16Array"}
TYPED["uint8"] = "Uint8Array"


def main(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(declarations(), encoding="utf-8")


def declarations() -> str:
    """Return the declarations, which every module sees."""
    names = {name: made for name, made in vars(header).items() if is_typeddict(made) or _is_alias(made)}
    lines = [f"type {name} = {_declared(made, names)};" for name, made in names.items()]
    return "\n".join([*lines, f"type SceneArrays = {_arrays()};", ""])


def _is_alias(made: object) -> bool:
    return isinstance(made, UnionType) or get_origin(made) is Union


def _declared(made: Any, names: Mapping[str, Any]) -> str:
    """Return the type; of types that are alternatives, each is without the keys of the others."""
    if not _is_alias(made):
        return _fields(made, names)
    parts = get_args(made)
    if not all(map(is_typeddict, parts)):
        return _type(made, {})
    every = dict.fromkeys(key for part in parts for key in get_type_hints(part))
    without = [[f"{key}?: undefined" for key in every if key not in get_type_hints(part)] for part in parts]
    return " | ".join(
        f"({part.__name__} & {{ {'; '.join(missing)} }})" for part, missing in zip(parts, without, strict=True)
    )


def _fields(made: Any, names: Mapping[str, Any]) -> str:
    """Return an object type; the names of those that it extends are not repeated, as an error shows the keys."""
    fields = []
    for key, hint in get_type_hints(made, include_extras=True).items():
        optional = get_origin(hint) is NotRequired or not made.__total__
        inner = get_args(hint)[0] if get_origin(hint) is NotRequired else hint
        fields.append(f"{key}{'?' if optional else ''}: {_type(inner, names)}")
    return f"{{ {'; '.join(fields)} }}"


def _type(hint: Any, names: Mapping[str, Any]) -> str:
    named = next((name for name, made in names.items() if made is hint or (_is_alias(made) and made == hint)), None)
    if named:
        return named
    origin, inner = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in inner)
    if origin is list:
        return f"({_type(inner[0], names)})[]"
    if origin is Mapping:
        return f"{{ [key: string]: {_type(inner[1], names)} }}"
    if _is_alias(hint):
        return " | ".join(_type(part, names) for part in inner)
    raise TypeError(f"no JavaScript type for {hint}")


def _arrays() -> str:
    """Return the type of the arrays by name; those of a method may be missing."""
    fields = [f"{kind}: {TYPED[DTYPES[kind]]}" for kind in WHOLE]
    for kind, dtype in DTYPES.items():
        fields.append(f"[name: `{kind}:${{string}}`]: {TYPED[dtype]} | undefined")
        if kind in PINNED:
            fields.append(f"[name: `pin${{string}}:{kind}:${{string}}`]: {TYPED[dtype]} | undefined")
    return f"{{ {'; '.join(fields)} }}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
