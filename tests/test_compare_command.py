"""`python -m mdcore compare`: the answer as text, JSON and a report, with warnings of planted problems."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mdcore.__main__ import main
from mdcore.data import propose, read_table, select
from mdcore.study import answer as answer_of
from mdcore.study import board, compare, data_of_table, first_plan, fitting_score
from mdcore.study.plan import EFFORT
from mdcore.study.tables import leaderboard
from tests import planted

pytestmark = pytest.mark.usefixtures("few_trees")


def answer(folder: Path, content: bytes, *options: str, parameters: str = "default") -> dict[str, Any]:
    (folder / "table.csv").write_bytes(content)
    target = content.split(b"\n")[0].decode().rpartition(",")[2]
    given = [str(folder / "table.csv"), "--target", target, "--json", str(folder / "out.json")]
    assert main(["compare", *given, "--parameters", parameters, *options]) == 0
    found: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return found


def test_the_answer_is_that_of_the_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = planted.rare(0)
    found = answer(tmp_path, content, "--methods", "SVM, odm", "--repeats", "3")
    table = read_table(content, "table.csv")
    choices = propose(table, "part")
    chosen = select(table, choices)
    data = data_of_table(table, choices, chosen)
    plan = first_plan(data.y, methods=("svm", "odm"), tuning="none", repeats=3, positive=chosen.positive)
    comparison = compare(data.X, data.y, data.preparation, plan)
    score = fitting_score(data.y)
    assert score == "balanced_accuracy"
    assert found["headline"] == answer_of(comparison, score)
    assert "Balanced accuracy over 3 splits, untuned." in found["headline"]
    for record, expected in zip(found["leaderboard"], leaderboard(board(comparison, score)), strict=True):
        assert (record["method"], record["p_holm"]) == (expected["method"], expected["p_holm"])
    assert found["rows"] == 400
    assert list(found["methods"]) == ["svm", "odm", "logistic", "boosting", "forest", "neighbours"]
    assert found["parameters"] == "default"
    for key, method in found["methods"].items():
        values = comparison.score(key, "accuracy")
        assert method["accuracy"] == pytest.approx(np.mean(values))
        assert method["accuracy_sd"] == pytest.approx(np.std(values, ddof=1))
        assert {"balanced_accuracy", "balanced_accuracy_sd"} <= method.keys()
    assert found["majority"]["name"] == "always ‘ok’"
    assert found["majority"]["balanced_accuracy"] == 0.5
    one = next(d for d in found["differences"] if (d["first"], d["second"], d["score"]) == ("svm", "odm", "accuracy"))
    assert 0 <= one["p_plain"] <= one["p_corrected"] <= one["p_holm"] <= 1
    printed = capsys.readouterr().out
    assert found["headline"] in printed
    assert "always ‘ok’" in printed
    assert all(note in printed for note in found["notes"])


def test_the_report_of_a_tuned_comparison(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    found = answer(tmp_path, planted.doubled(1), "--repeats", "2", "--tune", "--methods", "svm", "--report", str(page))
    assert found["parameters"] == "tuned"
    assert all(0 < tried <= EFFORT for method in found["methods"].values() for tried in method["tried"])
    html = page.read_text()
    assert all(escape(part) in html for part in found["headline"].split(". "))
    gammas = {params["gamma"] for params in found["methods"]["svm"]["params"]}
    assert all(value > 0 for value in gammas)
    assert "Leak" not in " ".join(found["notes"])


def test_columns_positive_class_and_threshold_can_be_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few = ("--repeats", "2", "--methods", "svm", "--parameters", "default")
    found = answer(tmp_path, planted.grouped(0), "--drop", "patient", "--drop", "v3", "--positive", "ok", *few)
    assert (found["scheme"], found["positive"]) == ("random", "ok")
    assert "Left out: patient (category), v3 (numeric)." in found["notes"]
    (tmp_path / "table.csv").write_bytes(planted.doubled(0))
    asked = ["compare", str(tmp_path / "table.csv"), "--target", "weight", *few]
    assert main([*asked, "--threshold", "0.5"]) == 0
    assert "always ‘<= 0.5’" in capsys.readouterr().out


def test_rows_without_a_target_are_told(tmp_path: Path) -> None:
    header, *lines = planted.doubled(0).decode().splitlines()
    lines[3:5] = [f"{line.rpartition(',')[0]}," for line in lines[3:5]]
    found = answer(tmp_path, "\n".join([header, *lines]).encode(), "--repeats", "2", "--methods", "svm")
    assert found["rows"] == len(lines) - 2
    assert f"Left out: rows without a value in 'kind', 2 of {len(lines)}." in found["notes"]


# Planted problems are reported, and no others.


def test_groups_under_a_name_that_says_nothing_are_told_as_rows_of_one_source(tmp_path: Path) -> None:
    found = answer(tmp_path, planted.grouped(2, name="Aktenzeichen"), "--repeats", "4", "--methods", "ldm")
    (fact,) = [fact for fact in found["facts"] if fact["kind"] == "twins"]
    assert fact["prominent"]
    assert found["scheme"] == "random"


@pytest.mark.parametrize("seed", [0, 1])
def test_groups_are_kept_together_by_themselves_and_the_leak_is_told(tmp_path: Path, seed: int) -> None:
    found = answer(tmp_path, planted.grouped(seed, name="patient"), "--repeats", "4")
    notes = " ".join(found["notes"])
    assert found["scheme"] == "groups"
    assert "kept together by 'patient'" in notes
    assert "Leak: " in notes
    assert "30 groups; none is in both parts" in notes
    assert max(method["accuracy"] for method in found["methods"].values()) < 0.75
    assert "No method is shown to be better" in found["headline"]


@pytest.mark.parametrize(
    ("name", "times"),
    [
        ("day", ()),
        ("year", [1900 + j // 4 for j in range(400)]),
        ("created_at", [1577836800 + 3600 * j for j in range(400)]),
        ("month", [str(np.datetime64("2000-01") + j // 4) for j in range(400)]),
    ],
)
def test_drift_in_time_is_told_however_time_is_written(tmp_path: Path, name: str, times: list[object]) -> None:
    found = answer(tmp_path, planted.drifting(0, name=name, times=times), "--repeats", "4", "--methods", "ldm")
    notes = " ".join(found["notes"])
    assert "Drift: " in notes
    assert f"by {name!r}" in notes
    assert found["scheme"] == "random"


def test_copies_of_rows_are_told(tmp_path: Path) -> None:
    notes = " ".join(answer(tmp_path, planted.copied(0), "--repeats", "4")["notes"])
    assert "rows are equal to another row" in notes
    assert "with copies kept together" in notes


@pytest.mark.parametrize("content", [planted.ungrouped(0), planted.easy(0)], ids=["names that repeat", "easy classes"])
def test_clean_tables_raise_no_alarm(tmp_path: Path, content: bytes) -> None:
    found = answer(tmp_path, content, "--repeats", "4")
    assert found["scheme"] == "random"
    assert not [fact for fact in found["facts"] if fact["prominent"]]


def test_scores_in_the_order_of_time_are_to_be_had(tmp_path: Path) -> None:
    found = answer(tmp_path, planted.drifting(0), "--repeats", "4", "--methods", "ldm")
    ordered = answer(tmp_path, planted.drifting(0), "--repeats", "4", "--time", "day", "--methods", "ldm")
    assert ordered["scheme"] == "time"
    assert ordered["methods"]["ldm"]["accuracy"] < found["methods"]["ldm"]["accuracy"] - 0.1


def test_doubles_and_columns_written_afterwards_are_told(tmp_path: Path) -> None:
    notes = answer(tmp_path, planted.doubled(0), "--repeats", "2")["notes"]
    assert any("'celsius' and 'fahrenheit' carry the same information" in note for note in notes)
    assert not any("Leak" in note or "Drift" in note for note in notes)
    for twice, columns in ((False, {"refund"}), (True, {"refund", "closed"})):
        found = answer(tmp_path, planted.written_afterwards(0, twice=twice), "--repeats", "2")
        (fact,) = [fact for fact in found["facts"] if fact["prominent"]]
        assert fact["kind"] == "telling columns"
        assert set(fact["figures"]["columns"]) == columns
        assert fact["text"].startswith("Leak? Column")
        assert all(one["gap"] > 0.1 for one in fact["contrasts"])
        assert len(fact["contrasts"]) == len(found["methods"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["{file}", "--target", "kind", "--each-group"], "name their column with --groups"),
        (["{file}", "--target", "kind", "--folds", "1"], "--folds must be 2 or more; got 1"),
        (["{file}", "--target", "kind", "--folds", "5", "--time", "weight"], "kept together by 'weight'"),
        (["nowhere.csv", "--target", "kind"], "There is no file 'nowhere.csv'"),
        (["{file}", "--target", "colour"], "There is no column 'colour'"),
        (["{file}", "--target", "kind", "--groups", "colour"], "There is no column 'colour'"),
        (["{file}", "--target", "kind", "--time", "kind"], "both the target and the column of groups or times"),
        (["{file}", "--target", "kind", "--methods", "svm,tree"], "unknown method 'tree'"),
        (["{file}", "--target", "kind", "--repeats", "0"], "repeats must be an integer in [1, 1000]"),
        (["{file}", "--target", "weight"], "different numbers, not classes"),
        (["{file}", "--target", "kind", "--drop", "colour"], "There is no column 'colour'"),
        (["{file}", "--target", "kind", "--positive", "tall"], "There is no class 'tall'"),
        (["{file}", "--target", "kind", "--keep", "big"], "1 classes are kept"),
        (["{file}", "--target", "kind", "--threshold", "1"], "No label is a number"),
        (["{file}", "--target", "kind", "--json", "nowhere/out.json"], "There is no folder for 'nowhere/out.json'"),
        (["{file}", "--target", "kind", "--json", "."], "'.' is a folder"),
        (["{file}", "--target", "kind", "--json", "out", "--report", "./out"], "Give them different names"),
    ],
)
def test_what_cannot_be_done_is_said(
    options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "table.csv").write_bytes(planted.doubled(0))
    assert main(["compare", *(option.replace("{file}", str(tmp_path / "table.csv")) for option in options)]) == 2
    assert words in capsys.readouterr().err


def test_of_many_rows_it_is_said_what_is_fitted_exactly_and_why(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1600, 2))
    lines = [f"{a:.4f},{b:.4f},{'yes' if a * b > 0 else 'no'}" for a, b in X]
    found = answer(tmp_path, "\n".join(["a,b,ill", *lines]).encode(), "--methods", "svm,linearldm", "--repeats", "1")
    (said,) = (note for note in found["notes"] if " a fit; " in note)
    assert said.startswith("SVM: exact, about ")
    assert "256 landmarks would take about " in said
