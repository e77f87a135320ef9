"""One table of keys: text, code, controls and browser all read it."""

from __future__ import annotations

import math
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings

from mdcore import Experiment
from mdcore.data import SOURCES
from mdcore.experiment.keys import control_keys, keys_on, written_keys
from mdcore.experiment.query import OPENING, BadKey, parse_query
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.values import values_of
from tests.test_experiment import queries


@settings(max_examples=60)
@given(queries())
def test_every_key_gives_what_it_takes_as_a_value_and_as_text(query: str) -> None:
    experiment = Experiment.from_query(query)
    for key in written_keys(experiment):
        value = key.get(experiment)
        assert value == key.omitted or key.read(key.text(value)) == value
        assert experiment.with_value(key.name, value) == experiment


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("n", 80, "80"),
        ("noise", 0.4, "0.4"),
        ("seed", 7, "7"),
        ("gamma", "distance", "distance"),
        ("gamma", 2, "2"),
        ("kernel", "poly", "poly"),
        ("bias", "0", "0"),
        ("methods", ("odm", "svm"), "odm,svm"),
        ("svm.C", math.inf, "inf"),
        ("odm.mu", 0.5, "0.5"),
        ("step", 5, "5"),
        ("scale", "functional", "functional"),
    ],
)
def test_a_value_and_its_text_lead_to_the_same_experiment(name: str, value: object, text: str) -> None:
    base = Experiment.from_query(f"{OPENING}&methods=svm,ldm".replace("&methods=svm,ldm&", "&"))
    moved = base.with_value(name, value)
    typed = Experiment.from_query(urlencode(parse_query(base.to_query()) | {name: text}, safe=","))
    if name == "methods":  # parameters given for methods that are not shown stay where they were given
        assert (moved.methods, moved.settings("odm")) == (typed.methods, typed.settings("odm"))
    else:
        assert moved == typed


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("n", 2.5, "n must be an integer"),
        ("gamma", "wide", "gamma must be a number"),
        ("noise", math.nan, "noise must be a number"),
        ("seed", 10**400, "seed must be an integer"),
        ("kernel", "cosine", "one of rbf"),
        ("methods", ("tree",), "unknown method 'tree'"),
        ("svm.depth", 1, "SVM has no parameter 'depth'"),
        ("banana", 1, "Unknown key 'banana'"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(name: str, value: object, words: str) -> None:
    with pytest.raises(BadKey, match=words) as caught:
        Experiment.from_query(OPENING).with_value(name, value)
    assert caught.value.key == name


def test_the_browser_is_sent_a_control_for_every_key_and_a_value_for_every_control() -> None:
    _, content = catalog()
    common = {control["name"] for control in content["common"]}
    methods = {control["name"] for method in content["methods"] for control in method["params"]}
    for source in content["sources"]:
        key = source["key"]
        experiment = Experiment.on(SOURCES[key])
        names = common | methods | {option["name"] for option in source["options"]} | {"seed"}
        assert {found.name for found in control_keys(experiment)} == names
        assert names - values_of(experiment).keys() <= {"step"}
        assert names <= keys_on(SOURCES[key]).keys() | methods
