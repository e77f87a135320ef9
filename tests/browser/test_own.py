"""An uploaded table in a real browser: from Compare to the stage and back, and nowhere else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

from mdcore import Experiment
from mdcore.data import OwnSource, own_source, propose, read_table
from mdcore.serving.stage.project_file import packed
from tests.browser.conftest import Open, Visit
from tests.browser.forms import choose, one_chart, press_in_chart, rest
from tests.browser.stage import Stage, statistics

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

NAME = "patients.csv"
PROJECT = {"format": "margin-lab-project", "version": 1}
FEW = "2"  # splits of a comparison

MORE = re.compile("^More: ")


def content(n: int = 120, features: int = 2) -> bytes:
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.normal(size=(n, features)).round(3), columns=["age", "dose", "town"][:features])
    frame["ill"] = np.where(frame["age"] + frame["dose"] + rng.normal(0, 0.7, n) > 0, "yes", "no")
    frame.loc[rng.choice(n, n // 8, replace=False), "dose"] = np.nan
    if features > 2:
        frame["town"] = rng.choice(["north", "south", "west"], n)
    return frame.to_csv(index=False).encode()


def go(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).click()


def upload(page: Page, file: bytes, name: str = NAME) -> None:
    go(page, "Compare")
    page.get_by_role("radio", name="Your own").click()
    page.locator("input[type=file]").set_input_files({"name": name, "mimeType": "text/csv", "buffer": file})
    expect(page.get_by_text("Columns, classes, preparation")).to_be_visible()
    rest(page)
    split_few_times(page)


def split_few_times(page: Page) -> None:
    repeats = page.get_by_role("spinbutton", name="Splits", exact=True)
    repeats.fill(FEW)
    repeats.press("Enter")
    expect(repeats).to_have_value(FEW)
    rest(page)


def compare(page: Page) -> None:
    """Press Compare on default parameters, and wait for the new results while the old ones are still shown."""
    page.get_by_role("radio", name="default", exact=True).click()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text("Your choices have changed")).to_have_count(0)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    expect(page.get_by_role("button", name="Open on the stage")).to_be_visible()
    rest(page)


def open_stage(page: Page) -> Stage:
    page.get_by_role("button", name="Open on the stage").click()
    stage = Stage(page)
    stage.settle()
    expect(stage.choice("data")).to_have_value(re.compile("^own:"))
    return stage


def expected(stage: Stage, file: bytes) -> tuple[Experiment, dict[tuple[str, str, str], float]]:
    """Return the experiment in the URL, and its statistics, computed by the library on the same file."""
    experiment = Experiment.from_query(stage.query, [named(file, stage.settings["data"])])
    return experiment, statistics(experiment.run())


def named(file: bytes, key: str) -> OwnSource:
    table = read_table(file, NAME)
    return own_source(table, propose(table, "ill"), key)


def check_numbers(stage: Stage, file: bytes) -> Experiment:
    stage.settle()
    experiment, numbers = expected(stage, file)
    assert stage.numbers() == pytest.approx(numbers, rel=1e-9, abs=1e-9, nan_ok=True)
    return experiment


def test_from_compare_to_the_stage_and_back(visit: Visit) -> None:
    page, file = visit("data=moons&n=60&methods=svm,odm&gamma=1").page, content(features=3)  # one of them words
    upload(page, file)
    compare(page)
    stage = open_stage(page)
    experiment = check_numbers(stage, file)
    assert experiment.methods == ("svm", "odm")
    expect(stage.root.get_by_text(f"{NAME}: 120 rows, 3 columns, target ill")).to_be_visible()
    stage.type_number("svm.C", "3")
    page.wait_for_function("location.search.includes('svm.C=3&')")
    assert check_numbers(stage, file).settings("svm")["C"] == 3
    stage.type_number("test", "0.4")
    page.wait_for_function("location.search.includes('test=0.4&')")
    check_numbers(stage, file)
    numbers = stage.numbers()
    go(page, "Methods")
    go(page, "Playground")
    stage.settle()
    assert stage.numbers() == numbers
    stage.button("Compare on repeated splits").click()
    page.get_by_text(MORE).click()
    expect(page.get_by_text("SVM: C = 3.")).to_be_visible()
    expect(page.get_by_text("40 % of the rows for testing")).to_be_visible()
    expect(page.get_by_role("radio", name="Your own")).to_be_checked()
    compare(page)
    check_numbers(open_stage(page), file)


@pytest.fixture
def opened(visit: Visit, tmp_path: Path) -> Stage:
    """Open a table on the stage by its project file."""
    stage = visit("data=moons&n=60&methods=svm,odm&gamma=1")
    own = named(content(), "own:" + "A" * 22)
    experiment = Experiment.from_query(f"data={own.key}&methods=svm,odm&gamma=scale&scaling=standard", [own])
    saved = tmp_path / "margin-lab.json"
    saved.write_text(
        json.dumps(PROJECT | {"query": experiment.to_query(), "table": packed(experiment.data, own)}), encoding="utf-8"
    )
    open_project(stage, saved)
    expect(stage.choice("data")).to_have_value(own.key)
    stage.settle()
    return stage


def test_points_of_a_table_are_edited_like_others(opened: Stage) -> None:
    stage, page, file = opened, opened.page, content()
    stage.take_tool("Add example of class yes")
    stage.click(stage.at(stage.panel("svm"), 0.3, 0.4))
    page.wait_for_function("location.search.includes('edits=a_')")
    assert len(check_numbers(stage, file).prepare().train) == 84 + 1
    stage.clear_edits()
    assert len(check_numbers(stage, file).prepare().train) == 84


def test_nobody_else_reaches_the_table_by_its_address(opened: Stage, visit: Visit) -> None:
    stage, file = opened, content()
    other = visit(stage.query.removeprefix("?"))
    expect(other.root).to_have_attribute("data-error", re.compile("exists only in the session that loaded it"))
    expect(other.root.get_by_role("alert")).to_contain_text("Load the file under Compare, or open the project file")
    assert other.settings["data"] == "moons"
    for text in ("patients", "dose"):
        assert text not in other.page.content()
    other.type_number("svm.C", "2")  # the stage continues with its current state
    other.check_numbers()
    check_numbers(stage, file)
    stage.button("Copy the URL of this state").click()
    expect(stage.root.get_by_role("alert")).to_contain_text("save the project file (Export)")


def test_after_a_reload_it_says_where_to_load_the_table_again(opened: Stage) -> None:
    stage = opened
    stage.page.reload()
    expect(stage.root.get_by_role("alert")).to_contain_text("Load the file under Compare")
    stage.settle()
    stage.type_number("svm.C", "2")
    stage.check_numbers()
    expect(stage.root.get_by_role("alert")).to_be_hidden()


def test_a_project_file_brings_the_table_to_another_session(visit: Visit, tmp_path: Path) -> None:
    page, file = visit("data=moons&n=60&methods=svm,odm&gamma=1").page, content(features=3)
    upload(page, file)
    page.get_by_text("Columns, classes, preparation").click()
    choose(page, "Missing values", "drop")
    expect(page.get_by_text("105 rows, 3 columns")).to_be_visible()
    rest(page)
    compare(page)
    stage = open_stage(page)
    stage.type_number("svm.C", "3")
    page.wait_for_function("location.search.includes('svm.C=3&')")
    stage.settle()
    numbers = stage.numbers()
    with page.expect_download() as download:
        stage.button("Export").click()
        stage.button("Project file (JSON)").click()
    saved = tmp_path / "margin-lab.json"
    download.value.save_as(saved)
    assert parse_qs(json.loads(saved.read_text())["query"])["svm.C"] == ["3"]

    other = visit()
    open_project(other, saved)
    expect(other.choice("data")).to_have_value(stage.settings["data"])
    other.settle()
    assert other.numbers() == numbers
    other.button("Compare on repeated splits").click()
    expect(other.page.get_by_text("105 rows, 3 columns")).to_be_visible()
    other.page.get_by_text(MORE).click()
    expect(other.page.get_by_text("SVM: C = 3.")).to_be_visible()
    other.page.get_by_text("Columns, classes, preparation").click()
    expect(other.page.get_by_role("combobox", name=re.compile("Missing values"))).to_have_value(re.compile("drop"))
    expect(other.page.get_by_role("button", name="Compare", exact=True)).to_be_enabled()


def open_project(stage: Stage, file: Path) -> None:
    stage.button("Export").click()
    with stage.page.expect_file_chooser() as chooser:
        stage.button("Open a project file …").click()
    chooser.value.set_files(file)


def test_a_damaged_project_file_is_explained_and_changes_nothing(visit: Visit, tmp_path: Path) -> None:
    stage = visit("data=moons&n=60&methods=svm&gamma=1")
    numbers = stage.numbers()
    table = {"key": "own:AAAAAAAAAAAAAAAAAAAAAA", "name": NAME, "content": "!", "options": {}, "choices": {}}
    saved = tmp_path / "damaged.json"
    query = "data=own%3AAAAAAAAAAAAAAAAAAAAAAA"
    saved.write_text(json.dumps(PROJECT | {"query": query, "table": table}))
    open_project(stage, saved)
    expect(stage.root.get_by_role("alert")).to_contain_text("project file: It is damaged: the table's content")
    stage.settle()
    assert stage.numbers() == numbers
    assert stage.settings["data"] == "moons"


def test_sensitivity_sweeps_over_the_table_and_leads_to_the_stage(opened: Stage) -> None:
    page, file = opened.page, content()
    go(page, "Sensitivity")
    one_chart(page)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    rest(page)
    choose(page, "source", f"Your table: {NAME}")
    page.wait_for_function("location.search.includes('data=own')")
    rest(page)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    rest(page)
    press_in_chart(page, page.locator(".js-plotly-plot .scatterlayer .trace").last.locator(".point").nth(20))
    page.get_by_role("button", name=re.compile("Open the stage at")).click()
    stage = Stage(page)
    stage.settle()
    assert check_numbers(stage, file).methods == ("svm", "ldm")


def test_reading_that_is_called_off_says_so_and_leaves_room_for_another_file(open_page: Open, tmp_path: Path) -> None:
    page = open_page("compare")
    page.get_by_role("radio", name="Your own").click()
    rest(page)
    uploader = page.locator("input[type=file]")
    large = tmp_path / "large.csv"
    large.write_bytes(b"age,dose,ill\n" + 4_000_000 * b"12.25,-3.125,yes\n0.5,17.875,no\n")
    uploader.set_input_files(large)
    expect(page.get_by_text("Reading large.csv: ")).to_be_visible()
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(page.get_by_text("Reading large.csv was cancelled, and nothing was kept.")).to_be_visible()
    expect(page.get_by_test_id("stFileUploaderFile")).to_have_count(0)
    expect(uploader).to_have_count(1)  # the emptied field has taken the place of the other
    uploader.set_input_files({"name": NAME, "mimeType": "text/csv", "buffer": content()})
    expect(page.get_by_text("Columns, classes, preparation")).to_be_visible()
    expect(page.get_by_text("was cancelled")).to_have_count(0)
