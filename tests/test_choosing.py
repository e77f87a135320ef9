"""The part of the Compare page that chooses a table, run as a page with various files."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from mdcore.data import Choices, Table
from mdcore.data.sources.folder import VARIABLE
from mdcore.ui.own_table.reading import Reading
from mdcore.ui.shared.session import state_of
from tests import planted
from tests.apptest import entries, widget
from tests.waiting import PATIENCE

GERMAN = "größe;farbe;klasse\n" + "".join(
    f"{j / 8:.3f};{['', 'rot', 'blau'][j % 3]};{'ja' if j % 2 else 'nein'}\n" for j in range(24)
)
DECIMAL = GERMAN.replace(".", ",").encode("latin-1")
FLOATS = ("v,w,target\n" + "".join(f"{j % 5},{j % 7},{j / 7:.3f}\n" for j in range(41))).encode()
LETTERS = (
    "v,letter\n" + "".join(f"{j * 0.37 % 1:.3f},{'ABCDEFGHIJKLMNOPQRSTUVWXYZ'[j % 26]}\n" for j in range(260))
).encode()


def page() -> None:
    import streamlit as st

    from mdcore.ui.own_table.reading import choose_table

    if not st.session_state.get("elsewhere"):
        st.session_state["chosen"] = choose_table()


@pytest.fixture
def at() -> AppTest:
    return AppTest.from_function(page, default_timeout=PATIENCE).run()


def upload(at: AppTest, content: bytes, name: str = "file.csv") -> AppTest:
    at.file_uploader[0].set_value((name, content, "text/csv")).run()
    assert not at.exception
    return at


def chosen(at: AppTest) -> tuple[Table, Choices]:
    assert not at.exception
    made = at.session_state["chosen"]
    assert made is not None, [error.value for error in at.error]
    return made


def texts(at: AppTest) -> str:
    return "\n".join(element.value for element in [*at.markdown, *at.caption, *at.warning]).replace("\\", "")


def test_nothing_is_chosen_at_first(at):
    assert at.session_state["chosen"] is None
    assert not at.error


def test_a_file_is_read_and_everything_detected_is_shown(at):
    table, choices = chosen(upload(at, DECIMAL))
    assert (table.n, choices.target) == (24, "klasse")
    shown = texts(at)
    for words in (
        "**Windows-1252, Western European**",
        "**semicolon**",
        "**comma**",
        "**names**",
        "empty (8)",
        "8 missing values",
    ):
        assert words in shown
    assert widget(at.selectbox, "Target").value == "klasse"


def test_the_same_table_comes_again_until_something_changes(at):
    table, choices = chosen(upload(at, DECIMAL))
    again, same = chosen(at.run())
    assert again is table
    assert same == choices
    widget(at.number_input, "Seed").set_value(7).run()
    again, changed = chosen(at)
    assert again is table
    assert changed.seed == 7


def test_every_detected_choice_can_be_changed(at):
    upload(at, DECIMAL)
    widget(at.selectbox, "Decimal sign").set_value(".").run()
    table, _ = chosen(at)
    assert not table.column("größe").numbers
    widget(at.selectbox, "Delimiter").set_value("|").run()
    assert at.session_state["chosen"] is None
    assert "only one column" in at.error[0].value
    widget(at.selectbox, "Delimiter").set_value(None).run()
    chosen(at)


def test_choices_reach_the_result(at):
    upload(at, DECIMAL)
    widget(at.selectbox, "Missing values").set_value("drop").run()
    widget(at.selectbox, "Categories").set_value("ordinal").run()
    widget(at.selectbox, "Scaling").set_value("unit").run()
    widget(at.selectbox, "Positive class").set_value("ja").run()
    widget(at.number_input, "Test share").set_value(0.5).run()
    widget(at.multiselect, "Numbers that are categories").set_value(["größe"]).run()
    _, choices = chosen(at)
    assert (choices.missing, choices.encoding, choices.scaling) == ("drop", "ordinal", "unit")
    assert (choices.positive, choices.test, choices.kind("größe")) == ("ja", 0.5, "category")


def test_the_page_names_the_categories_whose_levels_are_too_many_for_one_column_each(at):
    upload(at, planted.many_levels(0))
    assert chosen(at)[1].encoding == "target"
    told = "encoded by each level's share of the classes: place0 (80 levels), place1 (94 levels)."
    assert told in texts(at)
    widget(at.selectbox, "Categories").set_value("one-hot").run()
    assert chosen(at)[1].encoding == "one-hot"
    assert told not in texts(at)


def test_of_a_wide_and_long_table_the_beginning_is_shown(at):
    names = [f"g{j}" for j in range(150)]
    rows = (",".join(f"{(i * j) % 11 / 8}" for j in range(150)) + f",{'ab'[i % 2]}\n" for i in range(300))
    upload(at, f"{','.join(names)},class\n{''.join(rows)}".encode())
    assert "The first 200 of 300 rows and 100 of 151 columns." in texts(at)
    assert at.dataframe[0].value.shape == (200, 100)
    heads = {head for table in at.dataframe[1:] for head in table.value}
    assert {"kind", "missing", "share"} <= heads <= set(entries(at))


def test_the_positive_class_is_proposed_with_a_reason_and_can_be_changed(at):
    rows = (f"{j / 8},{j * j % 7},{'-' if j % 3 else '+'}\n" for j in range(1, 13))
    upload(at, f"v,w,state\n{''.join(rows)}".encode())
    assert chosen(at)[1].positive == "+"
    assert "Proposed: +, which is a positive name." in texts(at)
    assert "The proposal is the class with a positive name" in widget(at.selectbox, "Positive class").help
    widget(at.selectbox, "Positive class").set_value("-").run()
    assert chosen(at)[1].positive == "-"


def test_a_target_without_any_label_is_refused(at):
    upload(at, b"v,w,state\n1,2,\n3,4,\n5,7,\n")
    widget(at.selectbox, "Target").set_value("state").run()
    assert at.session_state["chosen"] is None
    assert "Every label is missing" in at.error[0].value
    widget(at.selectbox, "Target").set_value("w").run()
    assert not at.exception


def test_a_target_of_many_numbers_is_asked_about(at):
    upload(at, FLOATS)
    assert at.session_state["chosen"] is None
    assert "different numbers" in at.warning[0].value
    widget(at.button_group, "What are these numbers?").set_value("Cut in two at a threshold").run()
    _, choices = chosen(at)
    assert choices.threshold == pytest.approx(2.857)
    widget(at.number_input, "Threshold").set_value(1.0).run()
    assert chosen(at)[1].threshold == 1.0
    widget(at.selectbox, "Target").set_value("w").run()
    assert chosen(at)[1].target == "w"


def test_some_of_many_classes_can_be_kept_or_one_set_against_the_rest(at):
    upload(at, LETTERS)
    assert chosen(at)[1].classes == ()
    widget(at.multiselect, "Classes kept: 2 to 9, or none chosen for all 26").set_value(["B", "A", "Z"]).run()
    assert chosen(at)[1].classes == ("B", "A", "Z")
    widget(at.selectbox, "Positive class").set_value("B").run()
    widget(at.toggle, "Against all others together").set_value(True).run()
    _, choices = chosen(at)
    assert (choices.positive, choices.rest) == ("B", True)
    widget(at.multiselect, "Classes kept: 2 to 9, or none chosen for all 26").set_value(["B"]).run()
    assert at.session_state["chosen"] is None
    assert "Keep 2 to 9" in at.error[0].value


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "empty"),
        (b"\x89PNG\r\n\x1a\n" + bytes(99), "PNG picture"),
        (b"a,b\n", "no row of values"),
        (b"a,b\n1,x\n2\n3,y\n", "line 3 has 1"),
        (b"a,target\n1.5,x\n2.5,x\n", "only one class"),
    ],
)
def test_a_file_that_cannot_be_used_says_why_and_the_next_one_works(at, content, what):
    upload(at, content)
    assert at.session_state["chosen"] is None
    assert what in at.error[0].value.replace("\\", "")
    chosen(upload(at, DECIMAL, "next.csv"))


def test_ragged_lines_are_left_out_on_request(at):
    upload(at, b"a,b\n1,x\n2\n3,y\n4.5,x\n")
    widget(at.toggle, "Leave out lines with too many or too few cells").set_value(True).run()
    assert chosen(at)[0].n == 3
    assert "Left out: 1 of 5 lines" in texts(at)


def test_words_of_the_file_are_no_markdown(at):
    upload(at, b"a,**b**\n1,x\n2,[y](http://z)\n3,x\n4,[y](http://z)\n")
    assert all("**b**" not in element.value for element in at.caption)


def test_a_table_is_forgotten_with_its_file(at):
    upload(at, DECIMAL)
    at.file_uploader[0].set_value(None).run()
    assert at.session_state["chosen"] is None
    assert state_of(Reading, at.session_state).held == {}


def test_a_table_and_its_choices_outlast_a_look_at_another_page(at):
    upload(at, DECIMAL)
    widget(at.selectbox, "Encoding").set_value("latin-1").run()
    widget(at.selectbox, "Scaling").set_value("unit").run()
    before = chosen(at)
    at.session_state["elsewhere"] = True
    at.run()
    assert not at.selectbox
    at.session_state["elsewhere"] = False
    at.run()
    assert chosen(at) == before
    widget(at.button, r"Forget file\.csv").click().run()
    assert at.session_state["chosen"] is None
    assert state_of(Reading, at.session_state).file is None


def test_two_sessions_never_see_each_others_table():
    first, second = (AppTest.from_function(page, default_timeout=PATIENCE).run() for _ in range(2))
    upload(first, DECIMAL)
    second.run()
    assert second.session_state["chosen"] is None
    upload(second, LETTERS)
    first.run()
    assert chosen(first)[1].target == "klasse"
    assert chosen(second)[1].target == "letter"


def test_files_of_the_data_folder(monkeypatch, tmp_path):
    (tmp_path / "floats.csv").write_bytes(FLOATS)
    (tmp_path / "letters.csv").write_bytes(LETTERS)
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    at = AppTest.from_function(page, default_timeout=PATIENCE).run()
    at.button_group[0].set_value("Data folder").run()
    file = widget(at.selectbox, "File")
    assert file.options == ["floats", "letters"]
    file.set_value("letters").run()
    assert chosen(at)[1].target == "letter"
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone"))
    at.run()
    assert "not a folder" in at.error[0].value


def test_a_papers_set_is_found_where_it_is(at):
    at.button_group[0].set_value("The papers' sets").run()
    sets = widget(at.selectbox, "Data set")
    iris = next(line for line in sets.options if "iris" in line)
    assert iris == "mcODM, Table 1: iris (150 × 4, 3 classes, OpenML 61)"
    sets.set_value(iris).run()
    assert chosen(at)[0].n == 150


def test_openml_is_asked_once_and_its_failure_explained(at, monkeypatch):
    from urllib.error import URLError

    def offline(**_):
        raise URLError("no network")

    monkeypatch.setattr("sklearn.datasets.fetch_openml", offline)
    at.button_group[0].set_value("OpenML").run()
    at.text_input[0].set_value("credit-g")
    widget(at.button, "Fetch").click().run()
    assert "You seem to be offline" in at.error[0].value
    assert not at.exception
