"""The form of the page: data, methods, parameters, number of splits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from mdcore.basics.text import count, percent
from mdcore.data import SCALING, SEED, TEST, all_sources
from mdcore.data.splitting import EACH_GROUP, GROUPS, K_FOLD, KIND_OF, RANDOM, TIME, Scheme
from mdcore.experiment import Experiment
from mdcore.experiment.query import KernelKey
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import OWN, title_of
from mdcore.serving.comparisons.address import (
    BALANCED,
    DEFAULTS,
    EQUAL,
    GIVEN,
    HELD_OUT,
    OUTER_FOLDS,
    PAPERS,
    PARAMETERS,
    WIDTHS,
)
from mdcore.serving.comparisons.sample import Sample, sample_of_experiment, sample_of_table
from mdcore.study import (
    LEARNERS,
    REFERENCES,
    Candidate,
    Plan,
    are_unequal,
    candidates,
    first_methods,
    first_repeats,
    fitting_score,
    is_reference,
)
from mdcore.study.plan import (
    CRITERION,
    EFFORT,
    EQUAL_FOLDS,
    FOLDS,
    PAPER_WIDTHS,
    REPEATS,
    SEVERAL,
    Tuning,
)
from mdcore.study.splits import SCHEME
from mdcore.ui.own_table.address import PLACE
from mdcore.ui.own_table.session_tables import hold
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.pages.compare.large_data import choose_fits
from mdcore.ui.pages.compare.methods import choose_methods
from mdcore.ui.pages.compare.state import MODE, SHOWN, SOURCE, apply_data_defaults, memory, opening, owner
from mdcore.ui.shared.session import cached_for

SAMPLE = CONTROLS.key("sample")
MOST_HELD_OUT = 20_000  # rows up to which thresholds and probabilities are prepared without being asked for

MODES = {EQUAL: "tuned", DEFAULTS: "default", PAPERS: "papers' grids", GIVEN: "as given"}
MEANINGS = {
    EQUAL: f"In every split, every method tries up to {EFFORT} candidates inside the training part, references too.",
    DEFAULTS: "The methods' default parameters: which method is ahead may be a matter of its default.",
    PAPERS: "For every split, the best of the paper's grid by cross-validation inside its training part.",
    GIVEN: "The parameters of the playground's picture, or of the link that led here.",
}
TUNING: dict[str, Tuning] = {EQUAL: "equal", DEFAULTS: "none", PAPERS: "papers", GIVEN: "none"}
WAYS: dict[Scheme, str] = {
    RANDOM: "repeated at random",
    K_FOLD: "in folds",
    GROUPS: "by groups at random",
    EACH_GROUP: "each group left out",
    TIME: "in time",
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
    apply_data_defaults(source)
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
    sample = cached_for(SAMPLE, chosen, lambda: sample_of_table(hold(st.session_state[PLACE], table, choices), choices))
    apply_data_defaults(sample.experiment.data.record)
    return sample


def left_out(sample: Sample) -> bool:
    """Return whether the table was edited on the stage: the comparison leaves such edits out."""
    base = memory().base
    return sample.own is not None and sample.own is base.data.own and bool(base.data.edits)


def choose_plan(sample: Sample, draw_start: Callable[[Plan | None], object]) -> Plan | None:
    """Ask for methods, parameters, splits and, behind "More", for everything else; return the plan, or None without a
    method. `draw_start` draws what starts the comparison, between the two."""
    _set_defaults(sample)
    classes = len(sample.classes)
    several = str(CONTROLS.value(SEVERAL))
    fitting = [key for key, method in LEARNERS.items() if classes == 2 or method.multiclass or several != OWN]
    keys = choose_methods(fitting, {key: title_of(LEARNERS[key], classes, several) for key in LEARNERS}, _fixed())
    mode = _choose_mode()
    splits = _choose_splits(sample)
    start = st.container()
    with st.expander("More: kernel, test share, seed, weights, large data", icon=":material/tune:"):
        if classes > 2:
            several = _choose_several()
        kernel = _kernel(CONTROLS.ask_kernel())
        memory().now = replace(sample.experiment, kernel=kernel)
        if memory().set_by_data:
            st.caption(f"Set by the data: {memory().set_by_data}.")
        if any(not LEARNERS[key].kernels for key in keys if not is_reference(key)) and kernel.name != "linear":
            names = ", ".join(LEARNERS[k].name for k in keys if not LEARNERS[k].kernels and not is_reference(k))
            st.caption(f"Linear methods ignore the kernel, except through Nystroem features: {names}.")
        protocol = _choose_protocol(sample, mode) | splits
        plan = _made(sample, keys, mode, kernel, several, protocol)
        work = st.empty()
    if plan is not None:
        plan = choose_fits(sample, plan)
        work.caption(work_of(sample, plan))
    with start:
        if plan is None:
            st.info("Choose one method or more.")
        draw_start(plan)
    return plan


def _made(
    sample: Sample, keys: Sequence[str], mode: str, kernel: KernelKey, several: str, protocol: dict[str, Any]
) -> Plan | None:
    if not keys:
        return None
    chosen = tuple(_candidate(key, mode) for key in keys)
    return Plan(chosen, kernel=kernel, positive=sample.positive, several=several, **protocol)


def _choose_mode() -> str:
    """Ask how parameters are chosen; those of the stage or a link are offered if there are any."""
    mode = CONTROLS.value(PARAMETERS)
    given = [GIVEN] if mode == GIVEN or memory().base != opening() else []
    found = st.segmented_control(
        "Parameters",
        [EQUAL, DEFAULTS, PAPERS, *given],
        format_func=MODES.__getitem__,
        required=True,
        key=MODE,
        help="  \n".join(f"{MODES[name]}: {MEANINGS[name]}" for name in (EQUAL, DEFAULTS, PAPERS, *given)),
        persist_state="session",
    )
    return str(found)


def _choose_splits(sample: Sample) -> dict[str, Any]:
    """Ask how the rows are split and how often; return these parts of the plan."""
    schemes = [scheme for scheme, kind in KIND_OF.items() if kind == sample.scheme]
    if CONTROLS.value(SCHEME) not in schemes:
        CONTROLS.put(SCHEME, schemes[0])
    right, left = st.columns(2)
    with left:
        scheme = schemes[0]
        if len(schemes) > 1:
            scheme = st.selectbox(
                "Drawn",
                schemes,
                format_func=WAYS.__getitem__,
                key=CONTROLS.key(SCHEME.name),
                help=SCHEME.help,
                persist_state="session",
            )
        else:
            st.caption(f"Drawn {WAYS[scheme]}")
    with right:
        if scheme == EACH_GROUP:
            groups = len(np.unique(sample.data.along)) if sample.data.along is not None else 0
            st.caption(f"{groups:,} groups, one split for each")
            return {"scheme": scheme, "repeats": min(groups, int(REPEATS.legal.high))}
        repeats = CONTROLS.ask(REPEATS, label="Splits")
    if scheme == K_FOLD:
        folds = CONTROLS.ask(OUTER_FOLDS)
        times = max(1, round(repeats / folds))
        st.caption(f"{times} × {folds} folds" if times > 1 else f"{folds} folds")
        return {"scheme": scheme, "repeats": times * folds, "test": 1.0 / folds}
    if repeats == first_repeats(len(sample.data.y)) < REPEATS.default:
        st.caption("With this many rows, a few splits give a first answer: each tests thousands of rows.")
    return {"scheme": scheme, "repeats": repeats}


def _choose_several() -> str:
    several = str(CONTROLS.ask(SEVERAL))
    if several == OWN:
        st.caption("Methods for two classes are left out; any other choice offers them too.")
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
    if mode in (EQUAL, PAPERS):
        left, right = st.columns(2)
        with left:
            chosen["folds"] = CONTROLS.ask(FOLDS) if mode == PAPERS else EQUAL_FOLDS
        with right:
            chosen["criterion"] = CONTROLS.ask(CRITERION)
        if mode == PAPERS and CONTROLS.ask_toggle(WIDTHS):
            chosen["widths"] = PAPER_WIDTHS
    chosen["balanced"] = CONTROLS.ask_toggle(BALANCED)
    if len(sample.classes) == 2:
        chosen["held_out"] = CONTROLS.ask_toggle(HELD_OUT)
    return chosen


def _set_defaults(sample: Sample) -> None:
    """Set defaults that suit data chosen for the first time, so that a first comparison is sound and does not take
    long."""
    remembered = memory()
    subject = sample.own.table if sample.own else sample.experiment.data.source
    if remembered.seen == subject:
        return
    linked, remembered.linked, remembered.seen = remembered.linked, False, subject
    rows = len(sample.data.y)
    if remembered.proposes_methods:
        st.session_state[SHOWN] = [*first_methods(rows), *REFERENCES]
    if linked:
        return
    free = sample.own is not None or TUNING[CONTROLS.value(PARAMETERS)] != "none"
    held_out = free and len(sample.classes) == 2 and rows <= MOST_HELD_OUT
    for setting, yes in ((BALANCED, are_unequal(sample.data.y)), (HELD_OUT, held_out)):
        CONTROLS.put_toggle(setting, yes)
    CONTROLS.put(REPEATS, min(CONTROLS.value(REPEATS), first_repeats(rows)))
    CONTROLS.put(CRITERION, fitting_score(sample.data.y))


def _kernel(chosen: dict[str, Any]) -> KernelKey:
    return memory().base.with_values(chosen).kernel


def _fixed() -> dict[str, str]:
    """Return the parameters of the methods that are not chosen by the data, as text."""
    mode = CONTROLS.value(PARAMETERS)
    return {key: _candidate(key, mode).settings for key in LEARNERS} if TUNING[mode] == "none" else {}


def _candidate(key: str, mode: str) -> Candidate:
    if mode == GIVEN and key in METHODS:
        return Candidate.fixed(key, **memory().base.settings(key))
    return candidates((key,), TUNING[mode])[0]


def tune_equally() -> None:
    """Switch to the equal search, for comparisons on the papers' grids that would take too long."""
    CONTROLS.put(PARAMETERS, EQUAL)


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
