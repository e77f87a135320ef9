"""Pages run as on a server, and the code that they offer runs, too."""

from __future__ import annotations

import contextlib
import io
import re

import pytest
from streamlit.testing.v1 import AppTest

from mdcore import METHODS, Experiment, MarginDistribution, load_dataset
from mdcore.ui.pages.reference import SAMPLE, code, effect_runs, grid_text, power_text, stage_query
from tests.apptest import entries, unexplained
from tests.waiting import PATIENCE


def reference(method: str) -> AppTest:
    page = AppTest.from_file("../frame.py", default_timeout=PATIENCE)
    page.query_params["method"] = method
    return page.run().switch_page("pages/methods.py").run()


@pytest.mark.parametrize("key", METHODS)
def test_the_reference_shows_the_record_of_every_method(key: str) -> None:
    page, method = reference(key), METHODS[key]
    assert not page.exception
    assert [header.value for header in page.header] == [method.name]
    assert [formula.value.strip("$\n ") for formula in page.latex] == [method.latex]
    text = " ".join(element.value for element in page.markdown)
    for part in filter(None, (method.bound, method.complexity)):
        assert part in text
    for part in (method.summary, method.limits, method.paper.title):
        assert part, "a record says what it is, when it ends and where it is from"
        assert part in text
    (table,) = page.table
    assert list(table.value["name"]) == [param.name for param in method.params]
    assert set(table.value) <= set(entries(page))
    assert not unexplained(page)


def test_an_unknown_method_in_the_address_is_named() -> None:
    page = reference("perceptron")
    assert not page.exception
    assert ["'perceptron'" in warning.value for warning in page.warning] == [True]


@pytest.mark.parametrize("key", METHODS)
def test_the_code_to_copy_runs_and_prints_the_models_numbers(key: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code(METHODS[key]), {})
    sample, options = SAMPLE[METHODS[key].family]
    data = load_dataset(sample, **options)
    model = METHODS[key].estimator(**METHODS[key].settings({})).fit(data.X, data.y)
    margins = MarginDistribution(model.margins(data.X, data.y, scale="geometric"), "geometric")
    assert re.match(rf"mean {margins.mean:.3g}, ", printed.getvalue())


@pytest.mark.parametrize("key", METHODS)
def test_the_picture_moves_one_parameter_of_the_opening(key: str) -> None:
    for setting in METHODS[key].params:
        runs, labels = effect_runs(METHODS[key], setting)
        assert len({run.params[setting.name] for run in runs}) == len(runs) == len(set(labels)) > 1
    assert Experiment.from_query(stage_query(METHODS[key])).methods[-1] == key


def test_powers_of_two_are_written_as_such() -> None:
    assert [power_text(v) for v in (2.0**20, 2.0**-8, 8.0, 10.0, 0.4, 0.0)] == ["2²⁰", "2⁻⁸", "8", "10", "0.4", "0"]
    assert grid_text((2.0**-8, 0.125, 1.0, 2.0**20)) == "2⁻⁸, 2⁻³, 2⁰, 2²⁰"
    assert grid_text((10.0, 50.0, 0.4)) == "10, 50, 0.4"
    assert grid_text(()) == ""
