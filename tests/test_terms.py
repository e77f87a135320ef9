"""Tables and charts are explained in place; the tests of the pages check this with `unexplained`."""

from __future__ import annotations

import ast
import re

from streamlit.testing.v1 import AppTest

from tests.apptest import entries, unexplained
from tests.dependencies import ROOT

UI = ROOT / "mdcore" / "ui"
DRAWING = {"dataframe", "table", "data_editor", "plotly_chart"}
DRAWN = {  # common modules for all pages; the others show rows of a file, with the visitor's headings, or plain tables
    "shared/term_table.py": {"dataframe"},
    "shared/drawing.py": {"plotly_chart"},
    "own_table/reading.py": {"dataframe"},
    "pages/reference.py": {"table"},
    "pages/compare/costs.py": {"table"},
}


def test_a_table_shows_the_columns_that_are_explained_and_no_other() -> None:
    def page() -> None:
        from mdcore.basics.shown_table import Column
        from mdcore.ui.shared.term_table import term_table

        columns = {"a": Column("Mean", "The average.", "number"), "b": Column("x < y", "Of <b>two</b>.")}
        term_table([{"a": 1.0, "b": "no", "more": 3}], columns)

    run = AppTest.from_function(page).run()
    assert not run.exception
    assert list(run.dataframe[0].value) == ["a", "b"]
    assert entries(run) == {"Mean": "The average.", "x < y": "Of <b>two</b>."}
    assert unexplained(run) == []


def test_a_short_table_too_wide_for_a_phone_also_stands_as_blocks_named_by_the_pinned_columns() -> None:
    def page() -> None:
        from functools import partial
        from math import nan

        from mdcore.basics.shown_table import Column
        from mdcore.basics.text import fixed
        from mdcore.ui.shared.term_table import in_words, term_table

        columns = {
            "method": Column("Method", "What is fitted.", pinned=True),
            "part": Column("Rows", "Which rows.", pinned=True),
            "score": Column("Score", "Mean ± deviation.", text=partial(fixed, decimals=3), spread="sd"),
            "gap": Column("Gap", "A bound."),
        }
        rows = [
            {"method": "a < b", "part": "test", "score": -0.0004, "sd": 0.02, "gap": 0.125},
            {"method": "c", "part": "train", "score": -0.5, "sd": nan, "gap": nan},
        ]
        term_table(rows, columns)
        term_table([{"t": 0.5, "a": 1, "b": 2, "c": 3}], in_words(dict.fromkeys("tabc", "A number.")))
        term_table(rows, columns, on_select="rerun", selection_mode="single-row", key="picked")

    run = AppTest.from_function(page).run()
    stacked, numbers = (note.proto.body for note in run.get("html") if 'class="stacked"' in note.proto.body)
    assert re.findall("<strong>(.*?)</strong>", stacked) == ["a &lt; b · test", "c · train"]
    assert "<strong>t = 0.500</strong>" in numbers
    cells = [("Score", "0.000 ± 0.020"), ("Gap", "0.125"), ("Score", "−0.500")]
    assert re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", stacked) == cells


def test_what_is_not_explained_is_found() -> None:
    def page() -> None:
        import streamlit as st

        from mdcore.figures.style import figure
        from mdcore.ui.shared.drawing import plot

        st.dataframe([{"a": 1.0}], column_config={"a": "Mean"}, hide_index=True)
        plot(figure("", "precision", "a word of its own"), "A chart")

    assert unexplained(AppTest.from_function(page).run()) == ["Mean", "a word of its own"]


def of_own_function(call: ast.Attribute) -> bool:
    """Return whether a method is of what a function of ours returned, as a published result, and not Streamlit's."""
    return isinstance(call.value, ast.Call) and isinstance(call.value.func, ast.Name)


def test_tables_and_charts_are_drawn_in_one_place() -> None:
    found: dict[str, set[str]] = {}
    for path in UI.rglob("*.py"):
        calls = (node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call))
        drawn = {call.attr for call in calls if isinstance(call, ast.Attribute) and not of_own_function(call)} & DRAWING
        if drawn:
            found[path.relative_to(UI).as_posix()] = drawn
    assert found == DRAWN
