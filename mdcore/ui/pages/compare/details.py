"""Single rows, single models, and downloads."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from mdcore.experiment.query import SCALE
from mdcore.export import report, script, tables_archive
from mdcore.export.script import comparison_recipe
from mdcore.figures import points_drawn, view_figure
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.study import Comparison, examples, sentence
from mdcore.study.planes import boundaries, components, distance, pair
from mdcore.study.shown_tables import example_columns, example_frame
from mdcore.ui.pages.compare.controls import CONTROLS, choose_method
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.exporting import NOTEBOOK
from mdcore.ui.shared.term_table import in_words, term_table
from mdcore.ui.shared.words import plain

ROW_COLUMNS = in_words({"column": "A column of the data, before preparation.", "value": "The row's value there."})


def single_rows(job: ComparisonJob, comparison: Comparison) -> None:
    """Show every tested row, the hardest first, and the original cells of the row picked."""
    scale = CONTROLS.ask(SCALE)
    st.caption("Sort by any column; select a row at its left edge to see its original values.")
    event = term_table(
        example_frame(comparison, scale, job.sample.rows),
        example_columns(comparison),
        on_select="rerun",
        selection_mode="single-row",
        key=CONTROLS.key("rows"),
    )
    picked = event["selection"]["rows"]
    if picked:
        row = int(examples(comparison, scale).rows[picked[0]])
        st.markdown(f"## Row {job.sample.rows[row]}")
        term_table(pd.DataFrame(job.sample.row(row), columns=list(ROW_COLUMNS)), ROW_COLUMNS)


def pictures(job: ComparisonJob, comparison: Comparison) -> None:
    """Show one method on one split in a plane."""
    if not comparison.with_margins:
        st.info("Reference learners have no margins to draw.")
        return
    first, second, third = st.columns(3)
    with first:
        key = choose_method("picture method", comparison, comparison.with_margins, "The method whose model is drawn.")
    results = {result.split + 1: result for result in comparison.of(key)}
    with second:
        split = st.selectbox("Split", list(results), help="Each split has a model of its own.")
    fitted = job.fitted(results[split])
    two, sides = len(fitted.prepared.features) >= 2, boundaries(fitted)
    kinds = {"Signed distance": bool(sides), "Principal components": two, "Two columns": two}
    with third:
        kind = st.selectbox(
            "View",
            [name for name, possible in kinds.items() if possible],
            help="Signed distance: f(x)/‖w‖ against the main direction of the rest. Principal components: the plane of "
            "largest variance, the same for all methods. Two columns: f over two of them, the others held fixed; with "
            "several classes, the predicted class.",
        )
    if kind == "Signed distance":
        view = distance(fitted, _boundary(list(sides)))
    elif kind == "Principal components":
        view = components(fitted)
    else:
        view = pair(fitted, *_two_columns(fitted.prepared.features))
    axes = dict.fromkeys(view.projection.labels, view.projection.note or "A column after preparation.")
    plot(view_figure(view), f"{fitted.name}, split {split}: {view.projection.note}", axes)
    if not sides:
        why = fitted.model.why_no_distances or "f is constant, so that there is no boundary"
        st.caption(f"{plain(fitted.name)} has no distances to draw: {why}.")
    glyphs = "Training rows are filled, test rows open; errors have a grey ring."
    st.caption(plain(f"{view.projection.note} {glyphs} {points_drawn(view)}"))


def _boundary(names: list[str]) -> str:
    """Return the boundary to which distance is measured, asking if there are several."""
    if len(names) == 1:
        return names[0]
    return str(st.selectbox("Boundary between", names, help="Rows of other classes have a distance to it as well."))


def _two_columns(features: tuple[str, ...]) -> tuple[int, int, Any]:
    first, second, third = st.columns(3)
    numbers = list(range(len(features)))
    with first:
        x = st.selectbox("Across", numbers, format_func=features.__getitem__, help="A column after preparation.")
    with second:
        others = [number for number in numbers if number != x]
        y = st.selectbox("Up", others, format_func=features.__getitem__, help="A column after preparation.")
    with third:
        at = st.selectbox("Others at their training", ["mean", "median"], help="Where the other columns are fixed.")
    return x, y, at


def downloads(job: ComparisonJob, comparison: Comparison, score: str) -> None:
    sample = job.sample
    scale, code = CONTROLS.ask(SCALE), script(comparison, sample.code)
    recipe = comparison_recipe(comparison, sample.code, score)
    st.caption(
        "The tables have full precision, the report three digits; the script recomputes every number except times."
    )
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            lambda: report(
                comparison,
                f"Comparison on {sample.title}",
                sample.facts,
                sample.code,
                scale,
                sample.rows,
                [sentence(note) for note in job.notes],
            ),
            "comparison.html",
            "text/html",
            icon=":material/article:",
            on_click="ignore",
            help="One file with figures, tables, choices, versions and the script; it opens without a network.",
        )
        st.download_button(
            "Tables (CSV)",
            lambda: tables_archive(comparison, scale, sample.rows),
            "comparison.zip",
            "application/zip",
            icon=":material/table:",
            on_click="ignore",
            help="Scores, splits, differences, margins, rows and confusion matrices, safe to open in a spreadsheet.",
        )
        st.download_button(
            "Script (Python)",
            code,
            "comparison.py",
            "text/x-python",
            icon=":material/code:",
            on_click="ignore",
            help="Needs only mdcore. If it uses your own file, run it in that file's folder.",
        )
        st.download_button(
            "Notebook",
            lambda: recipe.notebook(f"Comparison on {sample.title}"),
            "comparison.ipynb",
            NOTEBOOK,
            icon=":material/book:",
            on_click="ignore",
            help="The script in cells, followed by a plot of the scores.",
        )
    with st.expander("Script"):
        st.code(code, language="python")
