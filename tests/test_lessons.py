"""Lesson files: refusals with line and reason, and lessons by name."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcore.experiment import Experiment
from mdcore.papers.published import Results, published
from mdcore.papers.table_report import TableReport
from mdcore.serving.lecture.handout import handout
from mdcore.serving.lecture.json_position import line_of
from mdcore.serving.lecture.lesson import LARGEST, BadLesson, read_lesson
from mdcore.serving.lecture.lesson_files import FOLDER, SHIPPED, NoLesson, find_lesson, lesson_names
from mdcore.serving.lecture.papers import shown_tables, tables_html
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage_pages import STAGE_PAGES

STATE = "data=moons&n=40&methods=svm,ldm"


def lesson(**change: Any) -> dict[str, Any]:
    step = {"title": "One", "state": STATE, "reveal": {"state": STATE}} | change
    return {"format": "margin-lab-lesson", "version": 1, "title": "T", "steps": [step]}


def text(**change: Any) -> str:
    return json.dumps(lesson(**change), indent=1)


CHOICE = {"kind": "choice", "text": "?", "options": ["a", "b"], "answer": 0}
CURVE = {"kind": "curve", "text": "?", "method": "ldm", "axis": [-1, 1]}
TABLES = [{"paper": "ldm-2014", "table": 2, "methods": ["svm", "ldm"]}]
RUNS = {"kind": "runs", "text": "?", "param": "seed", "statistic": "accuracy", "low": 0, "high": 9}

BROKEN = [
    ({"state": "data=mons"}, '"state": "data=mons"', "mons"),
    ({"reveal": {"state": "data=moons&svm.C=-1"}}, "svm.C=-1", "C must"),
    ({"state": "data=moons&view.split=half"}, "view.split", "view.split must be one of"),
    ({"keep": ["ldm.lambda1", "ldm.lambda9"]}, "ldm.lambda9", "there is no control 'ldm.lambda9'"),
    ({"views": ["boundary", "film"]}, "film", "film"),
    ({"question": CHOICE | {"answer": 2}}, '"answer"', "there is no such option"),
    ({"question": CHOICE | {"code": "alert(1)"}}, '"question"', "steps.1.question"),
    ({"question": CURVE | {"method": "odm"}}, '"odm"', "the reveal does not show 'odm'"),
    ({"question": CURVE | {"axis": [1, 0]}}, '"axis"', "the first end must be the smaller one"),
    ({"question": RUNS | {"param": "n"}}, '"param"', "neither seed nor a parameter"),
    ({"question": RUNS | {"low": 10}}, '"low"', "smaller than high"),
    ({"formula": "\\frac"}, '"formula"', "this LaTeX cannot be read"),
    ({"formula": "\\unheard x"}, '"formula"', r"\unheard is unknown"),
    ({"formula": "\\text{<script>alert(1)</script>}"}, '"formula"', "this LaTeX cannot be read"),
    ({"formula": "\\text{<b>}"}, '"formula"', "this LaTeX cannot be read"),
    ({"views": ["papers"]}, '"views"', "papers and tables go together"),
    ({"tables": TABLES}, '"tables"', "papers and tables go together"),
    ({"views": ["papers"], "tables": [TABLES[0] | {"table": 9}]}, '"tables"', "'9' does not exist"),
    ({"views": ["papers"], "tables": [TABLES[0] | {"methods": ["svn"]}]}, '"tables"', "Did you mean 'svm'?"),
    ({"script": "alert(1)"}, '"title": "One"', "script"),
]


@pytest.mark.parametrize(("change", "at", "reason"), BROKEN)
def test_a_broken_lesson_is_refused_with_its_line_and_reason(change: dict[str, Any], at: str, reason: str) -> None:
    broken = text(**change)
    with pytest.raises(BadLesson) as refused:
        read_lesson(broken)
    assert reason in refused.value.reason
    lines = broken.splitlines()
    near = "\n".join(lines[refused.value.line - 1 : refused.value.line + 1])  # the object's brace, or the value itself
    assert at in near


def test_what_is_no_json_is_refused_at_its_line() -> None:
    with pytest.raises(BadLesson, match="this is not JSON") as refused:
        read_lesson('{\n "format": "margin-lab-lesson",\n "steps": [,]\n}')
    assert refused.value.line == 3
    for nonsense in ("", "NaN", "[" * 100_000, '{"a": NaN}'):
        with pytest.raises(BadLesson, match="not JSON"):
            read_lesson(nonsense)


def test_a_text_beyond_all_lessons_is_refused_unread() -> None:
    with pytest.raises(BadLesson, match="at most 256 kB"):
        read_lesson(" " * (LARGEST + 1))


def test_what_may_be_left_out_is_filled_in_for_the_browser() -> None:
    (step,) = read_lesson(text(formula="w^2", question=CURVE)).shown()["steps"]
    assert step["views"] == ["boundary", "cumulative"]
    assert step["keep"] == step["text"] == step["reveal"]["text"] == []
    assert step["formula"].startswith("<math")


def test_the_papers_tables_are_those_of_the_page_of_results() -> None:
    """Each number in the lecture is in RESULTS.md, line by line."""
    page = (Path(__file__).parents[1] / "RESULTS.md").read_text(encoding="utf-8")
    (step,) = read_lesson(text(views=["papers"], tables=TABLES)).shown()["steps"]
    own = page[page.index("### Table 2: accuracy, regular scale, linear kernel") :]
    shown = step["papers"]
    for row in shown["rows"]:
        for label, cell in zip(("SVM", "LDM"), row["cells"], strict=True):
            line = f"| {row['name']} | {label} | {cell['ours']} | {cell['splits']} | {cell['printed']} |"
            assert line in own
    for met in shown["met"]:
        part = page[page.index(f"## {met['source']}") :]
        assert re.search(r"(\d+) of (\d+) means lie within", part).groups() == (str(met["met"]), str(met["of"]))  # type: ignore[union-attr]


def test_the_papers_tables_are_taken_away_as_they_are_shown() -> None:
    (step,) = read_lesson(text(views=["papers"], tables=TABLES)).shown()["steps"]
    table, page = step["papers"]["files"]
    rows = list(csv.DictReader(io.StringIO(table["text"].removeprefix("\ufeff"))))
    cells = [(row["name"].rstrip("*"), cell) for row in step["papers"]["rows"] for cell in row["cells"] if cell]
    assert len(rows) == len(cells)
    for row, (name, cell) in zip(rows, cells, strict=True):
        assert (row["data set"], f"{row['splits']} of {row['wanted']}") == (name, cell["splits"])
        for figure, key in ((cell["ours"], ""), (cell["printed"], "printed ")):
            numbers = [float(part) for part in figure.split(" ± ")] if figure else []
            assert [float(row[key + part]) for part in ("mean", "deviation") if row[key + part]] == numbers
        assert row["within two printed deviations"] == ("" if cell["within"] is None else str(cell["within"]))
    assert tables_html(step["papers"]) in page["text"]


def test_where_nothing_was_run_again_the_tables_say_so() -> None:
    rerun = [TableReport(made.protocol, {}, {}, 0) for made in published().tables]
    shown = shown_tables(TABLES, Results((), tuple(rerun)))
    assert shown["head"] == "None of these tables has been rerun."
    assert shown["files"] == []


def test_the_hand_out_has_the_papers_tables_and_what_to_try() -> None:
    lesson = find_lesson("margins")
    page = handout(lesson, notes=False)
    last = lesson.shown()["steps"][-1]
    for row in last["papers"]["rows"]:
        for cell in filter(None, row["cells"]):
            assert f"<b>{cell['ours']}" in page
            assert f"<br>{cell['printed']}</td>" in page
    assert last["reveal"]["try"][0] in page


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@given(values, st.randoms())
def test_the_line_of_a_path_is_where_its_value_stands(value: Any, random: Any) -> None:
    """In JSON with one line per value, the value of any path starts on the line that is found."""
    written = json.dumps(value, indent=1)
    path: list[str | int] = []
    at = value
    while isinstance(at, dict | list) and at:
        part = random.choice(sorted(at)) if isinstance(at, dict) else random.randrange(len(at))
        path.append(part)
        at = at[part]
    line = written.splitlines()[line_of(written, path) - 1]
    assert json.dumps(at, indent=1).splitlines()[0] in line


def test_lessons_are_found_by_name_and_in_a_folder_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lesson_names()[0] == "margins"
    assert set(lesson_names()) >= {"margins", "lambda", "imbalanced", "online"}
    (tmp_path / "mine.json").write_text(text(), encoding="utf-8")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    (tmp_path / "no name.json").write_text(text(), encoding="utf-8")
    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert find_lesson("mine").title == "T"
    with pytest.raises(BadLesson, match="Line 1"):
        find_lesson("broken")
    for outside in ("no name", "../margins", "", "nothing"):
        with pytest.raises(NoLesson):
            find_lesson(outside)


def test_shipped_lessons_differ_before_and_after_and_have_notes_for_the_lecture() -> None:
    for path in SHIPPED.glob("*.json"):
        lesson = find_lesson(path.stem)
        assert all(before != after for before, after in map(lesson.states, range(1, len(lesson.steps) + 1)))
    assert all(step.get("notes") and step.get("question") for step in find_lesson("margins").steps)


def test_a_step_that_omits_a_key_is_drawn_as_it_is_checked() -> None:
    header, _ = decode(answer(Request(STATE), None, STAGE_PAGES["lecture"])[0])
    assert header["query"] == Experiment.from_query(STATE).to_query()
