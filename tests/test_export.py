"""Exports: scripts that print the same numbers, tables that are safe in spreadsheets, self-contained reports."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from plotly import io as pio
from sklearn.preprocessing import StandardScaler

from mdcore import Experiment, load_dataset
from mdcore.data import Choices, Table, own_source, propose, read_table, table_of
from mdcore.export import DataCode, csv_file, experiment_code, report, script, tables, tables_archive
from mdcore.figures import confusion_figure, figure_html
from mdcore.serving.comparisons.sample import Sample, sample_of_experiment, sample_of_table
from mdcore.study import (
    Candidate,
    Comparison,
    Plan,
    Within,
    board,
    compare,
    data_of,
    differences,
    first_plan,
    numbers,
    summary,
)
from mdcore.study.tables import majority_row
from tests.executing import executed

ROOT = Path(__file__).parents[1]
EXPERIMENT = Experiment.from_query("data=moons&n=80&noise=0.3&seed=2&gamma=1&test=0.25&edits=d_3")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    data = data_of(EXPERIMENT)
    plan = Plan(
        (Candidate.tuned("svm"), Candidate.fixed("ldm", C=np.inf, lambda1=0.5), Candidate.fixed("linearldm")),
        repeats=3,
        test=0.25,
        seed=2,
        kernel=EXPERIMENT.kernel,
        widths=(0.25, 1.0),
    )
    return compare(data.X, data.y, data.preparation, plan)


def printed_elsewhere(code: str, folder: Path) -> str:
    """Return the output of a script, run outside the tests, with warnings visible."""
    (folder / "again.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "again.py"]
    environment = {"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.process
def test_the_script_prints_the_numbers_of_the_comparison(comparison: Comparison, tmp_path: Path) -> None:
    text = printed_elsewhere(script(comparison, experiment_code(EXPERIMENT)), tmp_path)
    assert text == numbers(comparison) + "\n"
    assert f"accuracy={comparison.spread('svm', 'accuracy').mean:.10g}, accuracy_sd=" in text


@pytest.mark.process
def test_the_script_of_a_search_chooses_and_prints_the_same_again(tmp_path: Path) -> None:
    data = data_of(EXPERIMENT)
    keys = ("svm", "odm", "msvmav", "neighbours")
    plan = first_plan(data.y, methods=keys, references=False, repeats=2, kernel=EXPERIMENT.kernel)
    found = compare(data.X, data.y, data.preparation, plan)
    assert plan.tuning == "equal"
    assert all(result.tried > 1 for result in found.outcomes)
    assert printed_elsewhere(script(found, experiment_code(EXPERIMENT)), tmp_path) == numbers(found) + "\n"


def test_the_script_of_several_classes_prints_its_numbers_and_the_report_names_what_was_fitted(tmp_path: Path) -> None:
    experiment = Experiment.from_query("data=iris&several=one-versus-rest")
    data = data_of(experiment)
    candidates = (Candidate.fixed("ldm"), Candidate.fixed("mcsvm"))
    plan = Plan(candidates, repeats=2, kernel=experiment.kernel, several=experiment.several)
    found = compare(data.X, data.y, data.preparation, plan)
    text = executed(script(found, experiment_code(experiment)), tmp_path)
    assert text == numbers(found) + "\n"
    assert "method=ldm, name=LDM, one-versus-rest, " in text
    page = report(found, "Iris", (), experiment_code(experiment), "geometric", range(len(data.y)))
    assert "<td>LDM, one-versus-rest</td>" in page
    files = tables(found, "geometric", range(len(data.y)))
    assert "LDM, one-versus-rest" in files["scores.csv"]
    assert len(files["confusion.csv"].splitlines()) == 1 + 2 * 9


def table_of_people() -> Table:
    rng = np.random.default_rng(0)
    lines = ["Name;Größe;Gewicht;Sport"]
    for i in range(60):
        sport = rng.choice(["=SUM(A1)", "keiner"])
        size = 1.6 + 0.2 * (sport == "keiner") + 0.1 * rng.standard_normal()
        weight = "" if i % 9 == 0 else f"{60 + 5 * rng.standard_normal():.1f}".replace(".", ",")
        lines.append(f"{'ABC'[i % 3]};{size:.2f};{weight};{sport}".replace(".", ","))
    return read_table("\n".join(lines).encode("latin-1"), "leute.csv")


def sample_of(table: Table, choices: Choices) -> Sample:
    return sample_of_table(own_source(table, choices), choices)


def test_the_script_of_a_file_reads_it_with_every_choice(tmp_path: Path) -> None:
    table = table_of_people()
    sample = sample_of(table, propose(table, "Sport"))
    plan = Plan((Candidate.fixed("svm"), Candidate.fixed("odm")), repeats=2, positive=sample.positive)
    found = compare(sample.data.X, sample.data.y, sample.data.preparation, plan)
    content = ";".join(table.frame.columns) + "\n"
    content += "\n".join(
        ";".join("" if cell != cell else str(cell).replace(".", ",") for cell in row) for row in table.frame.to_numpy()
    )
    (tmp_path / "leute.csv").write_bytes(content.encode("latin-1"))
    assert executed(script(found, sample.code), tmp_path) == numbers(found) + "\n"


def test_the_code_for_a_table_of_the_catalogue_makes_the_same_rows() -> None:
    table = table_of(load_dataset("wine", keep="class_0,class_2"), (("keep", "class_0,class_2"),))
    sample = sample_of(table, replace(propose(table), scaling="unit"))
    made: dict[str, Any] = {}
    exec("\n".join([*sample.code.imports, *sample.code.lines]), made)
    assert made["X"].equals(sample.data.X)
    assert np.array_equal(made["y"], sample.data.y)
    assert str(made["preparation"]) == str(sample.data.preparation)


# Tables


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_tables_hold_the_exact_numbers(comparison: Comparison) -> None:
    files = {name: read(text) for name, text in tables(comparison, "geometric", range(79)).items()}
    for row, expected in zip(files["scores.csv"], [*summary(comparison), majority_row(comparison)], strict=True):
        assert float(row["accuracy"]) == expected["accuracy"]
    assert len(files["splits.csv"]) == 9
    (first,) = [r for r in files["splits.csv"] if r["method"] == "ldm" and r["split"] == "1"]
    assert float(first["auc"]) == comparison.of("ldm")[0].scores["auc"]
    first_test = differences(comparison, "accuracy")[0]
    assert float(files["differences.csv"][0]["p_corrected"]) == first_test.corrected.p
    assert float(files["differences.csv"][0]["p_holm"]) == first_test.adjusted
    assert [row["method"] for row in files["leaderboard.csv"] if row["score"] == "auc"] == [
        line.key for line in board(comparison, "auc").lines
    ]
    assert sum(int(row["times tested"]) for row in files["examples.csv"]) == 3 * 20
    assert sum(int(row["count"]) for row in files["confusion.csv"]) == 3 * 3 * 20


def test_no_cell_of_a_table_runs_as_a_formula() -> None:
    table = table_of_people()
    sample = sample_of(table, propose(table, "Sport"))
    found = compare(sample.data.X, sample.data.y, sample.data.preparation, Plan((Candidate.fixed("svm"),), repeats=2))
    for text in tables(found, "geometric", sample.rows).values():
        for row in csv.reader(io.StringIO(text)):
            for cell in row:
                assert not cell.startswith(("=", "+", "@", "\t", "\r"))
                assert not cell.startswith("-") or float(cell) < 0
    assert "'=SUM(A1)" in tables(found, "geometric", sample.rows)["examples.csv"]


def test_a_table_as_a_file_is_guarded_and_marked_as_utf_8() -> None:
    made = csv_file([{"λ₁": 0.1 + 0.2, "=by": "=1+1", "gap": float("nan")}, {"λ₁": -1.5, "=by": "−", "gap": None}])
    assert made == "\ufeffλ₁,'=by,gap\r\n0.30000000000000004,'=1+1,\r\n-1.5,−,\r\n".encode()


def test_the_archive_holds_the_tables(comparison: Comparison) -> None:
    packed = tables_archive(comparison, "functional", range(79))
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        content = {name: archive.read(name).decode("utf-8-sig") for name in archive.namelist()}
    assert content == dict(tables(comparison, "functional", range(79)))
    assert packed == tables_archive(comparison, "functional", range(79))


# Report


class Outside(HTMLParser):
    """The URLs that a page would fetch, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.scripts = 0
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        names = {"src", "srcset", "data", "poster", "action"} | ({"href"} if tag == "link" else set())
        self.fetched += [f"{tag} {value}" for name, value in attrs if name in names]

    def handle_data(self, data: str) -> None:
        if self.lasttag not in ("script", "style"):
            self.words.append(data)


@pytest.fixture(scope="module")
def page(comparison: Comparison) -> str:
    sample = sample_of_experiment(EXPERIMENT)
    return report(comparison, "Moons <again> & more", sample.facts, sample.code, "geometric", sample.rows)


def test_the_report_needs_nothing_from_elsewhere(page: str) -> None:
    parser = Outside()
    parser.feed(page)
    assert parser.fetched == []
    assert page.count("plotly.js v") >= 1
    assert len(re.findall(r"<div[^>]+plotly-graph-div", page)) == 1 + 3
    assert "@import" not in page.split("</style>")[0]


def test_the_report_shows_the_numbers_choices_versions_seed_and_script(page: str, comparison: Comparison) -> None:
    parser = Outside()
    parser.feed(page)
    words = " ".join(parser.words)
    assert "Moons <again> & more" in words
    assert "seeds from 2" in words
    assert "edited by hand" in words
    assert "λ₁" in words, "the papers' symbols"
    assert "lambda1 = " not in words.partition("The same again")[0]
    for name, number in comparison.versions:
        assert name in words
        assert number in words
    assert script(comparison, experiment_code(EXPERIMENT)) in words
    best = summary(comparison)[0]
    assert f"{best['accuracy']:.3f} ± {best['accuracy_sd']:.3f}" in words


def test_a_figure_in_a_report_looks_the_same_wherever_it_is_made(
    comparison: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit sets a default template with placeholder colours, which only its pages replace."""
    looks = []
    for default in ("plotly_dark", "plotly"):
        monkeypatch.setattr(pio.templates, "default", default)
        text = figure_html(confusion_figure(comparison, "svm"))
        looks.append(re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "its id", text))
    assert looks[0] == looks[1]


def test_a_report_of_a_comparison_stopped_at_once_says_so(comparison: Comparison) -> None:
    nothing = Comparison.empty(comparison.plan, comparison.y, comparison.fingerprint)
    text = report(nothing, "Nothing", (), DataCode((), ()), "geometric", ())
    assert "Stopped before all splits were done" in text
    assert "No split was finished" in text


def test_a_report_on_large_data_says_on_how_many_rows_each_method_stands() -> None:
    data = load_dataset("imbalanced", n=200, seed=0)
    plan = Plan((Candidate("svm", within=Within(rows=50)), Candidate.fixed("linearldm")), repeats=2, nystroem=20)
    found = compare(data.X, data.y, StandardScaler(), plan)
    text = report(found, "Large", (), DataCode((), ()), "geometric", range(200))
    assert "a stratified sample of 50 of the 140 training rows of each split" in text
    assert "20 Nystroem features of the kernel" in text
