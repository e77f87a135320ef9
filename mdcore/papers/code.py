"""Which code a result depends on: the modules that compute it, found by what they import, and a digest of them.

Another version of one solver leaves the results of all other methods as they are. Words are no code: neither comments
and docstrings nor texts with a blank in them, which are for people.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from pathlib import Path

from mdcore.methods import METHODS
from mdcore.papers.protocol import Protocol, TableMethod
from mdcore.papers.selection import walks_hinge
from mdcore.papers.trial import LARGEST

ROOT = Path(str(files("mdcore")))
# These know every method, so that what they import says nothing of one: they count by themselves.
OF_ALL = {"accuracy": ("papers/trial.py", "papers/selection.py"), "margin": ("papers/trial.py", "race.py")}
BELOW = {
    "accuracy": ("data/preparation.py", "kernels.py", "space.py"),
    "margin": ("papers/margin_table.py", "solvers/largest_margin.py"),
}
KNOWS_ALL = ("race.py", "experiment.py")


def code_of(table: Protocol, method: TableMethod) -> str:
    """Return the digest of all that a cell of this column runs through."""
    return digest(modules_of(table, method))


@cache
def code_digest() -> str:
    """Return the digest of the whole package but its pages: the same on machines that can work together."""
    return digest(path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] != "ui")


def modules_of(table: Protocol, method: TableMethod) -> set[Path]:
    begun = [ROOT / name for name in BELOW[table.measure]]
    if method.estimator != LARGEST:
        module = METHODS[method.estimator].estimator.__module__
        begun.append(ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py"))
    if table.measure == "accuracy" and walks_hinge(method):
        begun.append(ROOT / "papers/hinge.py")
    return followed(begun) | {ROOT / name for name in OF_ALL[table.measure]}


def followed(begun: Iterable[Path]) -> set[Path]:
    """Return these modules and all of the package that they import; the list in an `__init__` leads nowhere."""
    left, found = list(begun), set[Path]()
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            left.extend(_imports(path))
    return found


def digest(paths: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for path in sorted(paths):
        whole.update(plain_code(path).encode())
    return whole.hexdigest()


@cache
def plain_code(path: Path) -> str:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list) and body and _is_docstring(body[0]):
            body[0] = ast.Pass()
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            node.value = ""
    return ast.unparse(tree)


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    found = (_file(node.module, name.name) for node in nodes if isinstance(node, ast.ImportFrom) and node.module
             for name in node.names if node.module.partition(".")[0] == ROOT.name)  # fmt: skip
    return tuple(path for path in found if path is not None and path.relative_to(ROOT).as_posix() not in KNOWS_ALL)


def _file(module: str, name: str) -> Path | None:
    """Return the file of a module, or of the one that `name` is in a package."""
    place = ROOT.joinpath(*module.split(".")[1:])
    return next((path for path in (place / f"{name}.py", place.with_suffix(".py")) if path.is_file()), None)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
