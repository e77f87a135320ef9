"""The store: a cell has one owner at a time, the first result is kept, and other files are refused."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest

from mdcore.basics.source_code import ROOT, digest, plain_code
from mdcore.export.paper_tables import cell_records
from mdcore.papers import store, store_file
from mdcore.papers.cells import Cell, cells_of
from mdcore.papers.code import CodeChanged, check_code, code_of, modules_of
from mdcore.papers.cost import cost_of
from mdcore.papers.evaluation import CellOutcome, Task, pack
from mdcore.papers.protocol import protocol, tables_of
from mdcore.papers.report import report
from mdcore.papers.run_plan import RunPlan, TableRequest, plan_run
from mdcore.papers.sets import Rows, rows_of
from mdcore.papers.store import Store
from mdcore.papers.store_file import APPLICATION, SCHEMAS, StoreProblem
from mdcore.papers.views import margin_band, splits_of

TABLE = protocol("mcodm-2017", 2)
SETS = {"iris": rows_of(TABLE.set("iris"))}


def outcome(value: float = 0.9, margin: float = 1.0) -> CellOutcome:
    margins = pack(np.full(4, margin))
    return CellOutcome(value, {"C": 1}, 0.0, True, 0.5, 1.5, 56, 120, 30, 1.0, margins, margins)


@pytest.fixture
def planned(tmp_path: Path) -> Iterator[tuple[Store, str]]:
    cells = cells_of(TABLE, SETS, ["ova", "mcsvm"], 3)
    with Store(tmp_path / "a.db") as opened:
        yield opened, entered(opened, cells)


def entered(opened: Store, cells: Sequence[Cell], sets: Mapping[str, Rows] = SETS) -> str:
    """Enter a run with these cells, and return its name."""
    methods = tuple(dict.fromkeys(cell.task.method for cell in cells))
    plan = RunPlan(TableRequest(TABLE.paper, TABLE.table, tuple(sets), methods, None), sets, tuple(cells))
    opened.enter(plan)
    return plan.run


def test_cells_are_given_out_once_split_after_split(planned: tuple[Store, str]) -> None:
    opened, run = planned
    claims = [opened.claim(run, f"h/{i}/0") for i in range(7)]
    assert claims.pop() is None
    tasks = [claim.task for claim in claims if claim]
    assert len({(task.method, task.split) for task in tasks}) == 6
    assert [task.split for task in tasks] == sorted(task.split for task in tasks)


def test_many_at_a_time_never_share_a_cell_nor_see_a_locked_store(planned: tuple[Store, str]) -> None:
    opened, run = planned
    taken: list[str] = []
    problems: list[Exception] = []

    def work(number: int) -> None:
        try:
            with Store(opened.path) as own:
                while (claim := own.claim(run, f"h/{number}/0")) is not None:
                    taken.append(claim.id)
                    own.finish(claim.id, outcome())
        except StoreProblem as problem:
            problems.append(problem)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems
    assert len(taken) == len(set(taken)) == 6
    assert opened.standing(run).done == 6


def test_planning_again_adds_nothing_and_loses_nothing(planned: tuple[Store, str]) -> None:
    opened, run = planned
    claim = opened.claim(run, "h/1/0")
    assert claim is not None
    opened.finish(claim.id, outcome())
    before = opened.standing(run)
    assert entered(opened, cells_of(TABLE, SETS, ["ova", "mcsvm"], 3)) == run
    assert opened.standing(run) == before


def test_planning_again_leaves_a_cancelled_run_cancelled(planned: tuple[Store, str]) -> None:
    opened, run = planned
    opened.cancel(run)
    entered(opened, cells_of(TABLE, SETS, ["ova", "mcsvm"], 3))
    assert opened.standing(run).cancelled
    opened.resume(run, retry=False)
    assert not opened.standing(run).cancelled


def test_a_view_writes_nothing_and_needs_no_file(planned: tuple[Store, str], tmp_path: Path) -> None:
    opened, run = planned
    with Store.view(opened.path) as looked:
        assert looked.standing(run).total == 6
        with pytest.raises(StoreProblem, match="readonly"):
            looked.cancel(run)
    with Store.view(tmp_path / "no" / "file.db") as empty:
        assert empty.runs() == []
    assert not (tmp_path / "no").exists()


def test_a_run_that_was_never_entered_shows_the_cells_that_others_have_finished(planned: tuple[Store, str]) -> None:
    opened, run = planned
    claim = opened.claim(run, "h/1/0")
    assert claim is not None
    opened.finish(claim.id, outcome())
    more = plan_run(TableRequest(TABLE.paper, TABLE.table, ("iris",), ("ova", "mcsvm"), 4), SETS)
    with Store.view(opened.path) as looked:
        made = report(looked, TABLE, more)
        assert looked.standing(more.run).total == 0
    assert {(entry.n, entry.wanted) for entry in made.in_order} == {(1, 4), (0, 4)}


def test_the_first_result_stands_and_another_one_is_shown(planned: tuple[Store, str]) -> None:
    opened, run = planned
    claim = opened.claim(run, "h/1/0")
    assert claim is not None
    assert opened.finish(claim.id, outcome(0.9))
    assert not opened.finish(claim.id, outcome(0.9))
    assert report(opened, TABLE).entries["iris", claim.task.method].nondeterministic == 0
    assert not opened.finish(claim.id, replace(outcome(0.9, margin=1.5), seconds=9.0))
    entry = report(opened, TABLE).entries["iris", claim.task.method]
    assert entry.nondeterministic == 1
    assert entry.values == {0: 90.0}


def test_times_are_no_part_of_what_a_result_is() -> None:
    assert outcome().digest == replace(outcome(), seconds=7.0, selection_seconds=8.0).digest
    assert outcome().digest != outcome(margin=1.0 + 1e-6).digest


def test_a_cell_whose_lease_has_ended_is_given_out_again(
    planned: tuple[Store, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened, run = planned
    first = opened.claim(run, "h/1/0")
    assert first is not None
    now = store._now()
    monkeypatch.setattr(store, "_now", lambda: now + store.LEASE + 1)
    *_, again = (opened.claim(run, "h/2/0") for _ in range(6))
    assert again is not None
    assert again.id == first.id
    assert opened.standing(run).attempts == 7


def test_a_sign_of_life_keeps_a_cell(planned: tuple[Store, str], monkeypatch: pytest.MonkeyPatch) -> None:
    opened, run = planned
    first = opened.claim(run, "h/1/0")
    now = store._now()
    monkeypatch.setattr(store, "_now", lambda: now + 0.9 * store.LEASE)
    opened.renew("h/1/0")
    monkeypatch.setattr(store, "_now", lambda: now + 1.5 * store.LEASE)
    other = opened.claim(run, "h/2/0")
    assert first is not None
    assert other is not None
    assert other.id != first.id


def test_a_cell_that_kills_its_workers_is_given_up_and_can_be_tried_again(tmp_path: Path) -> None:
    with Store(tmp_path / "a.db") as opened:
        run = entered(opened, cells_of(TABLE, SETS, ["ova"], 1))
        for _ in range(store.MOST_ATTEMPTS):
            assert opened.claim(run, "h/1/0") is not None
            opened.release_dead("h/1/0", "signal 9")
        assert opened.standing(run).failed == 1
        (reason,) = next(f.failures for f in report(opened, TABLE).entries.values() if f.failures)
        assert "signal 9" in reason
        opened.resume(run, retry=False)
        assert opened.standing(run).failed == 1
        opened.resume(run, retry=True)
        assert opened.standing(run).failed == 0


def test_a_cell_whose_worker_died_waits_until_the_others_have_been_begun(planned: tuple[Store, str]) -> None:
    """A cell whose worker is killed goes to the end of the queue."""
    opened, run = planned
    begun = []
    for _ in range(7):
        claim = opened.claim(run, "h/1/0")
        assert claim is not None
        begun.append(claim.id)
        opened.release_dead("h/1/0", "signal 9")
    assert len(set(begun)) == 6
    assert begun[6] == begun[0]


def test_what_is_given_back_counts_as_not_begun(planned: tuple[Store, str]) -> None:
    opened, run = planned
    opened.claim(run, "h/1/0")
    opened.release("h/1/0")
    assert opened.standing(run).attempts == 0
    assert opened.claimable(run) == 6


def test_a_cells_identity_depends_on_split_method_data_and_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def identities() -> set[str]:
        return {cell.id for cell in cells_of(TABLE, SETS, ["ova", "mcsvm"], 2)}

    before = identities()
    assert len(before) == 4
    other = replace(SETS["iris"], fingerprint="another")
    assert before.isdisjoint(cell.id for cell in cells_of(TABLE, {"iris": other}, ["ova", "mcsvm"], 2))
    monkeypatch.setattr("mdcore.papers.cells.code_of", lambda table, method: "another")
    assert before.isdisjoint(identities())


def test_pictures_and_records_have_the_cells_of_their_figure_and_no_others(tmp_path: Path) -> None:
    of_now = cells_of(TABLE, SETS, ["ova"], 2)
    before = [replace(cell, id=f"{cell.id}-old", fingerprint="old") for cell in of_now[:1]]
    older = {"iris": replace(SETS["iris"], fingerprint="old")}
    with Store(tmp_path / "a.db") as opened:
        for sets, cells, value, margin in ((older, before, 0.5, 5.0), (SETS, of_now, 0.9, 1.0)):
            entered(opened, cells, sets)
            for cell in cells:
                opened.finish(cell.id, outcome(value, margin))
        found = report(opened, TABLE)
        assert found.others == 1
        assert found.entries["iris", "ova"].mean == pytest.approx(90.0)
        assert [split["value"] for split in splits_of(opened, found, "iris", "ova")] == [0.9, 0.9]
        assert {record["cell"] for record in cell_records(opened, found)} == {cell.id for cell in of_now}
        band = margin_band(opened, found, "iris", "ova", "test")
        assert band is not None
        assert band.x.max() == 1.0
        later = [replace(cell, id=f"{cell.id}-new", conditions="{}") for cell in of_now]
        entered(opened, later)
        assert report(opened, TABLE).entries["iris", "ova"].n == 2


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of the store that is later at every look."""
    clock = count(1)
    monkeypatch.setattr(store, "_now", lambda: float(next(clock)))


@pytest.mark.usefixtures("ticking")
def test_a_complete_rerun_with_other_code_replaces_the_figure(tmp_path: Path) -> None:
    first = cells_of(TABLE, SETS, ["ova"], 2)
    second = [replace(cell, id=f"{cell.id}-new", code="new") for cell in first]
    with Store(tmp_path / "a.db") as opened:

        def shown() -> set[str]:
            return set(report(opened, TABLE).entries["iris", "ova"].cells)

        for cells in (first, second):
            entered(opened, cells)
        for cell in (*first, second[0]):
            opened.finish(cell.id, outcome())
        assert shown() == {cell.id for cell in first}
        opened.finish(second[1].id, outcome())
        assert shown() == {cell.id for cell in second}


@pytest.mark.usefixtures("ticking")
def test_of_complete_versions_the_one_finished_last_is_shown_whichever_was_planned_first(tmp_path: Path) -> None:
    first = cells_of(TABLE, SETS, ["ova"], 1)
    second = [replace(cell, id=f"{cell.id}-new", code="new") for cell in first]
    with Store(tmp_path / "a.db") as opened:
        for cells in (first, second):
            entered(opened, cells)
        opened.fail(first[0].id, "the first reason", "h/1/0")
        opened.fail(second[0].id, "the second reason", "h/1/0")
        assert report(opened, TABLE).entries["iris", "ova"].failures == ("the second reason",)
        opened.finish(second[0].id, outcome(0.5))
        opened.finish(first[0].id, outcome(0.9))
        assert report(opened, TABLE).entries["iris", "ova"].mean == pytest.approx(90.0)


@pytest.mark.parametrize("written", ["x = 2\n", "x = ("])
def test_code_that_changes_under_a_process_is_seen(
    written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The changed file may be complete or only partly written."""
    file = tmp_path / "solver.py"
    monkeypatch.setattr("mdcore.papers.code.modules_of", lambda table, method: [file])
    file.write_text("x = 1\n", encoding="utf-8")
    task = Task("mcodm-2017", 2, "iris", "ova", 0)
    planned = code_of(TABLE, TABLE.method("ova"))
    check_code(task, planned)
    file.write_text("x = 1  # of course\n", encoding="utf-8")
    check_code(task, planned)
    file.write_text(written, encoding="utf-8")
    with pytest.raises(CodeChanged):
        check_code(task, planned)


def test_comments_and_docstrings_are_no_code(tmp_path: Path) -> None:
    found = []
    for text in ('"""Says one thing."""\nx = 1  # so\n', '"""Says another."""\nx = 1\n', "x = 2\n"):
        (tmp_path / "a.py").write_text(text, encoding="utf-8")
        found.append(digest([tmp_path / "a.py"]))
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize(
    ("described", "plain"),
    [
        ('"""A module."""\nx = 1\n', "x = 1\n"),
        ('"""A module."""\n', ""),
        ('def f():\n    """Return 1."""\n    return 1\n', "def f():\n    return 1\n"),
        ('class A(ValueError):\n    """An error."""\n', "class A(ValueError):\n    pass\n"),
        ('class A:\n    x: int\n    """An attribute."""\n    y: int\n', "class A:\n    x: int\n    y: int\n"),
        ('async def f():\n    "Short"\n    return 1\n', "async def f():\n    return 1\n"),
    ],
)
def test_a_docstring_added_or_removed_leaves_the_code_the_same(described: str, plain: str, tmp_path: Path) -> None:
    for name, text in (("described.py", described), ("plain.py", plain)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert plain_code(tmp_path / "described.py") == plain_code(tmp_path / "plain.py")


def test_texts_for_people_are_no_code_and_names_are(tmp_path: Path) -> None:
    texts = ('raise ValueError("C is wrong.")', 'raise ValueError("C must be more than 0.")', 'raise ValueError("C")')
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.py").write_text(text, encoding="utf-8")
    first, second, third = (plain_code(tmp_path / f"{number}.py") for number in range(3))
    assert first == second != third


@pytest.mark.parametrize(
    ("paper", "method", "has", "has_not"),
    [
        (
            "ldm-2014",
            "ldm",
            {"solvers/ldm.py", "solvers/hinge_grid.py", "papers/hinge.py", "data/preparation.py"},
            {"solvers/odm.py"},
        ),
        (
            "ldm-2014",
            "mamc",
            {"solvers/threshold.py", "methods/kernel_machine.py"},
            {"solvers/ldm.py", "papers/hinge.py"},
        ),
        ("mcodm-2017", "mcodm", {"solvers/mcodm.py", "papers/selection.py"}, {"solvers/mdo.py"}),
        ("pumma-2009", "pumma", {"solvers/pumma.py", "experiment/race.py"}, {"papers/selection.py", "solvers/ldm.py"}),
        ("pumma-2009", "largest", {"solvers/largest_margin.py", "experiment/race.py"}, {"solvers/pumma.py"}),
    ],
)
def test_a_result_depends_on_the_code_that_computes_it_and_no_other(
    paper: str, method: str, has: set[str], has_not: set[str]
) -> None:
    table = protocol(paper, tables_of(paper)[0])
    found = {path.relative_to(ROOT).as_posix() for path in modules_of(table, table.method(method))}
    assert has <= found
    assert not has_not & found
    assert {"papers/evaluation.py", "data/splitting.py", "solvers/budget.py"} <= found


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "theirs.db"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE things (x)")
    before = path.read_bytes()
    with pytest.raises(StoreProblem, match="another program"):
        Store(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be taken for one " * 40, encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(StoreProblem, match="another file for --store"):
        Store(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("version", "words"),
    [(len(SCHEMAS) + 1, "newer Margin Lab"), (-1, "its header is damaged"), (-(2**31), "its header is damaged")],
)
def test_a_store_of_a_version_that_is_not_known_is_refused(tmp_path: Path, version: int, words: str) -> None:
    Store(tmp_path / "a.db").close()
    with sqlite3.connect(tmp_path / "a.db") as other:
        other.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(StoreProblem, match=words):
        Store(tmp_path / "a.db")


def test_a_store_of_the_version_before_opens_and_goes_on(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "a.db") as written:
        written.executescript(Path(__file__).with_name("store_of_version_3.sql").read_text(encoding="utf-8"))
    with Store(tmp_path / "a.db") as opened:
        ((run, request, owners),) = opened.runs()
        assert (request.datasets, request.methods, owners) == (("iris",), ("ova", "mcsvm"), frozenset())
        assert opened.standing(run).done == 1
        found = report(opened, TABLE)
        assert found.entries["iris", "ova"].mean == pytest.approx(100 * 23 / 30)
        assert margin_band(opened, found, "iris", "ova", "test") is not None
        assert cost_of(opened, cells_of(TABLE, SETS, ["ova"], 1)).seconds is not None
        assert opened.claim(entered(opened, cells_of(TABLE, SETS, ["ova"], 1)), "h/1/0") is not None


def test_an_older_store_is_migrated_with_all_it_has(
    planned: tuple[Store, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    opened, run = planned
    before = opened.standing(run)
    opened.close()
    monkeypatch.setattr(store_file, "SCHEMAS", (*SCHEMAS, "next.sql"))
    real = store_file._statements
    monkeypatch.setattr(
        store_file,
        "_statements",
        lambda name: ["ALTER TABLE run ADD COLUMN note TEXT"] if name == "next.sql" else real(name),
    )
    with Store(opened.path) as migrated:
        assert migrated.standing(run) == before
        assert migrated.rows("SELECT note FROM run")[0]["note"] is None
        assert migrated.rows("PRAGMA user_version")[0][0] == len(SCHEMAS) + 1
        assert migrated.rows("PRAGMA application_id")[0][0] == APPLICATION


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (sqlite3.SQLITE_BUSY, "same command again"),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, "same command again"),
        (sqlite3.SQLITE_FULL, "Free some disk space"),
        (sqlite3.SQLITE_IOERR_LOCK, "network disk"),
        (sqlite3.SQLITE_READONLY, "writable folder"),
        (sqlite3.SQLITE_CORRUPT, "damaged"),
    ],
)
def test_an_error_of_sqlite_becomes_what_to_do(planned: tuple[Store, str], code: int, advice: str) -> None:
    opened, _ = planned
    error = sqlite3.OperationalError("in whatever words")
    error.sqlite_errorcode = code
    with pytest.raises(StoreProblem, match=advice), opened.writing():
        raise error


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreProblem, match="existing, writable folder"):
        Store(tmp_path / "no" / "a.db")


def test_a_store_that_asks_for_all_the_memory_is_refused_in_words(tmp_path: Path) -> None:
    """SQLite reports some damaged headers as lack of memory."""
    path = tmp_path / "store.db"
    with (
        Store(path) as store,
        pytest.raises(StoreProblem, match="more memory than is available"),
        store.writing(),
    ):
        raise MemoryError
