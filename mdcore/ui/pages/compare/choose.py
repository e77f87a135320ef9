"""The form of the page: data, methods, parameters, number of splits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from mdcore.data import SCALING, SEED, TEST, all_sources
from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import OWN, REST, SEVERAL, title_of
from mdcore.query import KernelKey
from mdcore.study import REFERENCES, Candidate, Plan, are_unequal, fitting_score
from mdcore.study.plan import (
    CRITERION,
    FOLDS,
    PAPER_WIDTHS,
    QUICK_CHOICES,
    QUICK_FOLDS,
    QUICK_WIDTHS,
    REPEATS,
)
from mdcore.text import count, percent
from mdcore.ui.own_table.address import PLACE
from mdcore.ui.own_table.own import hold
from mdcore.ui.pages.compare.address import (
    BALANCED,
    DEFAULTS,
    GIVEN,
    HELD_OUT,
    PARAMETERS,
    REFERENCE,
    SMALL,
    TUNED,
    WIDTHS,
)
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.pages.compare.large_data import choose_fits
from mdcore.ui.pages.compare.sample import Sample, sample_of_experiment, sample_of_table
from mdcore.ui.pages.compare.score import forget_score
from mdcore.ui.pages.compare.state import SHOWN, SOURCE, memory, owner, suit_controls_to
from mdcore.ui.shared.remembered import last_made

SAMPLE = CONTROLS.key("sample")
MANY_ROWS, VERY_MANY_ROWS = 20_000, 200_000  # rows from which splits differ little, so that few are proposed
FEW_SPLITS, FEWEST_SPLITS = 3, 2

MODES = {DEFAULTS: "Defaults", GIVEN: "From the stage", SMALL: "Small grid", TUNED: "Cross-validation"}
MEANINGS = {
    DEFAULTS: "The methods' default parameters.",
    GIVEN: "The parameters of the playground's picture, or of the link that led here.",
    SMALL: f"For every split, the best of {QUICK_CHOICES} combinations and of γ, by {QUICK_FOLDS}-fold "
    "cross-validation.",
    TUNED: "For every split, the best of the paper's grid by cross-validation inside its training part.",
}


def catalogue_sample() -> Sample:
    """Ask for a data set of the catalogue, with the same options as on the stage, and return it as a sample."""
    sources = all_sources()
    left, right = st.columns([2, 3], vertical_alignment="bottom")
    with left:
        name = st.selectbox(
            "Data set",
            list(sources),
            format_func=lambda key: sources[key].title,
            key=SOURCE,
            help="Generated data, the sets that come with scikit-learn, and the data folder if there is one.",
            persist_state="session",
        )
    source = sources[name]
    suit_controls_to(source)
    with right, st.popover("Options of the data", icon=":material/tune:"):
        options = {o.name: CONTROLS.ask(o, *owner(name, o.name)) for o in source.options if o.name != SEED.name}
        scaling = CONTROLS.ask(SCALING)
    base = memory().base
    chosen = {"seed": CONTROLS.value(SEED), "test": CONTROLS.value(TEST), "scaling": scaling, **options}
    made = Experiment.on(source).with_values(chosen)
    if replace(made.data, edits=base.data.edits) == base.data:
        made = replace(made, data=base.data)
    return sample_of_experiment(made)


def table_sample(choose_table: Callable[[], Any]) -> Sample | None:
    """Ask for the visitor's own table; return its sample, rebuilt only when a choice changes, or None."""
    chosen = choose_table()
    if chosen is None:
        return None
    table, choices = memory().table, memory().choices = chosen
    sample = last_made(SAMPLE, chosen, lambda: sample_of_table(hold(st.session_state[PLACE], table, choices), choices))
    suit_controls_to(sample.experiment.data.record)
    return sample


def left_out(sample: Sample) -> bool:
    """Return whether the table was edited on the stage: the comparison leaves such edits out."""
    base = memory().base
    return sample.own is not None and sample.own is base.data.own and bool(base.data.edits)


def choose_plan(sample: Sample) -> Plan | None:
    """Ask for methods, parameters, kernel and splits; return the plan, or None without a method."""
    _set_table_defaults(sample)
    classes = len(sample.classes)
    several = CONTROLS.value(SEVERAL)
    fitting = [key for key, method in METHODS.items() if classes == 2 or method.multiclass or several == REST]
    before = st.session_state.get(SHOWN, fitting)
    kept = [key for key in before if key in fitting]
    st.session_state[SHOWN] = kept if kept or not before else fitting
    keys = _choose_methods(fitting, {key: title_of(METHODS[key], classes, several) for key in METHODS})
    references = tuple(REFERENCES) if CONTROLS.ask_toggle(REFERENCE) else ()
    if classes > 2:
        several = _choose_several()
    left, right = st.columns(2)
    with left:
        mode = CONTROLS.ask(PARAMETERS, names=MODES)
    with right:
        repeats = CONTROLS.ask(REPEATS)
    st.caption(MEANINGS[mode])
    if sample.own and len(sample.data.y) > MANY_ROWS and repeats <= FEW_SPLITS:
        st.caption("With this many rows, a few splits give a first answer: each tests thousands of rows.")
    kernel = _kernel(CONTROLS.ask_kernel())
    memory().now = replace(sample.experiment, kernel=kernel)
    if memory().set_by_data:
        st.caption(f"Set by the data: {memory().set_by_data}.")
    if any(not METHODS[key].kernels for key in keys) and kernel.name != "linear":
        names = ", ".join(METHODS[key].name for key in keys if not METHODS[key].kernels)
        st.caption(f"Linear methods ignore the kernel, except through Nystroem features: {names}.")
    protocol = {"repeats": repeats, **_choose_protocol(sample, mode)}
    if not keys:
        st.info("Choose one method or more.")
        return None
    plan = Plan(
        candidates=tuple(_candidate(key, mode) for key in (*keys, *references)),
        kernel=kernel,
        positive=sample.positive,
        several=several,
        **protocol,
    )
    return choose_fits(sample, plan)


def _choose_methods(fitting: list[str], names: Mapping[str, str]) -> list[str]:
    return st.multiselect(
        "Methods",
        fitting,
        format_func=names.__getitem__,
        key=SHOWN,
        help="All are fitted on the same training rows of the same splits.",
        persist_state="session",
        wrap=True,
    )


def _choose_several() -> str:
    several = str(CONTROLS.ask(SEVERAL))
    if several == OWN:
        st.caption(f"Methods for two classes are left out; {REST} offers them too, with one model for each class.")
    return several


def _choose_protocol(sample: Sample, mode: str) -> dict[str, Any]:
    test, seed = sample.test, sample.seed
    if sample.own:
        st.caption(f"{percent(test, 2)} of the rows for testing and seed {seed}, as chosen with the data.")
    else:
        left, right = st.columns(2)
        with left:
            test = CONTROLS.ask(TEST)
        with right:
            seed = CONTROLS.ask(SEED)
    chosen: dict[str, Any] = {"test": test, "seed": int(seed)}
    if mode in (SMALL, TUNED):
        left, right = st.columns(2)
        with left:
            chosen["folds"] = CONTROLS.ask(FOLDS)
        with right:
            chosen["criterion"] = CONTROLS.ask(CRITERION)
        if CONTROLS.ask_toggle(WIDTHS):
            chosen["widths"] = PAPER_WIDTHS if mode == TUNED else QUICK_WIDTHS
    chosen["balanced"] = CONTROLS.ask_toggle(BALANCED)
    if len(sample.classes) == 2:
        chosen["held_out"] = CONTROLS.ask_toggle(HELD_OUT)
    chosen["scheme"] = sample.scheme
    return chosen


def _set_table_defaults(sample: Sample) -> None:
    """Set defaults that suit a new table of the visitor, once per table, so that a first comparison is sound."""
    source, remembered = sample.own, memory()
    if source is None or remembered.seen is source.table:
        return
    linked, remembered.linked, remembered.seen = remembered.linked, False, source.table
    if linked:
        return
    unequal, rows = are_unequal(sample.data.y), len(sample.data.y)
    held_out = len(sample.classes) == 2 and rows <= MANY_ROWS
    for setting, yes in ((REFERENCE, True), (BALANCED, unequal), (HELD_OUT, held_out)):
        CONTROLS.put_toggle(setting, yes)
    if rows > MANY_ROWS:
        CONTROLS.put(REPEATS, splits_of_many(rows))
    CONTROLS.put(CRITERION, fitting_score(sample.data.y))
    forget_score()
    if len(sample.classes) > 2:
        CONTROLS.put(SEVERAL, REST)


def splits_of_many(rows: int) -> int:
    return FEW_SPLITS if rows <= VERY_MANY_ROWS else FEWEST_SPLITS


def _kernel(chosen: dict[str, Any]) -> KernelKey:
    return memory().base.with_values(chosen).kernel


def _candidate(key: str, mode: str) -> Candidate:
    if mode in (SMALL, TUNED):
        return Candidate.tuned(key) if mode == TUNED else Candidate.quick(key)
    return Candidate.fixed(key, **(memory().base.settings(key) if mode == GIVEN and key in METHODS else {}))


def use_small_grid() -> None:
    """Switch to the small grid, for comparisons that would take too long."""
    CONTROLS.put(PARAMETERS, SMALL)
    CONTROLS.put(FOLDS, QUICK_FOLDS)


def work_of(sample: Sample, plan: Plan) -> str:
    """Return a text with the amount of work and the fixed parameters."""
    fits = fits_of(plan)
    inside = " with those inside the training parts" if fits > plan.repeats * len(plan.candidates) else ""
    words = [f"{count(plan.repeats, 'split')} × {count(len(plan.candidates), 'method')}: {count(fits, 'fit')}{inside}."]
    for candidate in plan.candidates:
        if not plan.is_tuned(candidate):
            words.append(f"{plan.name(candidate.key, len(sample.classes))}: {candidate.settings}.")
    if plan.nystroem and not all(candidate.method.kernels for candidate in plan.candidates):
        words.append(f"Linear methods use {plan.nystroem} Nystroem features.")
    return " ".join(words)


def fits_of(plan: Plan) -> int:
    return plan.repeats * sum(plan.fits(candidate) for candidate in plan.candidates)
