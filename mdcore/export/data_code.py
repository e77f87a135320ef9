"""The data in scripts and reports: code that reads a table or recreates an experiment, and the choices about it."""

from __future__ import annotations

from mdcore.data import Choices, OwnSource, Selection, Table
from mdcore.data.tables.pipeline import by_classes
from mdcore.experiment import Experiment
from mdcore.export.script import DataCode


def table_facts(table: Table, choices: Choices, chosen: Selection) -> tuple[tuple[str, str], ...]:
    """Return the choices in words."""
    return (
        ("data", table.name),
        ("target", choices.target),
        ("columns left out", ", ".join(choices.dropped) or "none"),
        ("missing values", choices.missing),
        ("categories", _encoding(table, choices)),
        ("scaling", choices.scaling),
        ("positive class", str(chosen.positive)),
        ("rows used", f"{len(chosen.rows):,} of {table.n:,}"),
        *((("split by", f"{choices.scheme}: {choices.along}"),) if choices.along else ()),
    )


def _encoding(table: Table, choices: Choices) -> str:
    many = by_classes(table, choices)
    return choices.encoding + (f", by each level's share of the classes: {', '.join(many)}" if many else "")


def table_code(table: Table, choices: Choices) -> DataCode:
    """Return code that reads the table, a file from the script's working directory, with all choices spelled out."""
    own_imports, source = table_source(table)
    imports = (
        "from mdcore.data import Choices, select",
        "from mdcore.data import preparation as prepare",
        *own_imports,
    )
    lines = (
        f"table = {source}",
        f"choices = Choices.from_json({choices.to_json()!r})",
        "chosen = select(table, choices)",
        "X, y, preparation = chosen.X, chosen.y, prepare(table, choices)",
        *(("along = chosen.along",) if choices.along else ()),
    )
    return DataCode(imports, lines, table=True)


def table_source(table: Table) -> tuple[tuple[str, ...], str]:
    """Return the imports and the expression that read a table with the original options."""
    origin = table.origin
    options = "".join(f", {name}={value!r}" for name, value in origin.options)
    source = {
        "file": f"read_table(Path({origin.name!r}).read_bytes(), {origin.name!r}{options})",
        "openml": f"read_openml({origin.name!r})",
        "catalogue": f"table_of(load_dataset({origin.name!r}{options}))",
    }[origin.kind]
    reader = {"file": "read_table", "openml": "read_openml", "catalogue": "load_dataset, table_of"}[origin.kind]
    imports = (
        f"from mdcore.data import {reader}",
        *(("from pathlib import Path",) if origin.kind == "file" else ()),
    )
    return imports, source


def experiment_definition(experiment: Experiment) -> str:
    """Return lines that define `experiment`; a file is read from the working directory."""
    own = experiment.data.own
    call = f"experiment = Experiment.from_query({experiment.to_query()!r}"
    if own is None:
        return f"from mdcore import Experiment\n\n{call})"
    imports, lines = _own(own)
    return "\n".join([*sorted({"from mdcore import Experiment", *imports}), "", *lines, f"{call}, [own])"])


def _own(own: OwnSource) -> tuple[tuple[str, ...], tuple[str, ...]]:
    imports, table = table_source(own.table)
    lines = (
        f"table = {table}",
        f"own = own_source(table, Choices.from_json({own.choices.to_json()!r}), {own.key!r})",
    )
    return (*imports, "from mdcore.data import Choices, own_source"), lines
