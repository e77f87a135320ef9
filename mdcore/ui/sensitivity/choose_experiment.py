"""Data, kernel and methods, in the sidebar."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from mdcore.data import SCALING, SEED, TEST, edits
from mdcore.experiment import Experiment
from mdcore.kernels import KERNEL
from mdcore.methods import METHODS
from mdcore.query import BIAS, METHOD_LIMIT, SCALE
from mdcore.sweep.axis import KERNEL_PARAMS
from mdcore.ui.own import own_sources, sources
from mdcore.ui.sensitivity.fields import field, key_of
from mdcore.ui.words import plain


def choose_experiment(now: Experiment) -> Experiment:
    """The experiment of the controls; BadKey where they cannot be read."""
    tables, known = own_sources(), sources()
    with st.sidebar:
        st.subheader("Data")
        source = st.selectbox(
            "source",
            list(known),
            index=list(known).index(now.data.source),
            format_func=lambda key: known[key].title,
            help="Where the examples come from: generated, bundled, from your folder of CSV files, or the tables that "
            "you have loaded under Compare in this session.",
            key=key_of("source"),
        )
        if known[source] in tables:
            st.caption(plain(known[source].summary))
        query = {"data": source}
        same = source == now.data.source
        options = dict(now.data.options) if same else {}
        for option in (*known[source].options, SEED, TEST):
            if option.name not in query:
                held = {"seed": now.data.seed, "test": now.data.test} | options
                query[option.name] = field(option, held.get(option.name, option.default), source)
        query["scaling"] = field(SCALING, now.data.scaling if same else known[source].scaling, source)
        if now.data.edits and same:
            st.caption("The points edited by hand on the stage are part of the data.")
            query["edits"] = edits.format(now.data.edits)
        st.subheader("Kernel")
        query["kernel"] = kernel = field(KERNEL, now.kernel.name)
        for param in KERNEL_PARAMS.get(kernel, ()):
            query[param.name] = field(param, getattr(now.kernel, param.name))
        query["bias"] = field(BIAS, str(int(now.kernel.bias)))
        st.subheader("Methods")
        shown = st.multiselect(
            "methods",
            list(METHODS),
            default=list(now.methods),
            max_selections=METHOD_LIMIT,
            format_func=lambda key: METHODS[key].name,
            help="One curve for each, at most four.",
            key=key_of("methods"),
        )
        query["methods"] = ",".join(shown)
        query["scale"] = field(SCALE, now.scale)
        for method in shown:
            with st.expander(METHODS[method].name):
                settings = now.settings(method)
                for setting in METHODS[method].params:
                    query[f"{method}.{setting.name}"] = field(setting, settings[setting.name], method)
    return Experiment.from_query(urlencode(query), tables)
