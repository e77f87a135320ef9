"""The code of the package as it is on disk: the modules that a module imports, and digests of what they compute.

A digest ignores comments, docstrings and every string that contains a space, as such strings are text for people. Files
are read in their current state, because the code may change during a run.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

ROOT = Path(str(files("mdcore")))
NOT_FOLLOWED = ("experiment/race.py", "experiment/experiment.py")  # they import every method


@cache
def code_digest() -> str:
    """Return the digest of the whole package without what serves pages, as first read by this process.

    Machines can work together only if their digests are equal.
    """
    return digest(path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in ("serving", "ui"))


def with_imports(roots: Iterable[Path]) -> set[Path]:
    """Return these modules and all modules of the package that they import, directly or indirectly.

    Names that a package's `__init__` re-exports are not followed.
    """
    left, found = list(roots), set[Path]()
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left.extend(_parsed(path)[0])
    return found


def digest(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(plain_code(path).encode())
    return whole.hexdigest()


def _parsed(path: Path) -> tuple[tuple[Path, ...], str]:
    """Return the modules of the package that a module imports, and the module's code without docstrings and text."""
    state = path.stat()
    return _parse(path, state.st_mtime_ns, state.st_size)


@cache
def _parse(path: Path, modified: int, size: int) -> tuple[tuple[Path, ...], str]:
    """Return the same, cached until the file's modification time or size changes."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imports = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == ROOT.name:
            imports += [_file(node.module, name.name) for name in node.names]
        if isinstance(body := getattr(node, "body", None), list):
            kept = [statement for statement in body if not _is_docstring(statement)]
            body[:] = kept if kept or isinstance(node, ast.Module) else [ast.Pass()]
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            node.value = ""
    found = tuple(p for p in imports if p is not None and p.relative_to(ROOT).as_posix() not in NOT_FOLLOWED)
    return found, ast.unparse(tree)


def plain_code(path: Path) -> str:
    """Return the code of a module without comments, docstrings and text."""
    return _parsed(path)[1]


def _file(module: str, name: str) -> Path | None:
    """Return the file of the module `module.name` if there is one, else the file of `module`, or None if that is a
    package."""
    place = ROOT.joinpath(*module.split(".")[1:])
    return next((path for path in (place / f"{name}.py", place.with_suffix(".py")) if path.is_file()), None)


def _is_docstring(node: ast.stmt) -> bool:
    """Return whether a statement is a string, such as a docstring or the description of an attribute."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
