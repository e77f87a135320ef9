"""What a comparison has found, one section at a time: only the one that is looked at is made."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from mdcore.experiment import SCALE
from mdcore.export import report, script, tables_archive
from mdcore.figures import band_figure, confusion_figure, difference_figure, score_figure, view_figure
from mdcore.margin import STATISTICS
from mdcore.methods import METHODS
from mdcore.narrative import three_digits
from mdcore.study import SCORES, WHY_TWO_TESTS, Comparison, band, differences, examples, margin_axis
from mdcore.study import margin_summary as margins_of
from mdcore.study import summary as scores_of
from mdcore.study.scores import EXPLAINED
from mdcore.study.views import components, distance, pair
from mdcore.ui.compare.ask import ask, key_of
from mdcore.ui.compare.job import Job
from mdcore.ui.words import plain

THREE = "%.3g"
CONFIG = {"displaylogo": False}
IN_A_ROW = 4
ALWAYS = ("splits", "n_fit", "seconds")  # other columns only where one of their numbers is not 0
PAIRED_NOTE = "p-values are of single comparisons: of twenty pairs that do not differ, one falls below 0.05 by chance."


def choose_score() -> str:
    st.session_state.setdefault(key_of("score"), "accuracy")
    return str(
        st.selectbox(
            "Score",
            list(SCORES),
            format_func=SCORES.__getitem__,
            key=key_of("score"),
            help="  \n".join(f"{SCORES[name]}: {text}" for name, text in EXPLAINED.items()),
            persist_state="session",
            width=240,
        )
    )


def score_table(comparison: Comparison) -> None:
    rows = scores_of(comparison)
    columns: dict[str, Any] = {"method": st.column_config.TextColumn("Method", pinned=True)}
    for name, title in SCORES.items():
        columns[name] = st.column_config.NumberColumn(title, format=THREE, help=EXPLAINED[name])
        columns[f"{name}_sd"] = st.column_config.NumberColumn("±", format=THREE, help="Deviation over the splits.")
    extra: dict[str, Any] = {
        "splits": st.column_config.NumberColumn("Splits", help="Splits done."),
        "n_fit": st.column_config.NumberColumn("Rows fitted", help="Training rows that the method was fitted on."),
        "seconds": st.column_config.NumberColumn(
            "Fit, s",
            format=THREE,
            help="From the prepared rows to the model, kernel matrix included; mean over splits.",
        ),
        "selection_seconds": st.column_config.NumberColumn(
            "Choosing, s", format=THREE, help="Cross-validation; mean over the splits."
        ),
        "not_converged": st.column_config.NumberColumn("Not converged", help="Fits that ran out of steps."),
        "failed": st.column_config.NumberColumn("Failed", help="Splits on which the method could not be fitted."),
    }
    columns |= {name: column for name, column in extra.items() if name in ALWAYS or any(row[name] for row in rows)}
    st.dataframe(pd.DataFrame(rows)[list(columns)], hide_index=True, column_config=columns)
    for reason, methods in _reasons(comparison).items():
        st.warning(plain(f"{', '.join(methods)}: {reason}"))


def _reasons(comparison: Comparison) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for failure in comparison.failures:
        methods = found.setdefault(failure.reason, [])
        if METHODS[failure.key].name not in methods:
            methods.append(METHODS[failure.key].name)
    return found


def scores(job: Job, comparison: Comparison) -> None:
    score_table(comparison)
    score = choose_score()
    plot(score_figure(comparison, score), f"{SCORES[score]} of every split, by method.")
    st.markdown("##### Predicted and true classes, all splits together")
    done = [key for key in comparison.keys if comparison.of(key)]
    for start in range(0, len(done), IN_A_ROW):
        for column, key in zip(st.columns(IN_A_ROW), done[start : start + IN_A_ROW], strict=False):
            with column:
                plot(confusion_figure(comparison, key), f"Confusion matrix of {METHODS[key].name}.")
    if any(job.plan.is_tuned(candidate) for candidate in job.plan.candidates):
        with st.expander("Parameters chosen in each split"):
            chosen = [
                {"method": METHODS[key].name, "split": result.split + 1, **result.params}
                for key in comparison.keys
                for result in comparison.of(key)
            ]
            st.dataframe(pd.DataFrame(chosen), hide_index=True)


def paired(job: Job, comparison: Comparison) -> None:
    score = choose_score()
    found = differences(comparison, score)
    if not found:
        st.info("A paired test needs two methods and two splits of both.")
        return
    st.caption(WHY_TWO_TESTS)
    plot(difference_figure(found, score), "Mean difference of every pair of methods with its intervals.")
    rows = [
        {
            "pair": f"{METHODS[d.first].name} − {METHODS[d.second].name}",
            "mean": d.mean,
            "deviation": d.deviation,
            "record": f"{d.wins} / {d.ties} / {d.losses}",
            "corrected": d.corrected.p,
            "plain": d.plain.p,
        }
        for d in found
    ]
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        column_config={
            "pair": st.column_config.TextColumn("Pair", pinned=True),
            "mean": st.column_config.NumberColumn("Mean", format=THREE),
            "deviation": st.column_config.NumberColumn("±", format=THREE, help="Deviation over the splits."),
            "record": st.column_config.TextColumn("Win / tie / loss", help="Splits on which the first is better."),
            "corrected": st.column_config.NumberColumn(
                "p corrected", format=THREE, help="Corrected resampled t-test: the one to believe."
            ),
            "plain": st.column_config.NumberColumn("p plain", format=THREE, help="Paired t-test, as in the papers."),
        },
    )
    st.caption(PAIRED_NOTE)


def margins(job: Job, comparison: Comparison) -> None:
    left, right = st.columns(2)
    with left:
        scale = ask(SCALE)
    with right:
        st.session_state.setdefault(key_of("parts"), ["train", "test"])
        parts = st.pills(
            "Rows",
            ["train", "test"],
            selection_mode="multi",
            key=key_of("parts"),
            help="Training margins are solid, test margins dashed.",
            persist_state="session",
        )
    done = [key for key in comparison.keys if comparison.of(key)]
    t = margin_axis(comparison, scale)
    bands = {(key, part): band(comparison, key, part, scale, t) for key in done for part in ("train", "test")}
    plot(
        band_figure({place: b for place, b in bands.items() if place[1] in parts}, scale),
        "Cumulative margins of each method, median over the splits and bands.",
    )
    st.caption("Lines are medians over the splits; at each t the band holds the middle four fifths of the splits.")
    named = {name: name.capitalize() for name in STATISTICS[:-1]}
    columns: dict[str, Any] = {"method": st.column_config.TextColumn("Method", pinned=True), "part": "Rows"}
    for name, title in named.items():
        columns |= {
            name: st.column_config.NumberColumn(title, format=THREE),
            f"{name}_sd": st.column_config.NumberColumn("±", format=THREE, help="Deviation over the splits."),
        }
    st.dataframe(pd.DataFrame(margins_of(comparison, scale)), hide_index=True, column_config=columns)


def rows(job: Job, comparison: Comparison) -> None:
    """Every row that was tested, the hardest first; one that is picked is shown as it came."""
    scale = ask(SCALE)
    found = examples(comparison, scale)
    names = [job.sample.rows[row] for row in found.rows]
    frame = pd.DataFrame({"row": names, "class": comparison.y[found.rows], "tested": found.tested})
    columns: dict[str, Any] = {
        "row": st.column_config.NumberColumn(
            "Row", format="%d", pinned=True, help="Its number in the data, counted from 0."
        ),
        "class": "Class",
        "tested": st.column_config.NumberColumn("Tested", help="Splits in which the row was a test row."),
    }
    for key in comparison.keys:
        name = METHODS[key].name
        frame[f"{key} margin"], frame[f"{key} wrong"] = found.margin[key], found.wrong[key]
        columns |= {
            f"{key} margin": st.column_config.NumberColumn(f"{name} margin", format=THREE, help="Mean test margin."),
            f"{key} wrong": st.column_config.NumberColumn(
                f"{name} wrong", format="percent", help="Share of its tests that went wrong."
            ),
        }
    st.caption("Sort by any column; pick a row at its left edge to see it as it stands in the data.")
    event = st.dataframe(
        frame,
        hide_index=True,
        column_config=columns,
        on_select="rerun",
        selection_mode="single-row",
        key=key_of("rows"),
    )
    picked = event["selection"]["rows"]
    if picked:
        row = int(found.rows[picked[0]])
        st.markdown(f"##### Row {job.sample.rows[row]}")
        st.dataframe(pd.DataFrame(job.sample.row(row), columns=["column", "value"]), hide_index=True)


def pictures(job: Job, comparison: Comparison) -> None:
    """One method on one split, in a plane."""
    done = [key for key in comparison.keys if comparison.of(key)]
    first, second, third = st.columns(3)
    with first:
        key = st.selectbox("Method", done, format_func=lambda k: METHODS[k].name, help="Whose model is drawn.")
    results = {result.split + 1: result for result in comparison.of(key)}
    with second:
        split = st.selectbox("Split", list(results), help="Each split has a model of its own.")
    fitted = job.fitted(results[split])
    two, several = len(fitted.features) >= 2, len(comparison.classes) > 2
    kinds = {"Signed distance": not several, "Principal components": two, "Two columns": two and not several}
    with third:
        kind = st.selectbox(
            "View",
            [name for name, possible in kinds.items() if possible],
            help="Signed distance: f(x)/‖w‖ against the main direction of the rest. Principal components: the plane of "
            "largest variance, the same for all methods. Two columns: f over two of them, the others held fixed.",
        )
    if kind == "Signed distance":
        view = distance(fitted)
    elif kind == "Principal components":
        view = components(fitted)
    else:
        view = pair(fitted, *_two_columns(fitted.features))
    plot(view_figure(view), f"{METHODS[key].name}, split {split}: {view.projection.note}")
    st.caption(plain(f"{view.projection.note} Training rows are filled, test rows open; errors have a grey ring."))


def _two_columns(features: tuple[str, ...]) -> tuple[int, int, Any]:
    first, second, third = st.columns(3)
    numbers = list(range(len(features)))
    with first:
        x = st.selectbox("Across", numbers, format_func=features.__getitem__, help="A column as it is prepared.")
    with second:
        others = [number for number in numbers if number != x]
        y = st.selectbox("Up", others, format_func=features.__getitem__, help="A column as it is prepared.")
    with third:
        at = st.selectbox("Others at their training", ["mean", "median"], help="Where the other columns are held.")
    return x, y, at


def downloads(job: Job, comparison: Comparison) -> None:
    sample = job.sample
    scale = ask(SCALE)
    st.caption("The report and the tables hold all digits; the script computes every number again, times aside.")
    with st.container(horizontal=True):
        st.download_button(
            "Report (HTML)",
            lambda: report(comparison, f"Comparison on {sample.title}", sample.facts, sample.code, scale),
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
            script(comparison, sample.code),
            "comparison.py",
            "text/x-python",
            icon=":material/code:",
            on_click="ignore",
            help="Needs mdcore alone. For your own file: run it in the folder where the file lies.",
        )
    with st.expander("Script"):
        st.code(script(comparison, sample.code), language="python")


def plot(figure: Any, words: str) -> None:
    st.plotly_chart(figure, config=CONFIG, alt=words)


SECTIONS = {
    "Scores": scores,
    "Differences": paired,
    "Margins": margins,
    "Rows": rows,
    "Views": pictures,
    "Download": downloads,
}


def short_text(comparison: Comparison) -> str:
    """The leader in one sentence."""
    reached = {key: comparison.spread(key, "accuracy").mean for key in comparison.keys if comparison.of(key)}
    if not reached:
        return "No method could be fitted."
    best = max(reached, key=reached.__getitem__)
    return f"Highest mean accuracy: {METHODS[best].name}, {three_digits(100 * reached[best])} %."
