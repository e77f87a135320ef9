"""`python -m mdcore tables` as a person uses it: run, stop, go on, run elsewhere; and what it says of bad input."""

from __future__ import annotations

import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import psutil
import pytest

from benchmarks.kills import run_disturbed, run_in_peace
from mdcore.__main__ import main
from mdcore.commands.tables import INTERRUPTED
from mdcore.papers.store import Store
from tests.local_cluster import local_cluster

SMALL = ["--paper", "mcodm-2017", "--table", "2", "--datasets", "iris", "--methods", "ova,mcsvm", "--splits", "4"]
# Cells that take a moment each: a run of them is long enough to be disturbed.
LARGER = ["--paper", "mcodm-2017", "--table", "2", "--datasets", "wine", "--methods", "ova,mcsvm", "--splits", "8"]


def tables(*arguments: str | Path) -> int:
    return main(["tables", *map(str, arguments)])


def standing(path: Path) -> tuple[int, int, int]:
    """Cells, those done, attempts."""
    with Store(path) as store:
        (row,) = store.rows(
            "SELECT count(*) AS n, total(state = 'done') AS done, total(attempts) AS attempts FROM cell"
        )
    return row["n"], row["done"], row["attempts"]


@pytest.fixture(scope="module")
def in_peace(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The larger table of an undisturbed run."""
    return run_in_peace(tmp_path_factory.mktemp("peace"), LARGER)


def test_a_table_is_printed_beside_the_papers_and_not_computed_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--store", tmp_path / "a.db", "--jobs", "2"]
    assert tables(*SMALL, *where, "--export", tmp_path / "a.csv") == 0
    first = capsys.readouterr()
    assert "iris" in first.out
    assert "84.70 ± 5.00" in first.out
    assert first.out.count("4 of 4") == 2
    assert "ovaSVM" in first.out
    assert "8 of 8 cells" in first.err
    assert tables(*SMALL, *where, "--export", tmp_path / "b.csv") == 0
    assert capsys.readouterr().out == first.out
    assert standing(tmp_path / "a.db") == (8, 8, 8)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    table = pd.read_csv(tmp_path / "a.csv")
    assert list(table["splits"]) == [4, 4]
    assert (table["printed_mean"] == [84.7, 82.0]).all()

    assert tables(*SMALL, *where, "--export", tmp_path / "cells.parquet") == 0
    assert len(pd.read_parquet(tmp_path / "cells.parquet")) == 8
    for ending, sign in (("md", "| iris |"), ("tex", r"\begin{tabular}")):
        assert tables(*SMALL, *where, "--export", tmp_path / f"a.{ending}") == 0
        assert sign in (tmp_path / f"a.{ending}").read_text(encoding="utf-8")


def test_one_number_is_reproduced_from_its_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.db"
    assert tables(*SMALL[:-1], "1", "--store", path, "--jobs", "1") == 0
    with Store(path) as store:
        cell = store.rows("SELECT id FROM cell")[0]["id"]
    capsys.readouterr()
    assert tables("--store", path, "--reproduce", cell[:10]) == 0
    assert "The same, to the last digit" in capsys.readouterr().out
    with Store(path) as store, store.writing() as db:
        db.execute("UPDATE result SET digest = 'another'")
    assert tables("--store", path, "--reproduce", cell[:10]) == 1
    assert "Not the same" in capsys.readouterr().out
    assert tables("--store", path, "--reproduce", "nothing") == 2


def test_ctrl_c_says_what_to_type_and_the_same_command_goes_on(tmp_path: Path, in_peace: bytes) -> None:
    path = tmp_path / "store.db"
    files = ["--store", str(path), "--export", str(tmp_path / "table.csv"), "--jobs", "1"]
    command = [sys.executable, "-m", "mdcore", "tables", *LARGER, *files]
    runner = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    until(lambda: path.exists() and standing(path)[1] >= 1)
    workers = psutil.Process(runner.pid).children()
    runner.send_signal(signal.SIGINT)
    _, said = runner.communicate()
    assert runner.returncode == INTERRUPTED
    assert "To go on:\n  python -m mdcore tables" in said
    assert str(path) in said
    assert not [worker for worker in workers if worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE]
    cells, done, attempts = standing(path)
    assert 1 <= done < cells
    assert attempts == done  # what was put down counts as not begun
    assert tables(*LARGER, *files) == 0
    assert standing(path) == (cells, cells, cells)
    assert (tmp_path / "table.csv").read_bytes() == in_peace


@pytest.mark.parametrize("where", ["here", "cluster"])
def test_cells_of_other_code_end_the_run_with_a_word_and_lose_nothing(
    where: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """As if the solvers had been edited between the plan and the work."""
    path = tmp_path / "a.db"
    engine = ["--jobs", "1"] if where == "here" else ["--dask", request.getfixturevalue("cluster")[0]]
    with monkeypatch.context() as before:
        before.setattr("mdcore.papers.cells.code_of", lambda table, method: "of before")
        assert tables(*SMALL, "--store", path, *engine) == 2
    said = capsys.readouterr().err
    assert "The code that computes these cells has changed" in said
    assert "same command again" in said
    assert standing(path) == (8, 0, 0)
    with Store(path) as store:
        assert not store.rows("SELECT * FROM failure")
        assert not store.owners()


def test_a_store_that_cannot_grow_is_told_once_and_goes_on_when_it_can(tmp_path: Path) -> None:
    """A limit to the size of files stands in for a full disk."""
    path = tmp_path / "a.db"
    command = [sys.executable, "-m", "mdcore", "tables", *SMALL, "--store", str(path), "--jobs", "2"]
    limit = "import os, resource; resource.setrlimit(resource.RLIMIT_FSIZE, (300_000,) * 2); "
    limited = f"{limit}os.execv({command[0]!r}, {command!r})"
    ended = subprocess.run([sys.executable, "-c", limited], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert ended.stderr.count("cannot be used") == 1
    cells, done, _ = standing(path)
    assert done < cells
    assert tables(*SMALL, "--store", path, "--jobs", "1") == 0
    assert standing(path)[:2] == (cells, cells)


def test_kills_at_random_moments_lose_nothing_and_repeat_little(tmp_path: Path, in_peace: bytes) -> None:
    shown = run_disturbed(tmp_path, LARGER, in_peace, 4, 0.2, random.Random(1))
    assert shown.kills >= 2
    assert shown.holds, shown


def test_two_runners_share_one_store(tmp_path: Path, in_peace: bytes) -> None:
    files = ["--store", str(tmp_path / "a.db"), "--jobs", "1"]
    command = [sys.executable, "-m", "mdcore", "tables", *LARGER, *files]
    both = [
        subprocess.Popen([*command, "--export", str(tmp_path / f"{i}.csv")], stderr=subprocess.PIPE, text=True)
        for i in range(2)
    ]
    said = [runner.communicate()[1] for runner in both]
    assert [runner.returncode for runner in both] == [0, 0], said
    cells, done, attempts = standing(tmp_path / "a.db")
    assert cells == done == attempts
    assert all((tmp_path / f"{i}.csv").read_bytes() == in_peace for i in range(2))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[psutil.Popen]]]:
    with local_cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


def test_a_cluster_makes_the_same_table_though_a_worker_is_killed(
    tmp_path: Path, in_peace: bytes, cluster: tuple[str, list[psutil.Popen]]
) -> None:
    address, workers = cluster
    path = tmp_path / "a.db"
    command = [sys.executable, "-m", "mdcore", "tables", *LARGER, "--store", str(path), "--dask", address]
    runner = subprocess.Popen([*command, "--export", str(tmp_path / "a.csv")], stderr=subprocess.PIPE, text=True)
    until(lambda: runner.poll() is not None or (path.exists() and standing(path)[1] >= 3))
    workers[0].kill()
    _, said = runner.communicate()
    assert runner.returncode == 0, said
    cells, done, attempts = standing(path)
    assert cells == done
    assert attempts - cells <= 1
    assert (tmp_path / "a.csv").read_bytes() == in_peace


def test_no_cluster_at_the_address_is_said_and_loses_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdcore.cluster.CONNECT", 1)
    assert tables(*SMALL, "--store", tmp_path / "a.db", "--dask", "tcp://127.0.0.1:9") == 2
    said = capsys.readouterr().err
    assert "No cluster answers at tcp://127.0.0.1:9" in said
    assert "dask scheduler" in said
    assert standing(tmp_path / "a.db") == (8, 0, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--store FILE"),
        (["--store", "a.db"], "--paper ldm-2014 --table 3"),
        (["--store", "a.db", "--paper", "ldm", "--table", "3"], "Did you mean 'ldm-2014'"),
        (["--store", "a.db", "--paper", "ldm-2014", "--table", "7"], "There are: 2, 3, 4"),
        (["--store", "a.db", "--paper", "ldm-2014", "--table", "3", "--datasets", "wdbk"], "Did you mean 'wdbc'"),
        (["--store", "a.db", "--paper", "ldm-2014", "--table", "3", "--methods", "ldmm"], "Did you mean 'ldm'"),
        (["--store", "a.db", "--paper", "ldm-2014", "--table", "3", "--datasets", "sonar"], "MARGIN_LAB_DATA"),
        ([*SMALL, "--store", "a.db", "--jobs", "0"], "must be 1 or more"),
        ([*SMALL, "--store", "no/such/a.db"], "folder that exists"),
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
    assert "60 rows for 862" in capsys.readouterr().out
    with Store(path) as store, store.writing() as db:
        cell = db.execute("SELECT id FROM cell").fetchone()[0]
        db.execute("UPDATE cell SET fingerprint = 'of before' WHERE id = ?", (cell,))
    assert tables("--store", path, "--reproduce", cell) == 2
    assert re.search("fourclass: the data have changed since", capsys.readouterr().err)


def until(condition: object, seconds: float = 120.0) -> None:
    """Wait for what must become true; the limit only keeps a broken run from hanging."""
    end = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < end, "it never became true"
        time.sleep(0.02)
