"""Export of a run: its table, margins and code as files, each generated on request."""

from __future__ import annotations

from mdcore.export import csv_file
from mdcore.export.paper_code import paper_table_recipe, table_margins, table_page
from mdcore.export.paper_tables import FORMATS, title_of
from mdcore.papers.store import Store
from mdcore.papers.table_report import TableReport
from mdcore.ui.pages.tables import runner
from mdcore.ui.shared.exporting import CSV, HTML, NOTEBOOK, PYTHON, File, export_menu


def take_away(store: Store, made: TableReport) -> None:
    name = f"{made.protocol.paper}-table-{made.protocol.table}"
    there = next(table_margins(store, made), None) is not None
    recipe = paper_table_recipe(made, with_margins=there)

    def margins() -> bytes:
        with Store.view(runner.store_path()) as now:
            return csv_file(list(table_margins(now, made)))

    def page() -> str:
        with Store.view(runner.store_path()) as now:
            return table_page(now, made)

    files = [File("Every number of the table (CSV)", f"{name}.csv", CSV, lambda: FORMATS["csv"](made))]
    if there:
        what = "A row for every example of every stored split, in single precision as stored."
        files.append(File("Margins of every example (CSV)", f"{name}-margins.csv", CSV, margins, what))
    again = "Computes the table again, into a store of its own."
    files += [
        File("Interactive figures (HTML)", f"{name}.html", HTML, page),
        File("Python script", f"{name}.py", PYTHON, recipe.script, again),
        File("Notebook", f"{name}.ipynb", NOTEBOOK, lambda: recipe.notebook(title_of(made)), again),
    ]
    export_menu(name, files)
