"""The Compare page with an uploaded file: reading, preparation, comparison and a first look."""

from __future__ import annotations

from pathlib import Path

import pytest

from mdcore.data.sources.folder import VARIABLE
from mdcore.serving.comparisons.address import EQUAL, PAPERS
from mdcore.study import REFERENCES, board, headline
from mdcore.ui.own_table.address import PLACE
from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.pages.compare.questions import QUESTIONS
from mdcore.ui.pages.compare.state import CATALOGUE, MODE, OWN
from tests import planted
from tests.apptest import button, entries, shown, unexplained
from tests.compare_page import (
    PEOPLE,
    QUICK,
    asked,
    chosen,
    finished,
    looked_at,
    opened,
    query,
    run,
    with_file,
)

pytestmark = pytest.mark.usefixtures("few_trees")


def test_a_file_is_compared_on() -> None:
    page = run(with_file(PEOPLE.encode()), repeats=2)
    job = page.session_state[JOB]
    assert job.comparison.complete
    assert job.sample.positive == "yes"
    assert dict(job.sample.facts)["target"] == "sport"
    looked_at(page, "Views")
    assert not page.exception


def test_nothing_of_a_file_stands_in_the_address() -> None:
    page = with_file(PEOPLE.encode())
    assert query(page) == ""
    page.segmented_control(key="compare where").set_value(CATALOGUE).run()
    assert query(page).startswith("data=")
    page.segmented_control(key="compare where").set_value(OWN).run()
    assert query(page) == ""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people.csv").write_text(PEOPLE.replace("yes", "often"))
    monkeypatch.setenv(VARIABLE, str(tmp_path))


def test_the_address_of_a_table_of_the_folder_opens_it_with_its_choices(folder: None) -> None:
    page = opened(f"{QUICK}&view.table=folder:people")
    assert page.segmented_control(key="compare where").value == OWN
    assert "Classes: no: " in shown(page)
    dropped = next(found for found in page.multiselect if found.label == "Left out")
    dropped.set_value(["weight"]).run()
    next(found for found in page.selectbox if found.label == "Positive class").set_value("no").run()
    next(found for found in page.number_input if found.label == "Seed").set_value(5).run()
    again = opened(query(page))
    assert query(again) == query(page)
    assert "1 column. Classes: no: " in shown(again)
    job = run(again, repeats=2).session_state[JOB]
    assert (job.plan.seed, job.plan.positive) == (5, "no")


def test_the_address_of_a_papers_set_opens_it(folder: None) -> None:
    page = opened("data=moons&view.table=paper:mcodm-2017:iris&view.compared=mcsvm")
    assert "150 rows, 4 columns" in shown(page)
    assert query(opened(query(page))) == query(page)


def test_a_table_of_openml_waits_to_be_fetched(folder: None) -> None:
    page = opened("data=moons&view.table=openml:61")
    assert page.text_input[0].value == "61"
    assert button(page, "Compare").disabled


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("view.table=folder:nobody", "There is no table 'folder:nobody' here"),
        ("view.table=upload:people.csv", "There is no table 'upload:people.csv' here"),
        (
            "view.table=folder:people&view.choices=[",
            "The choices in the link do not apply. choices: This is not valid JSON",
        ),
        ("view.table=folder:people&view.choices={}", "No target is named"),
        ('view.table=folder:people&view.choices={"target":"shoe"}', "There is no column 'shoe'"),
        ('view.table=folder:people&view.choices={"target":"sport","dropped":["shoe"]}', "There is no column 'shoe'"),
        ('view.table=folder:people&view.choices={"target":"sport","kinds":7}', "kinds cannot be 7"),
        ('view.table=folder:people&view.choices={"target":"sport","missing":"guess"}', "missing cannot be 'guess'"),
    ],
)
def test_an_address_of_a_table_that_cannot_be_used_says_why(folder: None, more: str, words: str) -> None:
    assert words in shown(opened(f"{QUICK}&{more}"))


def test_a_row_of_a_file_is_shown_as_it_came() -> None:
    job = run(with_file(PEOPLE.encode()), repeats=2).session_state[JOB]
    assert dict(job.sample.row(4)) == {"class": "yes", "height": "1.9", "weight": "54.0"}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "people"),
        (b"", "people"),
        (b"a;b;class\n" + b"".join(b"%d;%d;x\n" % (i, i % 7) for i in range(30)), "only one class"),
    ],
)
def test_a_bad_file_is_explained(content: bytes, words: str) -> None:
    page = with_file(content)
    assert page.error
    assert words in shown(page)
    assert button(page, "Compare").disabled


def test_too_few_rows_for_a_split_are_explained() -> None:
    page = with_file(b"a;b;class\n1;2;x\n2;1;x\n3;4;x\n5;6;y\n")
    assert "at least 2 of each" in shown(page)
    assert button(page, "Compare").disabled


# A first look at the uploaded data


def test_one_press_on_a_file_gives_a_sound_answer() -> None:
    page = chosen(with_file(planted.rare(0)), "svm", "ldm", *REFERENCES)
    assert page.toggle(key="compare balanced").value
    assert "About" in shown(finished(page))
    job = run(page, repeats=3).session_state[JOB]
    assert [candidate.key for candidate in job.plan.candidates] == ["svm", "ldm", *REFERENCES]
    assert (job.plan.balanced, job.plan.held_out) == (True, True)
    assert headline(board(job.comparison, "balanced_accuracy")) in shown(page)
    asked(page, "Is it real?")
    table = next(frame.value for frame in page.dataframe if "name" in frame.value)
    assert table["name"].iloc[-1] == "always ‘ok’"
    for section in QUESTIONS:
        page.segmented_control(key="compare question").set_value(section).run()
        assert not page.exception, section
        assert not unexplained(page), section


def test_groups_are_proposed_and_the_leak_stands_at_the_top() -> None:
    page = with_file(planted.grouped(0))
    assert "Proposed: patient, its 30 values repeat, 5 rows each on average" in shown(page)
    job = run(page, repeats=3).session_state[JOB]
    assert job.plan.scheme == "groups"
    assert "Leak: " in shown(page)
    (beside,) = [one for one in page.expander if one.label == "Every method under both conditions"]
    assert len(beside.dataframe[0].value) == len(job.comparison.keys_done)
    assert {"With groups kept together", "With random splits"} <= set(entries(page))
    scheme = next(found for found in page.selectbox if found.label == "Splits")
    scheme.set_value("random").run()
    assert run(page, repeats=3).session_state[JOB].plan.scheme == "random"
    assert "Leak: " in shown(page)


def test_drift_stands_at_the_top_though_nobody_asked() -> None:
    page = run(with_file(planted.drifting(0)), repeats=3)
    assert "Drift: " in shown(page)


def test_what_would_take_long_says_what_to_reduce() -> None:
    page = chosen(with_file(planted.ungrouped(0)), "svm", "ldm", "odm", mode=PAPERS)
    page.number_input(key="compare repeats").set_value(1000).run()
    words = shown(finished(page))
    assert "To shorten it: the same few candidates for every method, fewer splits" in words
    button(page, "Tune equally instead").click().run()
    assert page.segmented_control(key=MODE).value == EQUAL


@pytest.mark.parametrize("place", ["Upload", "OpenML", "The papers' sets"])
def test_every_control_of_a_table_says_what_it_is_for(place: str) -> None:
    page = with_file(PEOPLE.encode())
    page.session_state[PLACE] = place
    page.run()
    assert not page.exception
    kinds = ("selectbox", "multiselect", "segmented_control", "toggle", "text_input", "number_input")
    controls = [control for kind in kinds for control in page.get(kind)]
    assert len(controls) >= 3
    silent = {control.label for control in controls if not control.proto.help}
    assert silent <= {"Methods"}, "its heading has the help"
