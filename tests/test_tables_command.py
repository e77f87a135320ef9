"""`python -m mdcore tables` in use: run, stop, resume, run elsewhere; and its messages about bad input."""

from __future__ import annotations

import io
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import psutil
import pytest

from benchmarks.killed_workers import run_disturbed
from mdcore.__main__ import main
from mdcore.commands import INTERRUPTED
from mdcore.papers.store import Store
from tests.full_disk import full_disk
from tests.local_cluster import local_cluster
from tests.waiting import until

# Cells that take a moment each, so that a run is long enough to be interrupted.
TABLE = ["--paper", "mcodm-2017", "--table", "2", "--datasets", "wine", "--methods", "ova,mcsvm", "--splits", "8"]
CELLS = 16


def tables(*arguments: str | Path) -> int:
    return main(["tables", *map(str, arguments)])


def standing(path: Path) -> tuple[int, int, int]:
    """Return the numbers of cells, completed cells and attempts."""
    with Store(path) as store:
        (row,) = store.rows(
            "SELECT count(*) AS n, total(state = 'done') AS done, total(attempts) AS attempts FROM cell"
        )
    return row["n"], row["done"], row["attempts"]


class Run(NamedTuple):
    """The files and the output of a run."""

    store: Path
    table: bytes
    out: str
    err: str


@pytest.fixture(scope="module")
def in_peace(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return an undisturbed run."""
    folder, out, err = tmp_path_factory.mktemp("peace"), io.StringIO(), io.StringIO()
    store, table = folder / "a.db", folder / "a.csv"
    with redirect_stdout(out), redirect_stderr(err):
        assert tables(*TABLE, "--store", store, "--export", table, "--jobs", "2") == 0
    return Run(store, table.read_bytes(), out.getvalue(), err.getvalue())


@pytest.fixture
def finished(in_peace: Run, tmp_path: Path) -> Path:
    """Return a copy of its store to resume."""
    return shutil.copy(in_peace.store, tmp_path / "a.db")


@contextmanager
def runner(*arguments: str | Path) -> Iterator[Future[int]]:
    """Start a runner in a thread, as its workers are processes anyway."""
    with ThreadPoolExecutor(1) as thread:
        yield thread.submit(tables, *arguments)


@pytest.mark.process
def test_a_table_is_printed_beside_the_papers_and_not_computed_twice(
    in_peace: Run, finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "wine" in in_peace.out
    assert "97.00 ± 2.40" in in_peace.out
    assert in_peace.out.count("8 of 8") == 2
    assert "ovaSVM" in in_peace.out
    assert "16 of 16 cells" in in_peace.err
    assert standing(finished) == (CELLS, CELLS, CELLS)
    where = ["--store", finished, "--jobs", "2"]
    assert tables(*TABLE, *where, "--export", tmp_path / "b.csv") == 0
    assert capsys.readouterr().out == in_peace.out
    assert standing(finished) == (CELLS, CELLS, CELLS)
    assert (tmp_path / "b.csv").read_bytes() == in_peace.table
    table = pd.read_csv(tmp_path / "b.csv")
    assert list(table["splits"]) == [8, 8]
    assert (table["printed_mean"] == [96.5, 97.0]).all()

    assert tables(*TABLE, *where, "--export", tmp_path / "cells.parquet") == 0
    assert len(pd.read_parquet(tmp_path / "cells.parquet")) == CELLS
    for ending, sign in (("md", "| wine |"), ("tex", r"\begin{tabular}")):
        assert tables(*TABLE, *where, "--export", tmp_path / f"a.{ending}") == 0
        assert sign in (tmp_path / f"a.{ending}").read_text(encoding="utf-8")


def test_one_number_is_reproduced_from_its_row(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store(finished) as store:
        cell = store.rows("SELECT id FROM cell")[0]["id"]
    assert tables("--store", finished, "--reproduce", cell[:10]) == 0
    assert "Identical, to the last digit" in capsys.readouterr().out
    with Store(finished) as store, store.writing() as db:
        db.execute("UPDATE result SET digest = 'another'")
    assert tables("--store", finished, "--reproduce", cell[:10]) == 1
    assert "Not identical" in capsys.readouterr().out
    assert tables("--store", finished, "--reproduce", "nothing") == 2


@pytest.mark.process
def test_ctrl_c_says_what_to_type_and_the_same_command_goes_on(tmp_path: Path, in_peace: Run) -> None:
    path = tmp_path / "store.db"
    files = ["--store", str(path), "--export", str(tmp_path / "table.csv"), "--jobs", "1"]
    command = [sys.executable, "-m", "mdcore", "tables", *TABLE, *files]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until(lambda: path.exists() and standing(path)[1] >= 1)
    workers = psutil.Process(process.pid).children()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == INTERRUPTED
    assert "To continue:\n  python -m mdcore tables" in said
    assert str(path) in said
    assert not [worker for worker in workers if worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE]
    cells, done, attempts = standing(path)
    assert 1 <= done < cells
    assert attempts == done  # released cells count as not started
    assert tables(*TABLE, *files) == 0
    assert standing(path) == (cells, cells, cells)
    assert (tmp_path / "table.csv").read_bytes() == in_peace.table


@pytest.mark.process
def test_a_store_that_cannot_grow_is_told_once_and_goes_on_when_it_can(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.db"
    with full_disk(300_000):
        assert tables(*TABLE, "--store", path, "--jobs", "2") == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
    assert said.count("cannot be used") == 1
    cells, done, _ = standing(path)
    assert done < cells
    assert tables(*TABLE, "--store", path, "--jobs", "1") == 0
    assert standing(path)[:2] == (cells, cells)


@pytest.mark.process
def test_kills_at_random_moments_lose_nothing_and_repeat_little(tmp_path: Path, in_peace: Run) -> None:
    shown = run_disturbed(tmp_path, TABLE, in_peace.table, 4, 0.2, random.Random(1))
    assert shown.kills >= 2
    assert shown.holds, shown


@pytest.mark.process
def test_two_runners_share_one_store(tmp_path: Path, in_peace: Run) -> None:
    files = [tmp_path / "0.csv", tmp_path / "1.csv"]
    command = [*TABLE, "--store", tmp_path / "a.db", "--jobs", "1", "--export"]
    with runner(*command, files[0]) as one, runner(*command, files[1]) as other:
        assert (one.result(), other.result()) == (0, 0)
    cells, done, attempts = standing(tmp_path / "a.db")
    assert cells == done == attempts
    assert all(file.read_bytes() == in_peace.table for file in files)


def test_no_cluster_at_the_address_is_said_and_loses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdcore.cluster.CONNECT_TIMEOUT", 1)
    assert tables(*TABLE, "--store", tmp_path / "a.db", "--dask", "tcp://127.0.0.1:9") == 2
    said = capsys.readouterr().err
    assert "No cluster answers at tcp://127.0.0.1:9" in said
    assert "dask scheduler" in said
    assert standing(tmp_path / "a.db") == (CELLS, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--store FILE"),
        (["--store", "a.db"], "--paper ldm-2014 --table 3"),
        (["--store", "a.db", "--paper", "ldm", "--table", "3"], "Did you mean 'ldm-2014'"),
        (["--store", "a.db", "--paper", "ldm-2014", "--table", "7"], "Available: 2, 3, 4"),
        (["--store", "a.db", "--paper", "ldm-2014", "--table", "3", "--datasets", "wdbk"], "Did you mean 'wdbc'"),
        (["--store", "a.db", "--paper", "ldm-2014", "--table", "3", "--methods", "ldmm"], "Did you mean 'ldm'"),
        (["--store", "a.db", "--paper", "ldm-2014", "--table", "3", "--datasets", "sonar"], "MARGIN_LAB_DATA"),
        ([*TABLE, "--store", "a.db", "--jobs", "0"], "must be 1 or more"),
        ([*TABLE, "--store", "no/such/a.db"], "existing, writable folder"),
    ],
)
@pytest.mark.filterwarnings("ignore:A network error occurred")
def test_bad_input_is_told_in_one_message(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MARGIN_LAB_DATA", raising=False)
    assert tables(*arguments) == 2
    message = capsys.readouterr().err
    assert message.startswith("mdcore tables: ")
    assert said in message
    assert "Traceback" not in message


@pytest.mark.process
def test_data_that_changed_since_are_named_and_the_next_run_takes_them_as_they_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    rng = random.Random(3)
    lines = [f"{rng.random():.4f},{rng.random():.4f},{label}" for label in ("a", "b") * 30]
    (folder / "fourclass.csv").write_text("\n".join(["u,v,target", *lines]), encoding="utf-8")
    monkeypatch.setenv("MARGIN_LAB_DATA", str(folder))
    asked = ["--paper", "ldm-2014", "--table", "2", "--datasets", "fourclass", "--methods", "mamc", "--splits", "2"]
    path = tmp_path / "a.db"
    assert tables(*asked, "--store", path, "--jobs", "1") == 0
    assert "60 rows instead of 862" in capsys.readouterr().out
    with Store(path) as store, store.writing() as db:
        cell = db.execute("SELECT id FROM cell").fetchone()[0]
        db.execute("UPDATE cell SET fingerprint = 'of before' WHERE id = ?", (cell,))
    assert tables("--store", path, "--reproduce", cell) == 2
    assert re.search("fourclass: the data have changed since", capsys.readouterr().err)


# The tests of the cluster come last, so that it exists only for them.


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[psutil.Popen]]]:
    with local_cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.mark.process
def test_a_cluster_makes_the_same_table_though_a_worker_is_killed(
    tmp_path: Path, in_peace: Run, cluster: tuple[str, list[psutil.Popen]]
) -> None:
    address, workers = cluster
    path = tmp_path / "a.db"
    with runner(*TABLE, "--store", path, "--dask", address, "--export", tmp_path / "a.csv") as run:
        until(lambda: run.done() or (path.exists() and standing(path)[1] >= 3))
        workers[0].kill()
        assert run.result() == 0
    cells, done, attempts = standing(path)
    assert cells == done
    assert attempts - cells <= 1
    assert (tmp_path / "a.csv").read_bytes() == in_peace.table


@pytest.mark.process
@pytest.mark.parametrize("where", ["here", "cluster"])
def test_cells_of_other_code_end_the_run_with_a_word_and_lose_nothing(
    where: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """This happens if the solvers are edited between planning and working."""
    path = tmp_path / "a.db"
    engine = ["--jobs", "1"] if where == "here" else ["--dask", request.getfixturevalue("cluster")[0]]
    with monkeypatch.context() as before:
        before.setattr("mdcore.papers.cells.code_of", lambda table, method: "of before")
        assert tables(*TABLE, "--store", path, *engine) == 2
    said = capsys.readouterr().err
    assert "The code that computes these cells has changed" in said
    assert "same command again" in said
    assert standing(path) == (CELLS, 0, 0)
    with Store(path) as store:
        assert not store.rows("SELECT * FROM failure")
        assert not store.owners()
