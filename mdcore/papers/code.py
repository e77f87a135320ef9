"""The code that a result depends on: the modules that compute it, found through their imports, and their digest.

A new version of one solver leaves the results of all other methods valid.
"""

from __future__ import annotations

from pathlib import Path

from mdcore.basics.source_code import ROOT, digest, with_imports
from mdcore.methods import METHODS
from mdcore.papers.evaluation import LARGEST, Task
from mdcore.papers.protocol import TableMethod, TableProtocol
from mdcore.papers.selection import has_hinge_loop

# These modules import every method, so their imports say nothing about a single method: only their own code counts.
IMPORTING_ALL = {
    "accuracy": ("papers/evaluation.py", "papers/selection.py"),
    "margin": ("papers/evaluation.py", "experiment/race.py"),
}
SHARED = {
    "accuracy": ("data/preparation.py", "spaces/kernels.py", "spaces/space.py"),
    "margin": ("papers/margin_table.py", "solvers/largest_margin.py"),
}
CHANGED = (
    "The code that computes these cells has changed since they were planned. Finished cells are kept. Run the same "
    "command again to plan cells for the current code."
)


class CodeChanged(ValueError):
    """The code that computes a cell differs from the code for which the cell was planned."""

    def __init__(self, message: str = CHANGED) -> None:
        super().__init__(message)


def check_code(task: Task, planned: str) -> None:
    """Raise CodeChanged if the cell's code on disk differs from the planned code, or cannot be read or parsed."""
    try:
        now = code_of(task.protocol, task.protocol.method(task.method))
    except (OSError, SyntaxError):
        raise CodeChanged from None
    if now != planned:
        raise CodeChanged


def code_of(table: TableProtocol, method: TableMethod) -> str:
    """Return the digest of all code that a cell of this column runs."""
    return digest(modules_of(table, method))


def modules_of(table: TableProtocol, method: TableMethod) -> set[Path]:
    roots = [ROOT / name for name in SHARED[table.measure]]
    if method.estimator != LARGEST:
        module = METHODS[method.estimator].estimator.__module__
        roots.append(ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py"))
    if table.measure == "accuracy" and has_hinge_loop(method):
        roots.append(ROOT / "papers/hinge.py")
    return with_imports(roots) | {ROOT / name for name in IMPORTING_ALL[table.measure]}
