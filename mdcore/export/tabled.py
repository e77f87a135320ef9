"""A table of one's own in a script and in a report: how it is read again, and what was chosen about it."""

from __future__ import annotations

from mdcore.data import Choices, Selection, Table
from mdcore.export.script import DataCode


def table_facts(table: Table, choices: Choices, chosen: Selection) -> tuple[tuple[str, str], ...]:
    """Return what was chosen, in words."""
    return (
        ("data", table.name),
        ("target", choices.target),
        ("columns left out", ", ".join(choices.dropped) or "none"),
        ("missing values", choices.missing),
        ("categories", choices.encoding),
        ("scaling", choices.scaling),
        ("positive class", str(chosen.positive)),
        ("rows used", f"{len(chosen.rows):,} of {table.n:,}"),
        *((("split by", f"{choices.scheme}: {choices.along}"),) if choices.along else ()),
    )


def table_code(table: Table, choices: Choices) -> DataCode:
    """Return the table read again, a file from the folder in which the script runs, with every choice in full."""
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
    return DataCode(imports, lines)


def table_source(table: Table) -> tuple[tuple[str, ...], str]:
    """Return the imports and the expression by which a table is read again, as it was read."""
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
