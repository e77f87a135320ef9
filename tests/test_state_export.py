"""Exports of a picture agree with the screen: the exported code prints the same numbers."""

from __future__ import annotations

import csv
import io
import math
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from mdcore import Experiment, sweep
from mdcore.experiment.run import Run
from mdcore.export.state import figures_page, margins_csv, state_notebook, state_script
from mdcore.export.sweep import picture_of, sweep_recipe
from mdcore.margins.distribution import STATISTICS
from mdcore.serving.stage.files import FILES
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from tests.executing import executed
from tests.test_own import content, query, source
from tests.waiting import PATIENCE

ROOT = Path(__file__).parents[1]
QUERY = "data=moons&n=80&noise=0.3&seed=2&gamma=1&methods=svm,ldm,msvmav&edits=m_3_0.5_0.25~f_4"


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    return Experiment.from_query(QUERY).run()


def check(printed: str, runs: dict[str, Run]) -> None:
    """Assert that every number on screen is among the printed ones, to 1e-9."""
    found = {
        tuple(words[:3]): float(words[3])
        for words in (line.split() for line in printed.splitlines())
        if len(words) == 4
    }
    expected = {
        (key, part, name): getattr(getattr(run, part), name)
        for key, run in runs.items()
        for part in ("train", "test")
        for name in STATISTICS
    }
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        assert found[key] == pytest.approx(value, abs=1e-9)


@pytest.mark.process
def test_the_script_prints_the_numbers_on_screen_and_writes_the_figures(runs: dict[str, Run], tmp_path: Path) -> None:
    (tmp_path / "picture.py").write_text(state_script(Experiment.from_query(QUERY), [*runs]), encoding="utf-8")
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "ignore", "picture.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    check(done.stdout, runs)
    assert (tmp_path / "histogram.html").stat().st_size > 1000
    assert (tmp_path / "cumulative.html").stat().st_size > 1000


@pytest.mark.process
def test_the_notebook_runs_and_prints_the_same(
    runs: dict[str, Run], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.reads(state_notebook(Experiment.from_query(QUERY), [*runs], "A sentence."), as_version=4)
    nbformat.validate(notebook)
    NotebookClient(notebook, timeout=int(PATIENCE), resources={"metadata": {"path": str(tmp_path)}}).execute()
    printed = "".join(
        output["text"]
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if output.get("name") == "stdout"
    )
    check(printed, runs)
    drawn = [output["data"] for cell in notebook.cells[-2:] for output in cell["outputs"]]
    assert len(drawn) == 2


def test_the_table_holds_every_margin_in_full(runs: dict[str, Run]) -> None:
    rows = list(csv.DictReader(io.StringIO(margins_csv(runs))))
    for run in runs.values():
        for part in ("train", "test"):
            own = [float(row[f"{run.name} margin (geometric)"]) for row in rows if row["part"] == part]
            assert own == getattr(run, part).values.tolist()


def test_the_interactive_page_needs_nothing_from_elsewhere(runs: dict[str, Run]) -> None:
    page = figures_page(runs, "A < B")
    assert page.count("plotly-graph-div") >= 2 + len(runs)
    assert "A &lt; B" in page
    assert 'src="http' not in page


def test_a_sweep_over_ones_own_table_is_computed_again_from_its_file(tmp_path: Path) -> None:
    (tmp_path / "patients.csv").write_bytes(content())
    own = source()
    asked = sweep.Sweep(Experiment.from_query(query(own), [own]), (sweep.Axis("svm.C", (1.0, 10.0)),))
    table = sweep.run(asked)
    figure, code = picture_of(table, "curves", "train.mean", "svm")
    assert figure.data
    printed = executed(sweep_recipe(table, code).script(), tmp_path)
    records = [eval(line, {"nan": math.nan, "inf": math.inf}) for line in printed.splitlines()]
    assert len(records) == len(list(table.records())) == 4
    for record, expected in zip(records, table.records(), strict=True):
        for name in set(record) - {"seconds"}:
            same = record[name] == expected[name] or record[name] == pytest.approx(
                expected[name], rel=0, abs=1e-9, nan_ok=True
            )
            assert same, name


@pytest.mark.parametrize("name", FILES)
def test_a_session_gives_the_files_of_its_own_table_and_nobody_else_has_them(name: str) -> None:
    own = source()
    header, _ = decode(answer(Request(query(own), own=(own,), file=name), None)[0])
    assert header["file"]["name"] == name
    assert len(header["file"]["text"]) > 300
    elsewhere, _ = decode(answer(Request(query(own), file=name), None)[0])
    assert "file" not in elsewhere
    assert "exists only in the session" in elsewhere["error"]["message"]
