"""Other sources of data, a folder and OpenML, and exports as CSV without active formulas."""

from __future__ import annotations

import csv
import io
from collections import Counter
from email.message import Message
from pathlib import Path
from types import SimpleNamespace
from urllib.error import HTTPError, URLError

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcore import Experiment
from mdcore.data import (
    SOURCES,
    DataProblem,
    all_sources,
    find_source,
    load_dataset,
    propose,
    read_openml,
    select,
    write_csv,
)
from mdcore.data.sources.folder import VARIABLE
from mdcore.data.sources.papers import PAPER_SETS
from mdcore.data.tables.writing import GUARD, TRIGGERS
from mdcore.serving.stage.catalog import _shared

THREE = "a,b,target\n" + "".join(f"{j * 0.37 % 1:.3f},{j * 0.61 % 1:.3f},{'uvw'[j % 3]}\n" for j in range(30))
GAPS = "a,b,c,target\n" + "".join(
    f"{j * 0.37 % 1:.3f},{j if j % 3 else ''},{'st'[j % 5 > 1]},{j % 2}\n" for j in range(24)
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "three.csv").write_text(THREE)
    (tmp_path / "my gaps.csv").write_text(GAPS)
    (tmp_path / "one class.csv").write_text("a,target\n1,x\n2,x\n")
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "notes.txt").write_text("no table")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return tmp_path


# The folder


def test_files_of_the_folder_are_sources_beside_the_others(folder):
    assert [key for key in all_sources() if key not in SOURCES] == ["folder:my gaps", "folder:three"]
    three = find_source("folder:three")
    assert three.planar
    assert three.options[0].options == ("all", "u vs rest", "v vs rest", "w vs rest", "u,v", "u,w", "v,w")
    assert load_dataset("folder:three").classes == ("u", "v", "w")
    assert load_dataset("folder:three", keep="u,w").classes == ("u", "w")
    assert load_dataset("folder:three", keep="v vs rest").classes == ("(rest)", "v")
    assert "folder:three" not in SOURCES


def test_a_file_of_the_folder_may_have_any_format(folder):
    german = THREE.replace(",", ";").replace(".", ",").replace("target", "target ").replace("u\n", "ü\n")
    (folder / "german.csv").write_bytes(german.encode("cp1252"))
    assert find_source("folder:german").planar
    found = load_dataset("folder:german")
    np.testing.assert_array_equal(found.X, load_dataset("folder:three").X)
    assert (found.features, found.classes) == (("a", "b"), ("v", "w", "ü"))


def test_the_name_of_a_file_alone_is_answered_with_its_key(folder):
    with pytest.raises(ValueError, match=r"unknown dataset 'three'. Did you mean 'folder:three'\? .* folder:my gaps, "):
        load_dataset("three")


def test_the_stage_offers_the_files_of_the_folder(folder):
    offered = {source["key"]: source for source in _shared.__wrapped__()[1]["sources"]}
    assert [control["name"] for control in offered["folder:three"]["options"]] == ["keep", "gaps"]


def test_gaps_cost_rows_or_columns(folder):
    rows, columns = (load_dataset("folder:my gaps", gaps=gaps) for gaps in ("rows", "columns"))
    assert (rows.n, rows.features) == (16, ("a", "b", "c = s", "c = t"))
    assert (columns.n, columns.features) == (24, ("a", "c = s", "c = t"))


def test_a_file_of_the_folder_runs_by_its_url(folder):
    query = "data=folder%3Athree&keep=u%2Cv&seed=3&methods=svm&kernel=linear"
    experiment = Experiment.from_query(query)
    assert Experiment.from_query(experiment.to_query()) == experiment
    run = experiment.run()["svm"]
    assert len(run.train.values) + len(run.test.values) == 20


def test_an_edited_file_is_read_again(folder):
    assert load_dataset("folder:three").n == 30
    (folder / "three.csv").write_text(THREE + "0.1,0.2,u\n")
    assert load_dataset("folder:three").n == 31


@pytest.mark.parametrize(
    ("key", "what"),
    [
        ("folder:nothing", "no nothing.csv.*folder:three"),
        ("folder:../three", "no ../three.csv"),
        ("folder:one class", "fewer than two classes"),
        ("folder:empty", "The file is empty"),
        ("folder:", "no .csv"),
    ],
)
def test_what_the_folder_does_not_have(folder, key, what):
    with pytest.raises(DataProblem, match=what):
        load_dataset(key)


def test_a_missing_folder_is_named_and_breaks_nothing_else(monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone"))
    assert all_sources() == SOURCES
    with pytest.raises(DataProblem, match="gone, which is not a folder"):
        load_dataset("folder:three")
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(DataProblem, match=f"Set {VARIABLE} to the folder that holds three.csv"):
        load_dataset("folder:three")


# OpenML: scikit-learn tests its responses, these tests their use


@pytest.fixture
def answer(monkeypatch):
    """Make `fetch_openml` return a value or raise an error without a network."""

    def give(result: object) -> list[dict]:
        asked = []

        def fetch(**arguments):
            asked.append(arguments)
            if isinstance(result, Exception):
                raise result
            return result

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
        return asked

    return give


def bunch() -> SimpleNamespace:
    frame = pd.DataFrame({"v": [1.5, np.nan, 2.5, 3.0], "c": pd.Categorical(["p", "q", None, "p"])})
    frame["kind"] = pd.Categorical(["good", "bad", "good", "bad"])
    return SimpleNamespace(frame=frame, target_names=["kind"], details={"name": "credit", "id": "7"})


def test_openml_tables_come_with_their_target(answer, tmp_path):
    asked = answer(bunch())
    heard: list[str] = []
    table = read_openml(" credit ", heard.append, folder=tmp_path)
    assert (asked[0]["name"], asked[0]["data_home"]) == ("credit", str(tmp_path))
    assert heard[0] == "Asking OpenML for credit"
    assert (table.name, table.target.value, table.origin.name) == ("credit (OpenML 7)", "kind", "7")
    assert [(column.kind, column.missing) for column in table.columns] == [
        ("numeric", 1),
        ("category", 1),
        ("category", 0),
    ]
    assert select(table, propose(table)).classes == ("bad", "good")


def test_a_number_is_an_id(answer, tmp_path):
    asked = answer(bunch())
    read_openml(31, folder=tmp_path)
    read_openml("31", folder=tmp_path)
    assert [request["data_id"] for request in asked] == [31, 31]


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (URLError("no route to host"), "cannot be reached .no route to host.*offline"),
        (TimeoutError("timed out"), "cannot be reached .timed out"),
        (HTTPError("https://openml.org", 404, "not found", Message(), None), "'credit' failed with HTTP status 404"),
        (ValueError("No active dataset credit found."), "'credit' cannot be read: No active"),
    ],
)
def test_openml_out_of_reach_says_so(answer, tmp_path, error, what):
    answer(error)
    with pytest.raises(DataProblem, match=what):
        read_openml("credit", folder=tmp_path)
    with pytest.raises(DataProblem, match="name or the number"):
        read_openml(" ", folder=tmp_path)


# The papers' sets


def test_the_papers_tables_are_complete():
    assert Counter((entry.paper, entry.table) for entry in PAPER_SETS) == {
        ("ldm-2014", 1): 32, ("mcodm-2017", 1): 22, ("msvmav-2022", 3): 30, ("mamc-2016", 1): 13, ("pumma-2009", 1): 8,
    }  # fmt: skip
    for entry in PAPER_SETS:
        assert entry.catalogue_key.startswith("folder:") or not entry.catalogue_key or entry.catalogue_key in SOURCES


@pytest.mark.parametrize(
    "entry", [e for e in PAPER_SETS if e.catalogue_key in SOURCES], ids=lambda e: f"{e.paper} {e.name}"
)
def test_a_papers_set_that_scikit_learn_has_is_that_set(entry):
    dataset = load_dataset(entry.catalogue_key)
    assert (dataset.n, len(dataset.classes)) == (entry.rows, entry.classes)
    assert dataset.d == entry.features or entry.note


# Written CSV


CELLS = st.text(st.characters(codec="utf-8")) | st.floats(allow_nan=False)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5))
def test_no_cell_can_run_as_a_formula_and_nothing_is_lost(rows):
    written = write_csv(["=name", "value"], rows)
    header, *read = csv.reader(io.StringIO(written, newline=""))
    assert [cell.removeprefix(GUARD) for cell in header] == ["=name", "value"]
    for row, found in zip(rows, read, strict=True):
        for cell, text in zip(row, found, strict=True):
            if isinstance(cell, str):
                assert text.removeprefix(GUARD) == cell
                assert not text.startswith(TRIGGERS)
            else:
                assert float(text) == cell


def test_numbers_stay_numbers_and_gaps_are_empty():
    written = write_csv(["a", "b", "c"], [[-1, -2.5, None], [np.float64("nan"), "-x", "'q"]])
    assert written.splitlines() == ["a,b,c", "-1,-2.5,", ",'-x,''q"]
