"""The state of the page, and its exchange with links, the stage and the URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from mdcore.data import SCALING, SEED, TEST, Choices, OwnSource, Source, Table
from mdcore.data.tables.columns import changes_from_proposal
from mdcore.experiment import Experiment
from mdcore.experiment.other_data import changed_settings, on_source
from mdcore.experiment.query import METHOD_LIMIT, SCALE
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import OWN as OWN_WAY
from mdcore.methods.one_versus_rest import REST
from mdcore.serving.comparisons.address import GIVEN, PARAMETERS, TOGGLES, query_of, read_query
from mdcore.serving.comparisons.sample import Sample
from mdcore.serving.stage.project_file import choices_of
from mdcore.serving.visits import Stages
from mdcore.spaces.within import BY_ROWS, KERNEL_FITS, KERNEL_ROWS, LANDMARKS
from mdcore.study import REFERENCES, Plan, Within
from mdcore.study.plan import CHOSEN, CRITERION, REPEATS, SEVERAL
from mdcore.ui.own_table.address import table_address, take_table_address
from mdcore.ui.own_table.reading import present
from mdcore.ui.own_table.session_tables import own_sources
from mdcore.ui.pages.compare.controls import CONTROLS
from mdcore.ui.shared.session import state_of
from mdcore.ui.shared.words import plain

SOURCE = CONTROLS.key("data source")
SHOWN = CONTROLS.key("methods")
MODE = CONTROLS.key(PARAMETERS.name)
WHERE = CONTROLS.key("where")
PLAYGROUND_STAGE = "playground"
CATALOGUE, OWN = "Catalogue", "Your own"
OPENING = "data=breast-cancer&scaling=standard&kernel=rbf&gamma=scale&methods=svm,ldm,odm,msvmav"
FIRST_SHOWN = ("svm", "ldm", "odm", "msvmav", *REFERENCES)


def opening() -> Experiment:
    return Experiment.from_query(OPENING)


@dataclass
class CompareState:
    """The page's state besides its controls.

    `base` is the experiment to which the controls were last set, `now` the one they describe, `set_by_data` the
    settings that changed with the data. `table` and `choices` are the visitor's own. `seen` are the data whose defaults
    have been set; `linked` is True if a link sets them instead; `proposes_methods` is True until methods are chosen.
    `given` is what a link says that methods are fitted on, which holds for the data and the kernel in `given_for`.
    `problem` is the reason why no comparison could start.
    """

    visited: bool = False
    base: Experiment = field(default_factory=opening)
    now: Experiment = field(default_factory=opening)
    set_by_data: str = ""
    table: Table | None = None
    choices: Choices | None = None
    seen: Table | str | None = None
    linked: bool = False
    proposes_methods: bool = False
    given: Mapping[str, Within] = field(default_factory=dict)
    given_for: object = None
    problem: str = ""


def memory() -> CompareState:
    """Return the page's state in the visitor's session."""
    return state_of(CompareState)


def start_from_link_or_stage() -> None:
    """Set the controls when the visitor arrives.

    On the first visit they are set to the link's experiment, or else the stage's, or else the opening one. Whenever a
    stage sends its visitor here, they are set to the state of that stage.
    """
    stages = state_of(Stages)
    sent_by, stages.sent_by = stages.sent_by, ""
    if stages.drawn.get(sent_by):
        _take_over(sent_by)
    if memory().visited:
        return
    query = urlencode(st.query_params.to_dict())
    try:
        linked = read_query(query, own_sources()) if query else None
        if linked and linked.table:
            take_table_address(linked.table, linked.choices)
            st.session_state[WHERE] = OWN
    except ValueError as error:
        st.warning(f"The link cannot be read: {plain(str(error))} The page starts with the default data instead.")
        linked = None
    if linked:
        set_controls(linked.experiment)
        if linked.compared:
            st.session_state[SHOWN] = list(linked.compared)
        memory().proposes_methods = not linked.names_methods
        memory().linked = any(setting in linked.settings for setting in (*TOGGLES, REPEATS, CRITERION))
        memory().given = linked.within
        parameters = {PARAMETERS: GIVEN} if linked.sets_parameters else {}
        for setting, value in (parameters | dict(linked.settings)).items():
            if setting in TOGGLES:
                CONTROLS.put_toggle(setting, value == "1")
            else:
                CONTROLS.put(setting, value)
    elif stages.drawn.get(PLAYGROUND_STAGE):
        set_controls(stages.drawn[PLAYGROUND_STAGE])
    else:
        set_controls(opening())
        memory().proposes_methods = True


def address_of(sample: Sample, plan: Plan) -> str:
    """Return the query that opens the same comparison again; "" for an uploaded file."""
    base, mode = memory().base, CONTROLS.value(PARAMETERS)
    base = replace(base, scale=CONTROLS.value(SCALE), several=_several_on_stage(sample, plan))
    by_hand = {setting: CONTROLS.value(setting) for setting in (KERNEL_ROWS, LANDMARKS)}
    size = by_hand if CONTROLS.value(KERNEL_FITS) == BY_ROWS else None
    if sample.own is None:
        return query_of(replace(base, data=sample.experiment.data), plan, mode, size)
    address, table, choices = table_address(), memory().table, memory().choices
    assert table is not None, "a sample of one's own is made of a table"
    assert choices is not None
    public = replace(base, data=opening().data)
    return query_of(public, plan, mode, size, address, changes_from_proposal(table, choices)) if address else ""


def _several_on_stage(sample: Sample, plan: Plan) -> str:
    """Return how a stage treats the classes: there, pairs of classes do not vote and nothing is chosen."""
    if len(sample.classes) == 2:
        return memory().base.several
    return OWN_WAY if plan.several == OWN_WAY else REST


def set_controls(experiment: Experiment) -> None:
    """Set all controls to an experiment's data, kernel, methods and parameters."""
    remembered = memory()
    remembered.visited, remembered.base, remembered.now, remembered.set_by_data = True, experiment, experiment, ""
    own = experiment.data.own
    if own:
        st.session_state[WHERE] = OWN
        present(own, choices_of(experiment.data, own))
    else:
        st.session_state[SOURCE] = experiment.data.source
        for option in experiment.data.record.options:
            CONTROLS.put(
                option, dict(experiment.data.options)[option.name], *owner(experiment.data.source, option.name)
            )
    for setting, value in (
        (SEED, experiment.data.seed),
        (TEST, experiment.data.test),
        (SCALING, experiment.data.scaling),
        (SEVERAL, REST if experiment.several == REST else CHOSEN),
        (SCALE, experiment.scale),
    ):
        CONTROLS.put(setting, value)
    CONTROLS.put_kernel(experiment.kernel)
    st.session_state[SHOWN] = [*experiment.methods, *REFERENCES]


def apply_data_defaults(source: Source) -> None:
    """If other data are chosen, set the controls not drawn yet to the scaling and kernel that suit them."""
    before = memory().now
    if _table_of(source) == _table_of(before.data.record):
        return
    now = on_source(before, source)
    memory().now, memory().set_by_data = now, changed_settings(before, now)
    CONTROLS.put(SCALING, now.data.scaling)
    CONTROLS.put_kernel(now.kernel)


def _table_of(source: Source) -> object:
    """Return an object that identifies the data: other choices about a table make another source, but not other
    data."""
    return source.table if isinstance(source, OwnSource) else source.key


def from_stage_button() -> None:
    """Draw a button that adopts the state of the playground, if it has changed since it was last adopted."""
    drawn = state_of(Stages).drawn.get(PLAYGROUND_STAGE)
    if drawn and drawn != memory().base:
        st.button(
            "Copy from the stage",
            icon=":material/input:",
            on_click=_take_over,
            args=(PLAYGROUND_STAGE,),
            help="Data, kernel, methods and parameters as the playground shows them now.",
        )


def _take_over(stage: str) -> None:
    st.session_state[WHERE] = CATALOGUE
    set_controls(state_of(Stages).drawn[stage])
    CONTROLS.put(PARAMETERS, GIVEN)


def stage_query(sample: Sample, plan: Plan, params: dict[str, dict[str, Any]]) -> str:
    """Return the stage's query for the same data, kernel and, for the first methods, these parameters."""
    shown = tuple(params)[:METHOD_LIMIT]
    moved = replace(
        sample.experiment,
        data=replace(sample.experiment.data, test=plan.test),
        kernel=plan.kernel,
        methods=shown,
        several=_several_on_stage(sample, plan),
        params=tuple((key, tuple(METHODS[key].settings(params[key]).items())) for key in shown),
    )
    return moved.to_query()


def owner(source: str, option: str) -> tuple[str, ...]:
    """Return the prefix of an option's key. The seed has none: generated data and the split share one control."""
    return () if option == SEED.name else (source,)
