"""The reference page of a method, generated from its record."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import streamlit as st

from mdcore.basics.text import power_of, short
from mdcore.experiment import Experiment
from mdcore.experiment.query import OPENING, number_text
from mdcore.experiment.run import Run
from mdcore.export import csv_file
from mdcore.export.effect import effect_margins, effect_recipe
from mdcore.export.state import figures_document
from mdcore.figures.margins import effect_figure
from mdcore.methods import METHODS
from mdcore.spec import Method, Param, Setting
from mdcore.ui.shared.drawing import plot
from mdcore.ui.shared.exporting import CSV, HTML, NOTEBOOK, PYTHON, File, export_menu
from mdcore.ui.shared.terms import show_terms

CHOSEN = "method"
SEVERAL = "several"  # multi-class methods are shown on data with several classes
EFFECT = {  # family -> query and name of the data on which a parameter's effect is shown
    "batch": (OPENING, "noisy moons with outliers"),
    "online": ("data=blobs&n=200&noise=0.3&seed=0&kernel=linear", "two separable blobs"),
    SEVERAL: ("data=blobs-k&each=40&classes=4&noise=0.5&seed=0&kernel=rbf&gamma=1&methods=mcodm", "four blobs"),
}
SAMPLE = {  # family -> data of the example code; online learners stop only if the classes are separable
    "batch": ("moons", {"n": 300, "noise": 0.25, "seed": 0}),
    "online": ("blobs", {"n": 300, "noise": 0.3, "seed": 0}),
}
COLUMNS = {
    "symbol": "How the parameter is written in the paper, in the problem above, and beside its slider.",
    "name": "Its name in Python, and in the address of the stage.",
    "legal": "The values that it can have.",
    "default": "The value used if none is given.",
    "paper's grid": "The values among which the paper chose, by cross-validation.",
    "what it does": "What happens as it increases, or what each of its options means.",
}
# On a phone each parameter becomes a list: a keyboard cannot scroll the table sideways.
READABLE = """<style>
.stTable td:last-child { min-width: 14rem; }
.stTable td:last-child > div { max-width: 40rem; }
@media (max-width: 640px) {
  .stTable thead { display: none; }
  .stTable :is(table, tbody, tr, td) { display: block; }
  .stTable td, .stTable td:last-child { display: flex; gap: 0.6rem; min-width: 0; border: 0; padding-block: 0.1rem; }
  .stTable td::before { flex: none; width: 6.5rem; }
  .stTable tr { padding-block: 0.5rem; }
  NAMES
}
</style>""".replace(
    "NAMES",
    "\n  ".join(f'.stTable td:nth-child({at})::before {{ content: "{name}"; }}' for at, name in enumerate(COLUMNS, 1)),
)


def choose_method() -> Method:
    """Return the method chosen in the list, which starts with the method in the URL."""
    keys = list(METHODS)
    asked = st.query_params.get(CHOSEN, keys[0])
    if asked not in METHODS:
        st.warning(f"There is no method {asked!r}; here is {METHODS[keys[0]].name}.")
        asked = keys[0]
    picked = st.selectbox(
        "Method",
        keys,
        index=keys.index(asked),
        format_func=lambda key: f"{METHODS[key].name}: {METHODS[key].summary}",
        help="Everything on this page is read from the method's own record in the library.",
    )
    if picked != asked:  # an equal URL would add an entry to the browser's history
        st.query_params[CHOSEN] = picked
    return METHODS[picked]


def show(method: Method) -> None:
    """Draw problem, parameters, effect, limits, bound, cost, paper and code of a method."""
    st.header(method.name, anchor=False)
    st.write(method.summary)
    st.subheader("Problem", anchor=False)
    st.latex(method.latex)
    st.caption(symbols(method))
    st.subheader("Parameters", anchor=False)
    st.html(READABLE)
    st.table(list(parameter_rows(method)))
    show_terms(COLUMNS)
    st.subheader("What it does to the margins", anchor=False)
    _picture(method)
    for title, text in (("Limits", method.limits), ("Bound", method.bound), ("Cost", method.complexity)):
        if text:
            st.subheader(title, anchor=False)
            st.write(text)
    st.subheader("Paper", anchor=False)
    st.write(f"{method.paper.authors}: *{method.paper.title}*. {method.paper.venue}; {method.paper.equations}.")
    if method.paper.doi:
        st.markdown(f"[doi:{method.paper.doi}](https://doi.org/{method.paper.doi})")
    st.subheader("Code", anchor=False)
    st.code(code(method), language="python", wrap_lines=True)
    st.link_button("Open it on the stage", f"/?{stage_query(method)}")


def symbols(method: Method) -> str:
    """Return the meaning of the symbols in the formula that are not parameters."""
    labels = "labels yᵢ" if method.multiclass else "labels yᵢ = ±1"
    space = "; φ(x): the features of the kernel" if "phi" in method.latex else ""
    bias = "; the bias is the weight of a constant feature" if method.bias == "feature" else ""
    positive = "; (z)₊ = max(0, z)" if ")_+" in method.latex else ""
    return f"Examples xᵢ with {labels}; w: the weights{space}{bias}{positive}."


def parameter_rows(method: Method) -> Iterator[dict[str, str]]:
    for setting in method.params:
        legal = str(setting.legal) if isinstance(setting, Param) else ", ".join(setting.options)
        grid = grid_text(setting.grid) if isinstance(setting, Param) else ""
        default = short(setting.default)
        cells = (setting.symbol, setting.name, legal, default, grid or "–", setting.help)
        yield dict(zip(COLUMNS, cells, strict=True))


def grid_text(values: Sequence[float]) -> str:
    """Return a grid of powers of two in that form, as the papers print it, and other numbers with three digits."""
    exponents = [math.log2(value) if value > 0 else 0.5 for value in values]
    powers = all(exponent.is_integer() for exponent in exponents) and len(values) > 1
    return ", ".join(power_of(2, int(exponent)) for exponent in exponents) if powers else ", ".join(map(short, values))


def power_text(value: float) -> str:
    """Return a power of two above 2³ or below 2⁻³ in that form, and other numbers with three digits."""
    exponent = math.log2(value) if value > 0 else 0.0
    return power_of(2, int(exponent)) if abs(exponent) > 3 and exponent.is_integer() else short(value)


def code(method: Method) -> str:
    """Return example code that runs as it is."""
    name = method.estimator.__name__
    sample, options = SAMPLE[method.family]
    given = ", ".join(f"{key}={value}" for key, value in options.items())
    chosen = ", ".join(f"{p.name}={number_text(p.default)!s}" for p in method.params if isinstance(p, Param))
    return (
        f"from mdcore import {name}, MarginDistribution, load_dataset\n\n"
        f'data = load_dataset("{sample}", {given})\n'
        f"model = {name}({chosen}).fit(data.X, data.y)\n"
        'margins = MarginDistribution(model.margins(data.X, data.y, scale="geometric"), scale="geometric")\n'
        'print(f"mean {margins.mean:.3g}, variance {margins.variance:.3g}, accuracy {margins.accuracy:.1%}")\n'
    )


def effect_of(method: Method) -> tuple[str, str]:
    """Return the query and the name of the data on which a method's effect is shown."""
    return EFFECT[SEVERAL if method.multiclass else method.family]


def effect_runs(method: Method, setting: Setting) -> tuple[list[Run], list[str]]:
    """Return runs and labels for a small, the default and a large value of a parameter, or for each of its options."""
    base = Experiment.from_query(effect_of(method)[0])
    if isinstance(setting, Param):
        values: list[float] = sorted({_at(setting, 0.15), setting.default, _at(setting, 0.85)})
        runs = [base.with_param(method.key, setting.name, value).run_method(method.key) for value in values]
        return runs, [f"{setting.symbol} = {power_text(value)}" for value in values]
    runs = [base.with_param(method.key, setting.name, option).run_method(method.key) for option in setting.options]
    return runs, [f"{setting.symbol}: {option}" for option in setting.options]


def _picture(method: Method) -> None:
    if not method.params:
        return
    by_name = {setting.name: setting for setting in method.params}
    name = next(iter(by_name))
    if len(by_name) > 1:
        name = st.segmented_control(
            "parameter",
            list(by_name),
            default=name,
            format_func=lambda name: by_name[name].symbol,
            help="The parameter to move; the others stay at their defaults.",
            key=f"effect of {method.key}",
            required=True,
        )
    setting = by_name[name]
    with st.spinner("Fitting the method"):
        runs, labels = effect_runs(method, setting)
    query, sample = effect_of(method)
    alone = method.key == "svm" or method.multiclass
    beside = None if alone else Experiment.from_query(query).run_method("svm")
    words = f"Cumulative training margins on {sample}, geometric scale: " + ", ".join(labels)
    plot(effect_figure(runs, labels, beside), words, key=f"effect {method.key}")
    words += ", the SVM dotted." if beside else "."
    st.caption(words)
    recipe = effect_recipe(query, setting.name, runs, labels, None if beside is None else beside.method.key)
    files = (
        File("Margins of every example (CSV)", "margins.csv", CSV, lambda: csv_file([*effect_margins(runs, labels)])),
        File(
            "Interactive figure (HTML)",
            "effect.html",
            HTML,
            lambda: figures_document([effect_figure(runs, labels, beside)], words),
        ),
        File("Python script", "effect.py", PYTHON, recipe.script),
        File("Notebook", "effect.ipynb", NOTEBOOK, lambda: recipe.notebook(words)),
    )
    export_menu(f"effect-{method.key}", files)


def _at(param: Param, share: float) -> float:
    """Return the value at a given share of the slider's range; on a log slider, the nearest power of two."""
    low, high = param.slider.low, param.slider.high
    if param.slider.log:
        value = 2.0 ** round(math.log2(low) + share * math.log2(high / low))
    else:
        value = float(f"{low + share * (high - low):.2g}")
    return round(value) if param.integer else value


def stage_query(method: Method) -> str:
    """Return the query of the opening picture with this method beside the SVM."""
    shown = dict.fromkeys(("svm", method.key))
    return replace(Experiment.from_query(OPENING), methods=tuple(shown)).to_query()
