"""The sidebar: data, kernel and methods."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from mdcore.data import SCALING, SEED, TEST, OwnSource, edits
from mdcore.experiment import Experiment
from mdcore.experiment.other_data import changed_settings, on_source
from mdcore.experiment.query import BIAS, METHOD_LIMIT, SCALE
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import SEVERAL
from mdcore.spaces.kernels import KERNEL
from mdcore.sweep.axis import KERNEL_PARAMS
from mdcore.ui.own_table.session_tables import own_sources, sources
from mdcore.ui.pages.sensitivity.address import controls, memory, open_on
from mdcore.ui.shared.words import plain


def choose_experiment(now: Experiment) -> Experiment:
    """Return the experiment set by the controls, which keeps what its methods are fitted on; raise BadKey if a value is
    invalid."""
    tables = own_sources()
    with st.sidebar:
        texts = _choose_data(now) | _choose_kernel(now) | _choose_methods(now)
    return replace(Experiment.from_texts(texts, tables), decided=now.decided).settled()


def _choose_data(now: Experiment) -> dict[str, str]:
    known = sources()
    st.subheader("Data")
    name = st.selectbox(
        "source",
        list(known),
        index=list(known).index(now.data.source),
        format_func=lambda key: known[key].title,
        help="The origin of the examples: generated, bundled, a folder of CSV files, or a table that you have loaded "
        "under Compare in this session.",
        key=controls().key("source"),
    )
    source = known[name]
    if name != now.data.source:
        open_on(on_source(now, source), changed_settings(now, on_source(now, source)))
    if memory().set_by_data:
        st.caption(plain(f"Set by the data: {memory().set_by_data}."))
    if isinstance(source, OwnSource):
        st.caption(plain(source.summary))
    ask, query = controls().ask, {"data": name}
    held = {"seed": now.data.seed, "test": now.data.test} | dict(now.data.options)
    for option in (*source.options, SEED, TEST):
        if option.name not in query:
            query[option.name] = ask(option, name, first=held.get(option.name))
    query["scaling"] = ask(SCALING, name, first=now.data.scaling)
    if now.data.edits:
        st.caption("The points edited by hand on the stage are part of the data.")
        query["edits"] = edits.format(now.data.edits)
    return query


def _choose_kernel(now: Experiment) -> dict[str, str]:
    st.subheader("Kernel")
    ask = controls().ask
    kernel = ask(KERNEL, first=now.kernel.name)
    params = KERNEL_PARAMS.get(kernel, ())
    query = {"kernel": kernel} | {param.name: ask(param, first=getattr(now.kernel, param.name)) for param in params}
    return query | {"bias": ask(BIAS, first=str(int(now.kernel.bias)))}


def _choose_methods(now: Experiment) -> dict[str, str]:
    """Return the methods, the margin scale, the treatment of several classes, and all parameters of the methods
    shown."""
    st.subheader("Methods")
    shown = st.multiselect(
        "methods",
        list(METHODS),
        default=list(now.methods),
        max_selections=METHOD_LIMIT,
        format_func=lambda key: METHODS[key].name,
        help="One curve for each, at most four.",
        key=controls().key("methods"),
    )
    ask = controls().ask
    query = {"methods": ",".join(shown), "scale": ask(SCALE, first=now.scale)}
    query[SEVERAL.name] = ask(SEVERAL, first=now.several)
    for method in shown:
        with st.expander(METHODS[method].name):
            settings = now.settings(method)
            for setting in METHODS[method].params:
                query[f"{method}.{setting.name}"] = ask(setting, method, first=settings[setting.name])
    return query
