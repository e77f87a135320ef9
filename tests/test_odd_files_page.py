"""Odd files on the Compare page: each works, or the page says what is wrong, where, and what to do."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.pages.compare.state import OWN, WHERE
from tests import odd_files
from tests.apptest import button, page_of, press, shown, widget

QUICK = (
    "data=moons&methods=svm,odm&several=one-versus-rest&view.compared=svm,odm&view.parameters=defaults&view.repeats=2"
)
WORKING = {
    "semicolons, decimal commas, Latin-1": (odd_files.semicolons(), ("semicolon", "Classes: herb: ", "Geschmack")),
    "UTF-16 with tabs": (odd_files.utf_16(), ("UTF-16", "tab", "Classes: chat: ")),
    "missing numbers and names": (odd_files.gaps(), ("16 missing values", "Classes: no: ")),
    "1 and 2": (odd_files.labelled(1, 2), ("Classes: 1: ",)),
    "-1 and +1": (odd_files.labelled("-1", "+1"), ("Classes: −1: ",)),
    "labels with spaces": (odd_files.labelled("not sure", "quite sure"), ("Classes: not sure: ",)),
    "26 classes": (odd_files.letters(), ("Proposed: letter", "A: 8, B: 8")),
    "constant and index columns": (odd_files.useless_columns(), ("Left out: id", "always (constant")),
    "duplicated headers": (
        odd_files.twice_named(),
        ("Column 2 is another 'width': it is renamed to 'width (2)'.",),
    ),
}
REFUSED = {
    "empty": (b"", ("The file is empty.", "Choose a file with a header line")),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), ("PNG",)),
    "one class": (odd_files.labelled("a", "a"), ("only one class",)),
}


def upload(content: bytes) -> AppTest:
    page = page_of("compare")
    for name, value in parse_qsl(QUICK):
        page.query_params[name] = value
    page.run().segmented_control(key=WHERE).set_value(OWN).run()
    page.file_uploader[0].set_value(("people.csv", content, "text/csv")).run()
    assert not page.exception
    return page


def compare(page: AppTest) -> None:
    """Press Compare, and check that an accuracy is shown."""
    press(page, "Compare")
    page.session_state[JOB].wait()
    page.run()
    assert not page.exception
    assert re.search(r"ccuracy over \d+ splits.*Always ‘.+’: [\d.]+ %", shown(page))
    page.segmented_control(key="compare question").set_value("Is it real?").run()
    results = next(frame.value for frame in page.dataframe if "accuracy" in frame.value)
    assert {"SVM", "ODM"} <= {name.partition(",")[0] for name in results["name"]}
    assert results["accuracy"].between(0, 1).all()


@pytest.mark.parametrize("name", WORKING)
def test_a_file_that_works(name: str) -> None:
    content, words = WORKING[name]
    page = upload(content)
    for wanted in words:
        assert wanted in shown(page)
    compare(page)


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_says_what_is_wrong(name: str) -> None:
    content, words = REFUSED[name]
    page = upload(content)
    for wanted in ("people.csv", *words):
        assert wanted in shown(page)
    assert button(page, "Compare").disabled


def test_ragged_lines_are_named_and_can_be_left_out() -> None:
    page = upload(odd_files.ragged())
    assert "line 5 has 5" in shown(page)
    widget(page.toggle, "Leave out lines with too many or too few cells").set_value(True).run()
    assert "59 rows, 3 columns" in shown(page)
    compare(page)
