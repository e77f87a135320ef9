"""Export of the effect of one parameter on the margins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from mdcore.experiment.run import Run
from mdcore.export.recipe import Recipe
from mdcore.export.state import versions
from mdcore.margins.distribution import PARTS, STATISTICS

RUN = """from mdcore import Experiment

base = Experiment.from_query({query!r})
runs = {{
    label: base.with_param({method!r}, {name!r}, value).run_method({method!r})
    for label, value in {values!r}.items()
}}
beside = {beside}"""

PRINT = """for label, run in runs.items():
    for part in {parts!r}:
        for name in {statistics!r}:
            print(label, part, name, repr(float(getattr(getattr(run, part), name))), sep="; ")"""

DRAW = """from mdcore.figures.margins import effect_figure

effect = effect_figure(list(runs.values()), list(runs), beside)"""


def effect_recipe(query: str, name: str, runs: Sequence[Run], labels: Sequence[str], beside: str | None) -> Recipe:
    """Return code that prints the statistics of every run and draws the curves.

    `beside` is the key of another method, drawn for comparison.
    """
    given = {
        "query": query,
        "method": runs[0].method.key,
        "name": name,
        "values": {label: _value(run.params[name]) for label, run in zip(labels, runs, strict=True)},
        "beside": "None" if beside is None else f"base.run_method({beside!r})",
    }
    return Recipe(
        "Recompute the effect of a parameter: print the statistics of the margins and write their curves.",
        versions(),
        (RUN.format(**given), PRINT.format(parts=PARTS, statistics=STATISTICS), DRAW),
        ("effect",),
    )


def effect_margins(runs: Sequence[Run], labels: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield a row for every example of every run."""
    for run, label in zip(runs, labels, strict=True):
        for part in PARTS:
            for row, margin in zip(run.prepared.of(part)[0], run.margins(part).values, strict=True):
                yield {"setting": label, "row": int(row), "part": part, f"margin ({run.scale})": float(margin)}


def _value(value: Any) -> Any:
    return value if isinstance(value, str) else float(value)
