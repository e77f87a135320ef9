"""Recomputation of one stored number from its row in the store."""

from __future__ import annotations

import json
from dataclasses import dataclass

from mdcore.papers.code import code_of
from mdcore.papers.evaluation import Task
from mdcore.papers.store import Store
from mdcore.papers.worker import outcome_of


@dataclass(frozen=True)
class Reproduced:
    text: str
    same: bool


def reproduce(store: Store, start: str) -> Reproduced:
    """Recompute the stored cell whose identity starts with `start`.

    Raise ValueError unless exactly one result matches.
    """
    found = store.results_named(start)
    if len(found) != 1:
        several = f"{len(found)} stored results start with it; give more characters"
        raise ValueError(f"--reproduce {start}: {several if found else 'no stored result starts with it'}.")
    (row,) = found
    task = Task.from_json(row["task"])
    outcome = outcome_of(task, row["fingerprint"])
    same = outcome.digest == row["digest"]
    name = f"{task.protocol.name}, {task.dataset}, {task.method}, split {task.split + 1}"
    lines = [
        f"{name} (cell {row['id'][:12]})",
        f"  stored    {row['value']!r}",
        f"  computed  {outcome.value!r}, with {json.dumps(outcome.params, sort_keys=True)}",
        "  Identical, to the last digit of every margin." if same else "  Not identical: the numbers differ.",
    ]
    if row["code"] != code_of(task.protocol, task.protocol.method(task.method)):
        lines.append("  The stored result was computed by another version of the code.")
    return Reproduced("\n".join(lines), same)
