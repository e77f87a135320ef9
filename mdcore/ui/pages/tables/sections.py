"""The results of a run: table, printed figures, tests, single splits, files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pandas as pd
import streamlit as st

from mdcore.basics.shown_table import Column, Text
from mdcore.basics.text import NONE, fixed, percent, short, steady
from mdcore.export.paper_tables import FORMATS, below, comparisons_of
from mdcore.figures.paper_tables import (
    critical_difference_figure,
    margins_figure,
    sensitivity_figure,
    times_figure,
)
from mdcore.margins.distribution import PARTS
from mdcore.methods import METHODS
from mdcore.papers.links import experiment_of
from mdcore.papers.significance import paired, ranking
from mdcore.papers.store import Store
from mdcore.papers.table_report import TableReport
from mdcore.papers.views import margin_band, parameters, sensitivity, splits_of, times
from mdcore.serving.comparisons.address import GIVEN, query_of
from mdcore.spaces.kernels import GAMMA
from mdcore.study import WHY_TWO_TESTS, Candidate, Plan
from mdcore.study.differences import EQUIVALENT
from mdcore.ui.pages.tables.choose import CONTROLS
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.session import COMPARE, PLAYGROUND
from mdcore.ui.shared.term_table import term_table
from mdcore.ui.shared.words import plain

TWO_SPLITS = "A test needs at least two splits of two methods."
RANK = "On each set the best method has rank 1, the second rank 2, and so on; this is the mean over the sets."
CRITICAL = "Mean ranks closer together than this are not significantly different; a bar joins such methods."

NAMES = ("data set", "method", "against")
FIGURES = ("ours", "± ours", "printed", "± printed", "difference")
TERMS = {
    "data set": "Its name in the paper. A star marks data whose shape differs from the printed one.",
    "method": "Its name in the paper. The page Methods shows what each minimises.",
    "ours": "Mean over the splits finished here.",
    "± ours": "Standard deviation over those splits.",
    "splits": "Random divisions into training and test rows: the number finished, of the number requested.",
    "printed": "The mean that the paper prints.",
    "± printed": "The standard deviation that the paper prints.",
    "difference": "Our mean minus the printed one.",
    "standard errors": "The difference divided by its standard error.",
    "within 2 sd": "Whether the means lie within two of the printed standard deviations.",
}
TESTS = {
    "p, paired t": "Paired t-test, as in the papers: the probability of a difference at least this large if the "
    "methods do not differ. Too small, because splits share rows.",
    "p, corrected t": "Corrected resampled t-test, which accounts for the rows that splits share: prefer this one.",
    "better": f"Posterior probability that the first method is better by more than {percent(EQUIVALENT, 1)}.",
    "practically the same": f"Posterior probability that both lie within {percent(EQUIVALENT, 1)} of each other.",
    "worse": f"Posterior probability that the first method is worse by more than {percent(EQUIVALENT, 1)}.",
}
PAIRS = {
    "data set": TERMS["data set"],
    "against": "The method that the paper's own is compared with.",
    "splits": "The number of splits on which both were run.",
    "difference": "Mean of the paper's own method minus that of the other, on the same splits.",
} | TESTS


def show_table(made: TableReport) -> None:
    """Show our figures beside the printed ones."""
    table, digits = made.protocol, made.protocol.digits
    rows = [
        {
            "data set": f"{entry.dataset}{'*' if entry.dataset in made.differs else ''}",
            "method": table.methods[entry.method].label,
            "ours": entry.mean,
            "± ours": entry.deviation,
            "splits": f"{entry.n} of {entry.wanted}",
            "printed": entry.printed and entry.printed.mean,
            "± printed": entry.printed and entry.printed.deviation,
            "difference": entry.difference,
            "standard errors": entry.standard_errors,
            "within 2 sd": {True: "yes", False: "no", None: NONE}[entry.within],
        }
        for entry in made.in_order
    ]
    as_printed = partial(fixed, decimals=digits)
    _numbers(rows, TERMS, dict.fromkeys(FIGURES, as_printed) | {"standard errors": partial(fixed, decimals=1)})
    for text in below(made):
        st.caption(plain(text))


def _numbers(rows: list[dict[str, Any]], meanings: Mapping[str, str], texts: Mapping[str, Text]) -> None:
    """Draw rows whose numbers are written by `texts`, and a dash for missing numbers."""
    columns = {
        name: Column(name, meaning, pinned=name in NAMES, text=texts.get(name)) for name, meaning in meanings.items()
    }
    frame = pd.DataFrame(rows, columns=list(columns)).astype(dict.fromkeys(texts, float))
    term_table(frame, columns, width="stretch", height="content")


def _table(store: Store, made: TableReport) -> None:
    show_table(made)
    _single_split(store, made)


def _single_split(store: Store, made: TableReport) -> None:
    """Draw the buttons that open one split, with its parameters, on the stage or in Compare."""
    table = made.protocol
    if table.measure != "accuracy":
        return
    st.markdown("**One split, live**")
    at = st.columns([3, 3, 4, 2, 2], vertical_alignment="bottom")
    dataset = at[0].selectbox("Data set", made.datasets, key=CONTROLS.key("open set"))
    keys = [key for key in made.methods if (found := made.entry(dataset, key)) is not None and found.n]
    if not keys:
        return
    method = at[1].selectbox(
        "Method", keys, format_func=lambda k: table.methods[k].label, key=CONTROLS.key("open method")
    )
    splits = list(splits_of(store, made, dataset, method))
    row = at[2].selectbox(
        "Split", splits, format_func=lambda r: _split_name(made, method, r), key=CONTROLS.key("open split")
    )
    experiment = experiment_of(table, dataset, method, row["split"], row["params"])
    if experiment is None:
        st.caption("The stage cannot show this split.")
        return
    if at[3].button("On the stage", icon=":material/open_in_new:", help="This split, with the parameters chosen."):
        st.switch_page(PLAYGROUND, query_params=parse_qsl(experiment.to_query()))
    if at[4].button("In Compare", icon=":material/balance:", help="This split is Compare's first."):
        key = table.methods[method].estimator
        chosen = Candidate.fixed(key, **experiment.settings(key))
        seed, test = experiment.data.seed, experiment.data.test
        plan = Plan((chosen,), repeats=2, test=test, seed=seed, kernel=experiment.kernel)
        st.switch_page(COMPARE, query_params=parse_qsl(query_of(experiment, plan, GIVEN)))
    st.caption(f"Cell {row['cell'][:12]}: `python -m mdcore tables --store FILE --reproduce {row['cell'][:12]}`")


def _split_name(made: TableReport, method: str, row: Mapping[str, Any]) -> str:
    params = (GAMMA, *METHODS[made.protocol.methods[method].estimator].params)
    symbols = {param.name: param.symbol for param in params}
    value = fixed(made.protocol.unit * row["value"], made.protocol.digits)
    chosen = ", ".join(
        f"{symbols.get(name, name)} = {short(each)}"
        for name, each in row["params"].items()
        if isinstance(each, float | int)
    )
    return f"{row['split'] + 1}: {value}{f' with {chosen}' if chosen else ''}"


def _margins(store: Store, made: TableReport) -> None:
    dataset = st.selectbox("Data set", made.datasets, key=CONTROLS.key("margins set"))
    bands = {}
    for method in made.methods:
        for part in PARTS:
            band = margin_band(store, made, dataset, method, part) if made.entry(dataset, method) else None
            if band is not None:
                bands[method, part] = band
    if not bands:
        st.info("This table has no margins of single examples.")
        return
    plot(margins_figure(made.protocol, bands), f"Cumulative margins on {dataset}, from the stored splits")
    st.caption(
        "Cumulative frequency against the margin over ‖w‖, which as in the papers includes the weight of the constant "
        "feature: the further right a curve lies, the larger the margins in this norm."
    )


def _times(store: Store, made: TableReport) -> None:
    plot(times_figure(made.protocol, times(store, made)), "Seconds of a fit by data set and method")
    st.caption(
        "Time of one fit with its parameters known, median over the splits; hover for the time of the cross-validation."
    )


def _sensitivity(store: Store, made: TableReport) -> None:
    tuned = [key for key in made.methods if parameters(made, key)]
    if not tuned:
        st.info("No method of this table has parameters to choose.")
        return
    labels = made.protocol.methods
    left, right = st.columns(2)
    method = left.selectbox(
        "Method", tuned, format_func=lambda k: labels[k].label, key=CONTROLS.key("sensitivity method")
    )
    name = right.selectbox("Parameter", parameters(made, method), key=CONTROLS.key(f"sensitivity of {method}"))
    found = {d: sensitivity(store, made, d, method, name) for d in made.datasets if made.entry(d, method)}
    bands = {dataset: band for dataset, band in found.items() if band is not None}
    if not bands:
        st.info("No counts of these cross-validations are stored.")
        return
    words = f"Accuracy in cross-validation against {name}"
    plot(sensitivity_figure(made.protocol, name, bands), words, _of_parameter(made, method, name))
    st.caption(
        "The other parameters are those chosen by cross-validation; median over the splits and their middle 80 %."
    )


def _of_parameter(made: TableReport, method: str, name: str) -> dict[str, str]:
    """Return the help text of a parameter from the method's record."""
    known = METHODS.get(made.protocol.methods[method].estimator)
    return {} if known is None else {setting.name: setting.help for setting in known.params if setting.name == name}


def _tests(store: Store, made: TableReport) -> None:
    table = made.protocol
    others = [key for key in made.methods if key != table.reference]
    if table.reference not in made.methods or not others:
        st.info(
            f"The paper tests {table.methods[table.reference].label} against the others: choose it and one of them."
        )
        return
    rows = [row for dataset in made.datasets for other in others if (row := _test_row(made, dataset, other))]
    if not rows:
        st.info(TWO_SPLITS)
        return
    for text in comparisons_of(made):
        st.markdown(plain(text))
    _numbers(rows, PAIRS, dict.fromkeys(("difference", *TESTS), steady))
    st.caption(plain(WHY_TWO_TESTS))
    st.caption(
        f"Better, same, worse: posterior probabilities of a difference above, within, below ±{percent(EQUIVALENT, 1)}."
    )
    found = ranking(made)
    if found is None:
        st.info("Tests across sets need two methods and three sets that all of them have.")
        return
    alt = f"Mean ranks; critical difference {steady(found.critical)}"
    ranks = f"mean rank over {len(found.sets)} sets"
    plot(critical_difference_figure(table, found), alt, {ranks: RANK, "critical difference": CRITICAL})
    friedman = "" if np.isnan(found.p) else f"Friedman's test of equal ranks: p = {steady(found.p)}. "
    label = {key: column.label for key, column in table.methods.items()}
    pairs = "; ".join(f"{label[a]} and {label[b]} {steady(p)}" for (a, b), p in found.pairs.items())
    st.caption(plain(f"{friedman}Wilcoxon's signed ranks of the pairs, p with Holm's correction: {pairs}."))


def _test_row(made: TableReport, dataset: str, other: str) -> dict[str, Any] | None:
    table = made.protocol
    found = paired(made, dataset, table.reference, other)
    if found is None:
        return None
    return {
        "data set": dataset,
        "against": table.methods[other].label,
        "splits": found.splits,
        "difference": found.mean,
        "p, paired t": found.plain.p,
        "p, corrected t": found.corrected.p,
        "better": found.practical.first,
        "practically the same": found.practical.neither,
        "worse": found.practical.second,
    }


def _files(store: Store, made: TableReport) -> None:
    names = {"csv": "CSV", "md": "Markdown", "tex": "LaTeX"}
    with st.container(horizontal=True):
        for ending, name in names.items():
            st.download_button(
                name,
                FORMATS[ending](made),
                f"{made.protocol.paper}-table-{made.protocol.table}.{ending}",
                key=CONTROLS.key(f"file {ending}"),
                icon=":material/download:",
                on_click="ignore",
            )
    st.code(FORMATS["md"](made), language="markdown", wrap_lines=True)


SECTIONS: dict[str, Callable[[Store, TableReport], None]] = {
    "Table": _table,
    "Margins": _margins,
    "Time": _times,
    "Sensitivity": _sensitivity,
    "Tests": _tests,
    "Files": _files,
}
