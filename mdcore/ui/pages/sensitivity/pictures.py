"""The pictures of a sweep, drawn from the points so far and linked to the stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from mdcore.basics.text import exact_gap_words, percent, short
from mdcore.experiment.query import parse_query
from mdcore.export import csv_file
from mdcore.export.state import figures_document
from mdcore.export.sweep import picture_of, sweep_recipe
from mdcore.figures import heatmap_figure, ranking_figure, sides_figure, sweep_figure, terms_figure
from mdcore.figures.sweep import axis_title
from mdcore.spaces.exact_gap import RISK
from mdcore.spec import Param
from mdcore.sweep import (
    MEASURES,
    Axis,
    Sweep,
    SweepTable,
    axis_params,
    criteria_of,
    disagreements,
    has_one_ruler,
    kinks,
)
from mdcore.sweep.plan import Place
from mdcore.ui.pages.sensitivity.address import KINKS
from mdcore.ui.pages.sensitivity.choice import SweepChoice, View, axis_label
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.exporting import CSV, HTML, NOTEBOOK, PYTHON, File, csv_button, export_menu
from mdcore.ui.shared.session import PLAYGROUND, cached_for
from mdcore.ui.shared.term_table import in_words, term_table
from mdcore.ui.stage.scrubber import scrubber

KINK = {
    "kinks": "Values at which an example becomes, or ceases to be, a support vector: between them the solution moves "
    "in a straight line, at them it bends."
}
SUMMANDS = {
    "terms": "The height of each band is the value of one term of the objective; terms below zero lower it. Their "
    "names are those of the formula on the page Methods."
}
SIDES = {
    "row of the sample": "An example, by its number in the sample.",
    "right side": "Its margin is positive: it is predicted as its own class.",
    "wrong side": "Its margin is 0 or negative: it is an error.",
}
NO_WINNER = {"no winner": "The methods are equal there, or the best is inside the band of another."}
RANKED = {
    "better": "The method that the first criterion prefers.",
    "than": "The other method.",
    "by": "The first criterion.",
    "but worse by": "The criterion that prefers the other method.",
}
POINT = {
    "method": "What is fitted. The page Methods shows what each minimises.",
    "seed": "The seed of the sample and its split: one for each repeat.",
}
ENDED = {"converged": "Whether the solver reached its tolerance; if not, the row describes its last iterate."}


def draw(table: SweepTable, chosen: SweepChoice, running: bool, look: SweepTable | None = None) -> None:
    """Draw the chosen picture from the points so far; an incomplete heatmap is filled in over its first `look`."""
    for reason, count in table.problems().items():
        st.warning(f"{count} points cannot be computed: {reason}")
    if not any(result.statistics for result in table.results):
        st.info("The first points are being computed." if running else "There are no points to show.")
        return
    _show_sample(table)
    _show_landmarks(table)
    match chosen.view.picture:
        case "table":
            _numbers(table)
        case "path":
            scrubber(chosen.sweep)
        case "terms":
            _terms(table, chosen.view.method)
        case "sides":
            _sides(table, chosen.view.method)
        case "ranking":
            _ranking(table)
        case _ if len(table.sweep.axes) == 2:
            _heatmap(table, chosen.view, look)
        case _:
            _curves(table, chosen, running)


def _heatmap(table: SweepTable, view: View, look: SweepTable | None) -> None:
    _missing(table, view.statistic, (view.method,))
    _show_unconverged(table, (view.method,), "Crosses")
    figure = heatmap_figure(table, view.method, view.statistic, None if table.complete else look)
    _chart_with_link(table, figure, f"Heatmap of {MEASURES[view.statistic].title}", _measured(view.statistic))


def _curves(table: SweepTable, chosen: SweepChoice, running: bool) -> None:
    statistic = chosen.view.statistic
    _missing(table, statistic, table.methods)
    _show_unconverged(table, table.methods, "Hollow points")
    bends = {} if running else _kinks(chosen.sweep)
    figure, words = sweep_figure(table, statistic, bends), f"Curves of {MEASURES[statistic].title}"
    repeats = table.sweep.repeats
    note = f"Lines: medians over {repeats} repeats; bands: from the 10 to the 90 % quantile." if repeats > 1 else ""
    _chart_with_link(table, figure, words, _measured(statistic) | (KINK if bends else {}), note)


def _terms(table: SweepTable, method: str) -> None:
    _show_unconverged(table, (method,), "Hollow points")
    figure = terms_figure(table, method)
    _chart_with_link(table, figure, "Terms of the objective", _measured("objective") | SUMMANDS)


def take_away(table: SweepTable, chosen: SweepChoice) -> None:
    """Draw the export menu of a complete sweep."""
    view = chosen.view
    try:
        figure, code = picture_of(table, view.picture, view.statistic, view.method)
    except ValueError:  # the page shows why this picture cannot be drawn
        figure, code = picture_of(table, "curves", view.statistic, view.method)
    recipe = sweep_recipe(table, code)
    words = f"{MEASURES[view.statistic].title}: {', '.join(table.name(method) for method in table.methods)}"
    files = [
        File("Every number (CSV)", "sensitivity.csv", CSV, lambda: csv_file([*table.records()])),
        File("Interactive figure (HTML)", "sensitivity.html", HTML, lambda: figures_document([figure], words)),
    ]
    files += [
        File("Python script", "sensitivity.py", PYTHON, recipe.script),
        File("Notebook", "sensitivity.ipynb", NOTEBOOK, lambda: recipe.notebook(words)),
    ]
    own = table.sweep.experiment.data.own
    read = own is not None and own.table.origin.kind == "file"
    note = "The script and the notebook read your file from the folder in which they run." if read else ""
    export_menu("sensitivity", files, note)


def _kinks(sweep: Sweep) -> dict[str, NDArray[np.float64]]:
    """Return the kinks of the solution paths that can be followed exactly, by method; cached for the latest sweep."""
    subject = replace(sweep, repeats=1, threshold=0.0)

    def follow() -> dict[str, NDArray[np.float64]]:
        found = {method: kinks(subject, method) for method in sweep.experiment.methods}
        return {method: bends for method, bends in found.items() if len(bends)}

    return cached_for(KINKS, subject, follow)


def _missing(table: SweepTable, statistic: str, methods: tuple[str, ...]) -> None:
    """Show why a curve is missing."""
    if statistic.startswith("test.") and table.sweep.experiment.data.test == 0.0:
        st.info("No examples are kept for testing: raise the share `test` in the sidebar.")
    elif statistic == "loo_bound":
        without = [table.name(method) for method in methods if _empty(table, method, statistic)]
        if without:
            st.caption(f"{', '.join(without)} has no leave-one-out bound of its own.")


def _show_unconverged(table: SweepTable, methods: tuple[str, ...], marks: str) -> None:
    names = [table.name(method) for method in methods if table.unconverged(method).any()]
    if names:
        st.caption(f"{marks}: the solver stopped before it converged ({', '.join(names)}).")


def _show_sample(table: SweepTable) -> None:
    """Show that the sweep uses a sample of a large table."""
    data, swept = table.sweep.experiment.data, {axis.key for axis in table.sweep.axes}
    size = next((option for option in data.record.options if data.own and option.name == "n"), None)
    if isinstance(size, Param) and size.name not in swept:
        n, total = dict(data.options)[size.name], int(size.legal.high)
        if n < total:
            st.caption(f"A sample of {n:,} of the {total:,} rows of your table: raise n in the sidebar for more.")


def _show_landmarks(table: SweepTable) -> None:
    """Show which methods use landmarks, with their duality gaps and the distance to the exact kernel problem."""
    seen = {table.name(method): table.through_landmarks(method) for method in table.methods}
    spanned = {name: results for name, results in seen.items() if results}
    if not spanned:
        return
    rows = table.sweep.experiment.training_rows
    bounds = []
    for name, results in spanned.items():
        gaps = np.array([result.gap for result in results])
        far = np.array([result.exact_gap for result in results])
        solved = f"gap at most {short(float(np.nanmax(gaps)), 2)}" if not np.isnan(gaps).all() else "no certified gap"
        known = exact_gap_words(float(np.nanmax(far))) if not np.isnan(far).all() else ""
        unknown = "no bound to the exact problem" if not known else "more where no bound is known"
        more = "" if known and not np.isnan(far).any() else f", {unknown}"
        bounds.append(f"{name}: {solved}" + (f", {known}" if known else "") + more)
    others = [table.name(method) for method in table.methods if table.name(method) not in spanned]
    exact = f" The others ({', '.join(others)}) are not approximated." if others else ""
    landmarks = max(result.landmarks for results in spanned.values() for result in results)
    coverage = f"All {rows:,} training rows, seen through {landmarks} landmarks."
    if table.mixed:
        marks = " (diamonds)" if len(table.sweep.axes) == 1 else ""
        coverage = (
            f"Where an exact fit would take longer than a picture of the playground has{marks}, all training rows are "
            f"seen through {landmarks} landmarks; elsewhere the kernel is exact."
        )
    st.caption(
        f"{coverage} {'; '.join(bounds)}.{exact} With many support vectors the bound is estimated from sampled kernel "
        f"values and holds with {percent(1.0 - RISK, 2)} probability. For the exact kernel problem of a subsample, "
        "lower the number of rows in the sidebar."
    )


def _empty(table: SweepTable, method: str, statistic: str) -> bool:
    values = table.values(method, statistic)
    return bool((values != values).all())


def _chart_with_link(table: SweepTable, figure: object, alt: str, terms: dict[str, str], note: str = "") -> None:
    """Draw a figure; a click on a point shows a link to the stage."""
    above = st.container(height=40, border=False)
    explained = _of_axes(table, axis_title) | terms
    event = plot(figure, alt, explained, note, key="sensitivity chart", on_select="rerun", selection_mode="points")
    picked = [point for point in event["selection"]["points"] if "customdata" in point]
    with above:
        if picked:
            _link(table, tuple(int(at) for at in picked[0]["customdata"][: len(table.sweep.axes)]))
        else:
            what = "cell" if len(table.sweep.axes) == 2 else "point"
            st.caption(f"Click a {what} to get a link here that opens it on the stage.")


def _link(table: SweepTable, place: Place) -> None:
    sweep = table.sweep
    where = ", ".join(
        f"{axis_label(axis.key, sweep.experiment)} = {short(value)}"
        for axis, value in zip(sweep.axes, sweep.values_at(place), strict=True)
    )
    query = sweep.experiment_at(place).to_query()
    label, icon = f"Open the stage at {where}", ":material/open_in_new:"
    if not sweep.experiment.data.own:
        st.link_button(label, f"./?{query}", icon=icon, help="In a new tab.")
    elif st.button(label, icon=icon, help="In this tab: your table exists in this session only."):
        st.switch_page(PLAYGROUND, query_params=parse_query(query))


def _sides(table: SweepTable, method: str) -> None:
    try:
        sides = table.sides(method)
    except ValueError as error:
        st.info(f"{error} Choose a parameter of a method or of the kernel.")
        return
    changing = sides.changing()
    if not len(changing.rows):
        st.info(
            f"No example changes side: {table.name(method)} predicts all {len(sides.rows)} the same along the path."
        )
        return
    explained = _of_axes(table, axis_title) | SIDES
    figure = sides_figure(table, method, changing)
    note = "First seed. Rows are in the order in which they first change side, training and test examples together."
    plot(figure, "Examples that change side", explained, note, key="sensitivity sides")


def _ranking(table: SweepTable) -> None:
    if len(table.methods) < 2:
        st.info("A ranking needs at least two methods: add one in the sidebar.")
        return
    criteria = criteria_of(table)
    if not has_one_ruler(table.sweep):
        st.info(
            "These methods have no common unit for margins: sizes of margins are compared on the geometric scale only, "
            "in one kernel's space and one norm, and never with votes."
        )
    explained = _of_axes(table, axis_title) | _measured(*criteria) | NO_WINNER
    plot(ranking_figure(table, criteria), "Best method by each criterion", explained, key="sensitivity ranking")
    found = disagreements(table, criteria)
    places = len({item.place for item in found})
    total = table.sweep.shape[0]
    st.markdown(
        f"At **{places} of {total}** points two of the {len(criteria)} criteria order some pair of methods in opposite "
        "ways, by the medians over the repeats. Parameters other than those of the sweep are not tuned."
    )
    if found:
        rows = [
            {
                _listed(table, table.sweep.axes[0]): table.sweep.values_at(item.place)[0],
                "better": table.name(item.winner),
                "than": table.name(item.loser),
                "by": MEASURES[item.first].title,
                "but worse by": MEASURES[item.second].title,
            }
            for item in found
        ]
        axes = _of_axes(table, _listed)
        term_table(rows, in_words(axes | RANKED, axes))
        csv_button(
            rows, "ranking.csv", "A row for each pair of methods at a point that two criteria order differently."
        )


def _numbers(table: SweepTable) -> None:
    records = list(table.records())
    titles = {name: MEASURES[name].title for name in table.sweep.statistics}
    titles |= {axis.key: _listed(table, axis) for axis in table.sweep.axes}
    names = {method: table.name(method) for method in table.methods}
    explained = _of_axes(table, _listed) | POINT | _measured(*MEASURES) | ENDED
    frame = pd.DataFrame(records).replace({"method": names}).rename(columns=titles)
    fractions = [name for name in map(str, frame) if frame[name].dtype.kind == "f"]
    term_table(frame, in_words({title: explained[title] for title in map(str, frame)}, fractions))
    csv_button(records, "sensitivity.csv", "A row for each method at each point of each repeat.")


def _of_axes(table: SweepTable, name: Callable[[SweepTable, Axis], str]) -> dict[str, str]:
    """Return the help texts of the swept parameters, under the names that `name` gives them."""
    params = axis_params(table.sweep.experiment)
    return {name(table, axis): params[axis.key].help for axis in table.sweep.axes}


def _listed(table: SweepTable, axis: Axis) -> str:
    return axis_label(axis.key, table.sweep.experiment)


def _measured(*statistics: str) -> dict[str, str]:
    return {MEASURES[name].title: MEASURES[name].help for name in statistics}
