"""The choice of how kernel methods are fitted to many rows: by cost and accuracy, as a link says, or by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from mdcore.data.splitting import RANDOM
from mdcore.serving.comparisons.sample import Sample
from mdcore.serving.jobs.pool import THREADS
from mdcore.spaces.costs import FEW_ROWS
from mdcore.spaces.space import largest_kernel_problem
from mdcore.spaces.within import BY_COST, BY_ROWS, KERNEL_FITS, KERNEL_ROWS, LANDMARKS
from mdcore.study import Candidate, Decision, Plan, Within, by_rows, decide, with_decisions
from mdcore.study.approximation import Trial, trial_of
from mdcore.study.plan import NYSTROEM
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.pages.compare.state import memory
from mdcore.ui.shared.session import cached_for
from mdcore.ui.shared.words import plain

DECISIONS, TRIAL = CONTROLS.key("decisions"), CONTROLS.key("trial")
NAMES = {BY_COST: "By cost and accuracy", BY_ROWS: "By number of rows"}


def choose_fits(sample: Sample, plan: Plan) -> Plan:
    """Ask how large data are reduced, and say what is fitted exactly; return the plan with these settings."""
    largest = largest_kernel_problem()
    with st.popover("Large data", icon=":material/dataset:"):
        how = CONTROLS.ask(KERNEL_FITS, names=NAMES)
        if how == BY_ROWS:
            CONTROLS.ask(KERNEL_ROWS, most=largest)
            CONTROLS.ask(LANDMARKS)
        plan = replace(plan, nystroem=CONTROLS.ask(NYSTROEM))
        st.caption(f"The free memory suffices for a kernel matrix of at most {largest:,} rows.")
    return _by_hand(sample, plan) if how == BY_ROWS else _by_cost(sample, plan)


def _by_hand(sample: Sample, plan: Plan) -> Plan:
    training = _training_rows(sample, plan)
    plan = by_rows(plan, training, CONTROLS.value(KERNEL_ROWS), CONTROLS.value(LANDMARKS))
    notes = [_note(plan, candidate, training) for candidate in plan.candidates]
    if any(notes):
        st.caption(plain(f"Of about {training:,} training rows, {'; '.join(filter(None, notes))}."))
    return plan


def _by_cost(sample: Sample, plan: Plan) -> Plan:
    """Return the plan with what a link says, and with a decision for every other method."""
    given = _given(sample, plan)
    left = tuple(candidate for candidate in plan.candidates if candidate.key not in given)
    decisions = _decisions(sample, replace(plan, candidates=left)) if left else ()
    plan = with_decisions(plan, decisions)
    plan = replace(plan, candidates=tuple(replace(c, within=given.get(c.key, c.within)) for c in plan.candidates))
    if given and _training_rows(sample, plan) > FEW_ROWS:
        said = ", ".join(f"{c.method.name} {c.within.note or 'exact'}" for c in plan.candidates if c.key in given)
        st.caption(plain(f"As the link says: {said}. Other data or another kernel are decided anew."))
    if decisions:
        own = ", with γ as set here" if any(plan.is_tuned(candidate) for candidate in plan.candidates) else ""
        st.caption(f"Seconds and memory are estimates for this machine; losses of accuracy are measured{own}.")
    for decision in decisions:
        st.caption(plain(decision.text(plan.candidate(decision.key).method.name)))
    return plan


def _training_rows(sample: Sample, plan: Plan) -> int:
    return len(plan.split(sample.data.y, 0, sample.data.along)[0])


def _note(plan: Plan, candidate: Candidate, training: int) -> str:
    note = plan.rows_note(candidate, training)
    return f"{candidate.method.name} uses {'all through ' if candidate.within.landmarks else ''}{note}" if note else ""


def _decisions(sample: Sample, plan: Plan) -> tuple[Decision, ...]:
    """Return the decisions, made anew if something has changed on which they depend."""
    asked = replace(plan, nystroem=0)

    def decided() -> tuple[Decision, ...]:
        with st.spinner("Measuring what landmarks would lose."):
            return decide(sample.data, asked, trial=lambda: _trial(sample, asked), jobs=THREADS)

    return cached_for(DECISIONS, (sample.facts, sample.code, asked), decided)


def _trial(sample: Sample, plan: Plan) -> Trial | None:
    """Return the trial of the data, kernel and splits, with the losses measured so far, whatever the methods."""
    repeats = 1 if plan.kind == RANDOM else plan.repeats
    same = replace(plan, candidates=(Candidate.fixed("svm"),), repeats=repeats, held_out=False, folds=2)
    return cached_for(TRIAL, (sample.facts, sample.code, same), lambda: trial_of(sample.data, same))


def _given(sample: Sample, plan: Plan) -> Mapping[str, Within]:
    """Return what a link says, as long as data and kernel are those of the link."""
    state, subject = memory(), (sample.facts, sample.code, plan.kernel, plan.widths)
    if state.given and state.given_for is None:
        state.given_for = subject
    return state.given if state.given_for == subject else {}
