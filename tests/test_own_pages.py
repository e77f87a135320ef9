"""Uploaded tables on the pages: ways to reach them, ways that fail, and project files."""

from __future__ import annotations

import base64
import gc
import json
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from mdcore import Experiment, load_dataset
from mdcore.data import Choices, OwnSource, own_source, propose, read_table, table_of
from mdcore.serving.comparisons.address import GIVEN
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.project_file import packed, unpacked
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage.scrubber_scene import pack_path
from mdcore.serving.visits import OwnSources, Stages
from mdcore.sweep import Axis, Sweep, walk
from mdcore.ui.own_table.reading import File, Reading
from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.pages.compare.state import MODE, OWN
from mdcore.ui.pages.sensitivity.address import JOB as JOB_OF_SWEEP
from mdcore.ui.shared.session import state_of
from tests.apptest import button, page_of, shown
from tests.waiting import PATIENCE

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SWEPT = "&methods=svm,ldm&gamma=1&view.x=ldm.lambda1&view.xlow=1&view.xhigh=16&view.xn=3&view.repeats=2"


def people(n: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(11)
    frame = pd.DataFrame({"height": rng.normal(1.7, 0.1, n).round(2), "code": rng.integers(1, 5, n)})
    frame["team"] = rng.choice(["red", "blue"], n)
    frame["score"] = rng.normal(0, 1, n).round(3)
    frame["sport"] = np.where(frame["height"] + rng.normal(0, 0.05, n) > 1.7, "ball", "none")
    frame.loc[: n // 8, "sport"] = "swim"
    frame.loc[n // 2 : n // 2 + 6, "height"] = np.nan
    return frame


GERMAN = people().to_csv(index=False, sep=";", decimal=",").encode("utf-16")
TABLE = read_table(GERMAN, "leute.csv")
TWO = replace(propose(TABLE, "sport"), classes=("ball", "none"), positive="ball")
ALL_KINDS = [
    TWO,
    replace(TWO, missing="indicator", encoding="ordinal", scaling="unit", dropped=("team",), test=0.95, seed=7),
    replace(propose(TABLE, "sport"), missing="drop", positive="swim", rest=True),
    replace(
        propose(TABLE, "sport"),
        kinds=(*((c, k) for c, k in TWO.kinds if c != "code"), ("code", "category")),
        positive="none",
    ),
    replace(propose(TABLE, "score"), threshold=0.25, positive="<= 0.25"),
    replace(propose(TABLE, "code"), positive="2", classes=("1", "2")),
]


def opened(page: str, *, file: bytes | None = None, **query: str) -> AppTest:
    at = page_of(page)
    if file is not None:
        at.session_state["compare where"] = OWN
        state_of(Reading, at.session_state).file = File("people.csv", file, "1")
    at.query_params.update(query)
    at.run()
    assert not at.exception
    return at


def own_of(at: AppTest) -> OwnSource:
    (source,) = state_of(OwnSources, at.session_state).known.values()
    return source


def scene(query: str, *own: OwnSource, **request: Any) -> dict[str, Any]:
    header, _ = decode(answer(Request(query, own=own, **request), None)[0])
    return header


CSV = people().query("sport != 'swim'").to_csv(index=False).encode()


# Access to a table


def test_the_stage_offers_the_tables_of_its_own_session_only() -> None:
    own = own_of(opened("compare", file=CSV))
    shared, everything = catalog()
    here = scene("data=moons&n=50", own)
    assert (here["catalog"]["sources"][0]["key"], here["catalog"]["sources"][0]["own"]) == (own.key, True)
    assert here["catalog"]["sources"][1:] == everything["sources"]
    assert here["catalogHash"] != shared
    assert "catalog" not in scene("data=moons&n=50", own, have=here["catalogHash"])
    elsewhere = scene("data=moons&n=50")
    assert elsewhere["catalogHash"] == shared
    assert "people" not in json.dumps(elsewhere["catalog"])


def test_a_picture_is_of_a_table_only_where_the_session_has_it() -> None:
    own = own_of(opened("compare", file=CSV))
    query = f"data={own.key}&methods=svm&gamma=1"
    run = Experiment.from_query(query, [own]).run_method("svm")
    assert scene(query, own)["panels"][0]["stats"]["train"]["mean"] == run.train.mean
    refused = scene(query)
    assert "exists only in the session that loaded it" in refused["error"]["message"]
    assert refused["source"] == "moons"
    assert "people" not in json.dumps(refused)
    pinned = scene(f"data=moons&n=50&view.pin1=data%3D{own.key}")
    assert pinned["error"]["message"].startswith("Pin 1 cannot be read")


@pytest.mark.parametrize("page", ["compare", "sensitivity"])
def test_another_session_gets_a_message_and_none_of_the_data(page: str) -> None:
    own = own_of(opened("compare", file=CSV))
    other = opened(page, data=own.key)
    assert "cannot be read" in shown(other)
    assert "exists only in the session that loaded it" in shown(other)
    assert not state_of(OwnSources, other.session_state).known
    for secret in ("people", "height", "sport"):
        assert secret not in shown(other)


def test_what_was_uploaded_ends_with_its_session() -> None:
    at = opened("compare", file=CSV)
    at.number_input(key="compare repeats").set_value(2).run()
    button(at, "Compare").click().run()
    at.session_state[JOB].wait()
    own = own_of(at)
    run = Experiment.from_query(f"data={own.key}&methods=svm", [own]).run_method("svm")
    traces = [weakref.ref(thing) for thing in (own, own.table, run.fit, run.prepared)]
    del at, own, run
    gc.collect()
    assert [trace() for trace in traces] == [None] * len(traces)


def test_a_forgotten_table_is_reached_no_more() -> None:
    at = opened("compare", file=CSV)
    own = own_of(at)
    button(at, "Forget people.csv".replace(".", "\\.")).click().run()
    assert not at.exception
    assert dict(state_of(OwnSources, at.session_state).known) == {}
    left = state_of(OwnSources, at.session_state).known.values()
    assert "exists only in the session" in scene(f"data={own.key}", *left)["error"]["message"]


def test_other_choices_are_another_source_and_the_drawn_one_stays() -> None:
    """The meaning of a URL does not change while it is on screen; a new split is not a new source."""
    at = opened("compare", file=CSV)
    first = own_of(at)
    experiment = Experiment.from_query(f"data={first.key}", [first])
    state_of(Stages, at.session_state).drawn["playground"] = experiment
    at.number_input(key="table 1 seed").set_value(5).run()
    assert own_of(at) is first
    at.multiselect(key="table 1 sport dropped").set_value(["team"]).run()
    assert len(state_of(OwnSources, at.session_state).known) == 2
    state_of(Stages, at.session_state).drawn.clear()
    del experiment
    key = first.key
    del first
    at.run()
    gc.collect()
    assert own_of(at).key != key


# From the stage to Compare


def test_compare_takes_over_the_table_as_the_stage_shows_it() -> None:
    at = opened("compare", file=CSV)
    own = own_of(at)
    query = f"data={own.key}&seed=4&test=0.4&scaling=unit&methods=odm&odm.lam=16&kernel=linear&edits=d_3"
    experiment = Experiment.from_query(query, [own])
    state_of(Stages, at.session_state).drawn["playground"] = experiment
    state_of(Stages, at.session_state).sent_by = "playground"
    at.run()
    assert not at.exception
    assert at.segmented_control(key=MODE).value == GIVEN
    assert "ODM: λ = 16" in shown(at)
    assert "40 % of the rows for testing and seed 4" in shown(at)
    assert "Edits made on the stage are left out" in shown(at)
    assert own_of(at) is own
    at.number_input(key="compare repeats").set_value(1).run()
    button(at, "Compare").click().run()
    job = at.session_state[JOB]
    job.wait()
    (result,) = job.comparison.of("odm")
    unedited = Experiment.from_query(query.removesuffix("&edits=d_3"), [own])
    assert result.test == pytest.approx(unedited.run_method("odm").fit.test, abs=1e-9)


def test_a_later_visit_takes_over_from_the_stage_at_a_press() -> None:
    at = opened("compare", file=CSV)
    moons = Experiment.from_query("data=circles&n=50&methods=svm")
    state_of(Stages, at.session_state).drawn["playground"] = moons
    at.run()
    button(at, "Copy from the stage").click().run()
    assert not at.exception
    assert at.session_state["compare where"] == "Catalogue"
    assert at.selectbox(key="compare data source").value == "circles"


def chooser() -> None:
    import streamlit as st

    from mdcore.ui.own_table.reading import choose_table, present

    if "given" in st.session_state:
        present(*st.session_state.pop("given"))
    st.session_state["made"] = choose_table()


@pytest.mark.parametrize("choices", ALL_KINDS, ids=range(len(ALL_KINDS)))
def test_a_table_is_shown_again_with_every_choice(choices: Choices) -> None:
    """Showing it once more from there loses nothing."""
    at = AppTest.from_function(chooser, default_timeout=PATIENCE)
    source = own_source(TABLE, choices)
    for _ in range(2):
        at.session_state["given"] = source, choices
        at.run()
        assert not at.exception
        table, made = at.session_state["made"]
        assert table.frame.equals(TABLE.frame)
        assert replace(made, kinds=()) == replace(choices, kinds=())
        assert dict(made.kinds) == dict(choices.kinds)
        at.run()
        assert at.session_state["made"][1] == made


def test_a_threshold_of_a_table_shown_again_can_be_moved() -> None:
    at = AppTest.from_function(chooser, default_timeout=PATIENCE)
    choices = ALL_KINDS[4]
    at.session_state["given"] = own_source(TABLE, choices), choices
    at.run()
    (threshold,) = (field for field in at.number_input if field.label == "Threshold")
    threshold.set_value(0.5).run()
    assert not at.exception
    assert at.session_state["made"][1].threshold == 0.5


# Sensitivity


def test_a_sweep_over_a_table_is_that_of_single_runs() -> None:
    at = opened("compare", file=CSV)
    own = own_of(at)
    query = f"data={own.key}&seed=1{SWEPT}"
    at = page_of("sensitivity")
    state_of(OwnSources, at.session_state).known = weakref.WeakValueDictionary({own.key: own})
    at.query_params.update(dict(pair.split("=", 1) for pair in query.split("&")))
    at.run()
    assert not at.exception
    assert own.title in at.selectbox(key="sensitivity source").options
    assert own.summary in shown(at)
    job = at.session_state[JOB_OF_SWEEP]
    job.wait()
    assert not at.run().exception
    assert not job.problem
    for result in job.items:
        value = (1.0, 4.0, 16.0)[result.place[0]]
        single = Experiment.from_query(f"data={own.key}&seed={1 + result.repeat}{SWEPT}", [own])
        run = single.with_param("ldm", "lambda1", value).run_method(result.method)
        assert result.statistics["test.accuracy"] == run.test.accuracy


def test_a_sweep_over_a_part_of_a_large_table_says_so() -> None:
    own = own_source(read_table(people(1200).to_csv(index=False).encode(), "people.csv"), TWO)
    for n, said in (("300", True), (None, True), (str(len(own.make().y)), False)):
        at = page_of("sensitivity")
        state_of(OwnSources, at.session_state).known = weakref.WeakValueDictionary({own.key: own})
        at.query_params.update({"data": own.key, "methods": "svm", "view.xn": "2", "view.repeats": "1"})
        at.query_params.update({} if n is None else {"n": n})
        at.run()
        at.session_state[JOB_OF_SWEEP].wait()
        assert not at.run().exception
        taken = f"A sample of {int(n or 1000):,} of the {len(own.make().y):,} rows of your table"
        assert (taken in shown(at)) == said


def test_a_scrubbed_path_over_a_table_leads_to_no_address() -> None:
    own = own_source(TABLE, TWO)
    sweep = Sweep(Experiment.from_query(f"data={own.key}&methods=svm", [own]), (Axis("svm.C", (1.0, 4.0)),))
    header, _ = decode(pack_path(sweep, walk(sweep)))
    assert header["common"]["query"] == ""


def test_sensitivity_works_on_the_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_bytes(CSV)
    monkeypatch.setenv("MARGIN_LAB_DATA", str(tmp_path))
    at = opened("sensitivity", data="folder:people", methods="svm", **{"view.xn": "3", "view.repeats": "1"})
    assert not at.error
    assert at.selectbox(key="sensitivity source").value == "folder:people"
    job = at.session_state[JOB_OF_SWEEP]
    job.wait()
    assert all(result.statistics for result in job.items)


# Project files


@pytest.mark.parametrize("choices", ALL_KINDS, ids=range(len(ALL_KINDS)))
def test_a_project_file_holds_the_table_as_it_was_read(choices: Choices) -> None:
    own = own_source(TABLE, choices)
    experiment = Experiment.from_query(f"data={own.key}&seed=9&test=0.25&scaling=unit", [own])
    again = unpacked(json.loads(json.dumps(packed(experiment.data, own))))
    assert again.key == own.key
    assert again.choices == replace(choices, seed=9, test=0.25, scaling="unit")
    assert again.table.frame.equals(TABLE.frame)
    reopened = Experiment.from_query(experiment.to_query(), [again])
    np.testing.assert_array_equal(reopened.prepare().X_test, experiment.prepare().X_test)


def test_a_table_that_is_from_no_file_is_saved_as_one() -> None:
    table = table_of(load_dataset("wine", keep="class_0,class_2"))
    own = own_source(table, propose(table))
    experiment = Experiment.from_query(f"data={own.key}&seed=2", [own])
    again = unpacked(packed(experiment.data, own))
    reopened = Experiment.from_query(experiment.to_query(), [again])
    np.testing.assert_array_equal(reopened.prepare().X_train, experiment.prepare().X_train)
    assert reopened.prepare().y_test.tolist() == experiment.prepare().y_test.tolist()


def test_the_stage_sends_the_table_only_to_be_saved() -> None:
    own = own_source(TABLE, TWO)
    query = f"data={own.key}&methods=svm"
    assert "table" not in scene(query, own)
    assert base64.b64decode(scene(query, own, save=True)["table"]["content"]) == GERMAN
    assert "table" not in scene("data=moons&n=50", own, save=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (None, "lacks one of"),
        ({"key": "own:../../x"}, "key, name and content"),
        ({"key": ["own:"]}, "key, name and content"),
        ({"content": "%%%"}, "not in base64"),
        ({"content": ""}, "The file is empty"),
        ({"content": base64.b64encode(b"\x89PNG\r\n\x1a\n\x00").decode()}, "leute.csv"),
        ({"options": []}, "options are not an object"),
        ({"options": {"content": "x"}}, "cannot be read with 'content' = 'x'"),
        ({"options": {"header": "yes"}}, "cannot be read with 'header' = 'yes'"),
        ({"options": {"delimiter": "--"}}, "one character"),
        ({"options": {"encoding": "klingon"}}, "klingon"),
        ({"options": {"ragged": "often"}}, "ragged"),
        ({"choices": 5}, "fields are not those of choices"),
        ({"choices": {"target": "sport", "kinds": 3}}, "kinds cannot be 3"),
        ({"choices": {"target": "sport", "kinds": [["a"]]}}, "kinds cannot be"),
        ({"choices": {"target": "sport", "kinds": [], "test": "much"}}, "test cannot be 'much'"),
        ({"choices": {"target": "sport", "kinds": [], "classes": [1, 2]}}, "classes cannot be"),
        ({"choices": {"target": "gone", "kinds": []}}, "no column 'gone'"),
        ({"choices": {"target": "sport", "kinds": [], "classes": ["ball", "chess"]}}, "no class 'chess'"),
    ],
)
def test_a_damaged_project_file_says_what_is_wrong(change: dict[str, Any] | None, words: str) -> None:
    own = own_source(TABLE, TWO)
    good = packed(Experiment.from_query(f"data={own.key}", [own]).data, own)
    with pytest.raises(ValueError, match=words):
        unpacked(None if change is None else good | change)
