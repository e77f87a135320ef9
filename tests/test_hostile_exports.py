"""Hostile names stay plain text in exports of the stage, Sensitivity, Tables and lessons, and in notebooks."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import nbformat
import pytest

from mdcore import Experiment
from mdcore.data import DataProblem, OwnSource, own_source, propose, read_table
from mdcore.data.tables.writing import write_csv
from mdcore.experiment.run import Run
from mdcore.export import csv_file
from mdcore.export.paper_code import paper_table_recipe, table_page
from mdcore.export.paper_tables import FORMATS
from mdcore.export.script import comparison_recipe
from mdcore.export.state import figures_page, margins_csv, state_notebook, state_script
from mdcore.export.sweep import picture_of, sweep_recipe
from mdcore.narrative import sentence
from mdcore.papers.protocol import protocol
from mdcore.papers.store import Store
from mdcore.papers.table_report import TableEntry, TableReport
from mdcore.serving.comparisons.sample import sample_of_table
from mdcore.serving.lecture.handout import handout
from mdcore.serving.lecture.lesson import Lesson, read_lesson
from mdcore.serving.lecture.offline import offline_html
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.study import Candidate, Plan, compare
from mdcore.sweep import AT_ONCE, Axis, Sweep
from mdcore.sweep import run as run_sweep
from tests.test_hostile_names import CODE, FORMULA, MARKUP, TURNED, Tags

ZERO = "a\0b</script><script>attack()"
LONG = "<b onmouseover=attack()>" * 417  # some 10,000 characters
NAMES = (MARKUP, CODE, FORMULA, TURNED, LONG)


PAIRS = [(MARKUP, FORMULA), (CODE, LONG)]


@pytest.fixture(scope="module", params=PAIRS, ids=["markup and a formula", "code and ten thousand characters"])
def source(request: pytest.FixtureRequest) -> OwnSource:
    """Return a table with hostile names of file, columns, classes and levels."""
    one, other = request.param
    made = io.StringIO()
    writer = csv.writer(made)
    writer.writerow([one, TURNED, f"level of {other}", "target"])
    for i in range(48):
        numbers = (f"{(i * 37 % 48) / 7 + i % 2:.3f}", str(i * 11 % 17))
        writer.writerow([*numbers, (one, other)[i // 2 % 2], (one, other)[i % 2]])
    table = read_table(made.getvalue().encode(), f"{one}{ZERO}{other}.csv")
    return own_source(table, propose(table, "target"))


@pytest.fixture(scope="module")
def runs(source: OwnSource) -> dict[str, Run]:
    return experiment_on(source).run()


def experiment_on(source: OwnSource) -> Experiment:
    return Experiment.from_query(f"data={source.key}&methods=svm,ldm", (source,))


def is_harmless(page: str) -> None:
    """Assert that a page has only our own elements and handlers, and that scripts end where they should."""
    tags = Tags(page)
    assert not tags.elements & {"img", "b"}
    assert not {name for name in tags.attributes if name.startswith("on")}
    assert "</script><script>attack" not in page
    assert "</script></td>" not in page


def is_code_of_ours(code: str) -> None:
    tree = ast.parse(code)
    assert "attack" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def texts(found: Any) -> Iterator[str]:
    """Yield all strings in a decoded JSON value."""
    if isinstance(found, str):
        yield found
    elif isinstance(found, Mapping):
        yield from texts(list(found.items()))
    elif isinstance(found, Sequence):
        for each in found:
            yield from texts(each)


def no_formula(text: str) -> None:
    cells = [cell for row in csv.reader(io.StringIO(text.lstrip("\ufeff"))) for cell in row]
    assert cells
    assert not [cell for cell in cells if cell.startswith(("=", "@"))]


def test_what_the_stage_gives_away_holds_them_as_text(source: OwnSource, runs: dict[str, Run]) -> None:
    experiment = experiment_on(source)
    words = sentence(None, (experiment, runs))
    is_harmless(figures_page(runs, words))
    is_code_of_ours(state_script(experiment, [*runs]))
    no_formula(margins_csv(runs))


def test_a_notebook_holds_them_as_text(source: OwnSource, runs: dict[str, Run]) -> None:
    experiment = experiment_on(source)
    words = f"{source.table.name}: {sentence(None, (experiment, runs))}"
    made = nbformat.reads(state_notebook(experiment, [*runs], words), as_version=4)
    nbformat.validate(made)
    for cell in made.cells:
        if cell.cell_type == "code":
            is_code_of_ours(cell.source)
        else:
            assert not re.search(r"(?<!\\)<\w", cell.source), "a notebook draws markup in its words"


def test_a_comparisons_notebook_holds_them_as_text(source: OwnSource) -> None:
    sample = sample_of_table(source, source.choices)
    data = sample.data
    found = compare(data.X, data.y, data.preparation, Plan((Candidate.fixed("svm"),), repeats=2))
    recipe = comparison_recipe(found, sample.code, "accuracy")
    made = nbformat.reads(recipe.notebook(source.table.name), as_version=4)
    for cell in made.cells:
        if cell.cell_type == "code":
            is_code_of_ours(cell.source)
        else:
            assert not re.search(r"(?<!\\)<\w", cell.source), "a notebook draws markup in its words"
    is_code_of_ours(recipe.script())


def test_a_sweep_holds_them_as_text(source: OwnSource) -> None:
    table = run_sweep(Sweep(experiment_on(source), (Axis("svm.C", (0.1, 1.0)),)))
    _, code = picture_of(table, "curves", AT_ONCE[0], "svm")
    is_code_of_ours(sweep_recipe(table, code).script())
    no_formula(csv_file(list(table.records())).decode("utf-8-sig"))


def test_the_stages_message_holds_them_as_strings_of_json(source: OwnSource) -> None:
    header, _ = decode(answer(Request(f"data={source.key}&methods=svm", own=(source,)), None)[0])
    assert not header["error"]
    assert any(name in text for name in (MARKUP, CODE) for text in texts(header))


def test_a_table_for_a_spreadsheet_holds_no_formula() -> None:
    no_formula(write_csv(NAMES, [NAMES]))


@pytest.fixture(scope="module")
def lesson() -> Lesson:
    step = {
        "title": MARKUP,
        "text": [CODE, FORMULA, TURNED, LONG[:300]],
        "state": "data=moons&n=20&methods=mamc&kernel=linear",
        "notes": MARKUP,
        "reveal": {"state": "data=moons&n=20&methods=mamc&kernel=linear", "text": [MARKUP]},
        "question": {"kind": "choice", "text": MARKUP, "options": [MARKUP, CODE], "answer": 0},
    }
    content = {"format": "margin-lab-lesson", "version": 1, "title": MARKUP, "summary": CODE, "steps": [step]}
    return read_lesson(json.dumps(content))


@pytest.mark.parametrize("notes", [True, False])
def test_a_hand_out_holds_a_lessons_words_as_text(lesson: Lesson, notes: bool) -> None:
    page = handout(lesson, notes=notes)
    is_harmless(page)
    assert "img src" in page


def test_a_lesson_as_a_file_holds_its_words_as_text(lesson: Lesson) -> None:
    page = offline_html(lesson, lambda query: answer(Request(query), None)[0])
    is_harmless(page)


def paper_table(reason: str) -> TableReport:
    """Return a table with one set and one method, which failed for the given reason."""
    table = protocol("mcodm-2017", 2)
    key = ("iris", "ova")
    failed = TableEntry(*key, table.printed.get(key), (), 1, None, None, None, None, (reason,), 0, 0)
    return TableReport(table, {key: failed}, {}, 0)


@pytest.mark.parametrize("name", NAMES)
def test_a_papers_table_holds_them_as_text(name: str, tmp_path: Path) -> None:
    made = paper_table(f"{name}\n\\input{{secret}}\n| a | b |\n<script>attack()")
    comments = [line for line in FORMATS["tex"](made).splitlines() if "secret" in line]
    assert comments
    assert all(line.startswith("% ") for line in comments)
    markdown = FORMATS["md"](made)
    assert not re.search(r"(?<!\\)[<\[`$]", markdown)
    assert sum("|" in re.sub(r"\\.", "", line) for line in markdown.splitlines()) == 3  # head, rule, figure
    no_formula(FORMATS["csv"](made))
    with Store(tmp_path / "tables.db") as store:
        is_harmless(table_page(store, made))
    is_code_of_ours(paper_table_recipe(made, with_margins=False).script())


def test_a_table_with_a_zero_byte_is_refused_in_words() -> None:
    with pytest.raises(DataProblem, match=r"This file is not text: 1 of .* control characters"):
        read_table(f"{ZERO},target\n1,a\n2,b\n".encode(), "a.csv")
