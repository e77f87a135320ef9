"""The tables page: the cost of a run, and a run that several visitors watch, cancel, resume and inspect."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest
from streamlit.testing.v1 import AppTest

from mdcore.papers.owners import has_died, pid_of
from mdcore.papers.protocol import protocol
from mdcore.papers.published import published
from mdcore.papers.report import report
from mdcore.papers.run_plan import TableRequest, plan_run
from mdcore.papers.sets import rows_of
from mdcore.papers.store import Store
from mdcore.serving.jobs.pool import POOL
from mdcore.serving.jobs.settings import CLUSTER
from mdcore.ui.pages.tables import runner
from mdcore.ui.pages.tables.sections import SECTIONS
from tests.apptest import button, captions, page_of, press, shown, unexplained
from tests.waiting import until

ASKED = {"paper": "mcodm-2017", "table": "2", "datasets": "iris,wine", "methods": "ova,mcodm", "splits": "2"}


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    path = tmp_path / "tables.db"
    monkeypatch.setenv(runner.VARIABLE, str(path))
    monkeypatch.delenv("MARGIN_LAB_DATA", raising=False)
    monkeypatch.setattr(runner, "NICENESS", 0)  # with other tests running it would wait for all of them
    yield path
    for now in under_way():
        runner.cancel(now.run)
    until_quiet()


def under_way() -> tuple[runner.UnderWay, ...]:
    with Store.view(runner.store_path()) as looked:
        return runner.under_way(looked)


def opened(**asked: str) -> AppTest:
    page = page_of("tables")
    for name, value in (ASKED | asked).items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def until_quiet() -> None:
    until(lambda: not under_way() and POOL.load == (0, 0))


@pytest.mark.process
def test_it_says_what_a_run_costs_runs_it_and_shows_it_to_everybody(store: Path) -> None:
    page = opened(methods="ova,mcsvm")
    assert "8 cells to compute, 448 fits" in captions(page)
    assert "Until then, it shows the published results." in shown(page)
    assert list(page.dataframe[0].value["ours"]) == [
        entry.mean for entry in published().table("mcodm-2017", 2).part(("iris", "wine"), ("ova", "mcsvm")).in_order
    ]
    assert not store.exists()  # looking writes nothing
    press(page, "Run")
    other = opened(methods="ova,mcsvm")  # a second visitor, who has started nothing
    assert button(other, "Run").disabled
    until_quiet()
    for each in (page, other):
        each.run()
        assert not each.exception
        assert "All chosen cells are already computed." in captions(each)
        table = each.dataframe[0].value
        assert list(table["splits"]) == ["2 of 2"] * 4
        np.testing.assert_allclose(table["printed"], [84.7, 82.0, 96.5, 97.0])
        np.testing.assert_allclose(table["difference"], table["ours"] - table["printed"])
    with Store(store) as looked:
        made = report(looked, protocol("mcodm-2017", 2))
    assert table["ours"][1] == pytest.approx(made.entries["iris", "ova"].mean)
    more, less = opened(methods="ova,mcsvm", splits="3"), opened(methods="ova,mcsvm", splits="1")
    assert (more.button[0].label, less.button[0].label) == ("Run", "Done")
    assert list(more.dataframe[0].value["splits"]) == ["2 of 3"] * 4
    assert list(less.dataframe[0].value["splits"]) == ["1 of 1"] * 4
    for section in SECTIONS:
        page.segmented_control(key="tables section").set_value(section).run()
        assert not page.exception, section
        assert not unexplained(page), section
    assert "| iris |" in page.code[0].value


@pytest.mark.process
def test_a_run_is_cancelled_for_everybody_and_goes_on_where_it_was(store: Path) -> None:
    page = press(opened(), "Run")
    (busy,) = under_way()
    runner.cancel(busy.run)
    until_quiet()
    with Store(store) as looked:
        standing = looked.standing(busy.run)
    assert standing.cancelled
    assert standing.leased == 0
    assert not runner.problem(busy.run)
    page.run()
    press(page, "Run")
    assert [each.run for each in under_way()] == [busy.run]


@pytest.mark.process
def test_a_killed_worker_of_the_page_costs_one_cell_and_is_replaced(store: Path) -> None:
    page = press(opened(methods="ova,mcsvm"), "Run")
    (busy,) = under_way()

    def kill_one() -> bool:
        with Store.view(store) as looked, suppress(psutil.NoSuchProcess):
            for owner in looked.owners():
                if not has_died(owner):
                    psutil.Process(pid_of(owner)).kill()
                    return True
        return False

    until(kill_one)
    until_quiet()
    page.run()
    assert button(page, "Done").disabled
    with Store(store) as looked:
        standing = looked.standing(busy.run)
    assert standing.done == standing.total == 8
    assert standing.attempts <= 9
    assert not runner.problem(busy.run)


@pytest.mark.process
def test_run_tries_failed_cells_again(store: Path) -> None:
    table = protocol("mcodm-2017", 2)
    request = TableRequest("mcodm-2017", 2, ("iris",), ("ova",), 1)
    plan = plan_run(request, {"iris": rows_of(table.set("iris"))})
    with Store(store) as looked:
        looked.enter(plan)
        (cell,) = plan.cells
        looked.fail(cell.id, "a fault that has been mended", "h/1/0")
        assert looked.standing(plan.run).failed == 1
    page = opened(datasets="iris", methods="ova", splits="1")
    assert "1 cell to compute, 56 fits" in captions(page)
    press(page, "Run")
    until_quiet()
    page.run()
    assert button(page, "Done").disabled
    assert list(page.dataframe[0].value["splits"]) == ["1 of 1"]


@pytest.mark.process
def test_a_run_has_its_place_in_the_servers_pool_and_another_one_waits_behind_it() -> None:
    press(opened(), "Run")
    page = press(opened(datasets="iris", methods="ova"), "Run")
    first, second = under_way()
    assert (first.before, second.before) == (0, 1)
    assert POOL.load == (1, 1)
    progress = page.get("progress")[0].proto.text
    assert "Waiting for a free place: 1 ahead of this one" in progress
    assert "Under way on this server" in shown(page)
    runner.cancel(second.run)
    assert POOL.load == (1, 0)
    assert under_way() == (first,)


def test_a_run_that_ends_by_a_fault_says_why(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = opened(datasets="iris", methods="ova", splits="1")
    monkeypatch.setenv(CLUSTER, "nowhere://")
    press(page, "Run")
    until_quiet()
    page.run()
    assert "The run ended early" in shown(page)
    assert "No cluster answers at nowhere://" in shown(page)
    assert button(page, "Run")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"paper": "ldm2014"}, "Did you mean 'ldm-2014'"),
        ({"methods": "ovaa"}, "Did you mean 'ova'"),
        ({"splits": "many"}, "splits must be an integer"),
    ],
)
def test_an_address_that_cannot_be_used_says_why_and_the_page_stands(asked: dict[str, str], said: str) -> None:
    page = opened(**asked)
    assert said in shown(page)
    assert page.selectbox(key="tables paper").value


def test_no_more_splits_can_be_asked_for_than_the_paper_has() -> None:
    sets = protocol("mcodm-2017", 2).sets
    field = opened(splits="900").number_input(key="tables splits")
    assert field.value == field.max == max(sets["iris"].splits, sets["wine"].splits)


def test_a_store_of_another_program_is_said(store: Path) -> None:
    store.write_text("these are my notes " * 400, encoding="utf-8")
    page = page_of("tables").run()
    assert not page.exception
    assert "file of another program" in shown(page)
    store.unlink()
