"""Downloads agree with the screen: the model file, the card, the script, and scores of new rows."""

from __future__ import annotations

import csv
import io
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import skops.io
from sklearn.preprocessing import StandardScaler

from mdcore.data import Choices, DataProblem, Table, propose, read_table, select
from mdcore.data.tables.scoring import new_inputs, read_alike
from mdcore.export import table_code, table_facts
from mdcore.export.model import audit, card, model_file, model_script, scored_csv
from mdcore.study import Comparison, Data, Plan, candidates, compare, data_of_table, numbers
from mdcore.study.final import Final, final_model
from tests import planted
from tests.comparisons import RBF

KEYS = ("svm", "ldm", "boosting")
CONTENT = planted.rare(3, n=200, share=0.3)


@pytest.fixture(scope="module")
def table() -> Table:
    return read_table(CONTENT, "table.csv")


@pytest.fixture(scope="module")
def choices(table: Table) -> Choices:
    return propose(table)


@pytest.fixture(scope="module")
def data(table: Table, choices: Choices) -> Data:
    return data_of_table(table, choices, select(table, choices))


@pytest.fixture(scope="module")
def comparison(data: Data) -> Comparison:
    plan = Plan(candidates(KEYS, "equal"), repeats=2, folds=3, kernel=RBF, positive="faulty")
    return compare(data.X, data.y, data.preparation, plan)


@pytest.fixture(scope="module", params=KEYS)
def final(request: pytest.FixtureRequest, data: Data, comparison: Comparison) -> Final:
    return final_model(data, comparison.plan, request.param)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_the_file_loads_without_its_author_and_decides_the_same(final: Final, data: Data) -> None:
    content = model_file(final)
    named = audit(content)
    assert all(name.startswith(("mdcore.", "numpy.", "sklearn.")) for name in named)
    loaded = skops.io.loads(content, trusted=named)
    np.testing.assert_allclose(loaded.decision_function(data.X), final.pipeline.decision_function(data.X), atol=1e-9)
    assert (loaded.predict(data.X) == final.pipeline.predict(data.X)).all()


def test_a_scored_file_says_what_the_model_says(final: Final, table: Table, choices: Choices, data: Data) -> None:
    without_target = CONTENT.decode().splitlines()
    new = read_alike("\n".join(line.rpartition(",")[0] for line in without_target).encode(), "new.csv", table)
    X, notes = new_inputs(table, choices, new)
    assert notes == []
    found = rows_of(scored_csv(final, X))
    f = final.pipeline.decision_function(data.X)
    np.testing.assert_allclose([float(row["f"]) for row in found], f, atol=1e-9)
    assert [row["class"] for row in found] == final.pipeline.predict(data.X).tolist()
    probability = np.array([float(row["probability of faulty"]) for row in found])
    assert ((probability > 0) & (probability < 1)).all()
    order = np.argsort(f if final.classes[1] == "faulty" else -f)
    assert (np.diff(probability[order]) >= 0).all()


@pytest.mark.process
def test_the_script_makes_the_same_model_and_scores(
    comparison: Comparison, table: Table, choices: Choices, data: Data, tmp_path: Path
) -> None:
    (tmp_path / "table.csv").write_bytes(CONTENT)
    (tmp_path / "again.py").write_text(model_script(comparison, "ldm", table_code(table, choices)), encoding="utf-8")
    command = [sys.executable, "again.py", "table.csv"]
    ended = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    final = final_model(data, comparison.plan, "ldm")
    ours = rows_of(scored_csv(final, new_inputs(table, choices, table)[0]))
    theirs = rows_of((tmp_path / "scored.csv").read_text(encoding="utf-8"))
    assert [row["class"] for row in ours] == [row["class"] for row in theirs]
    for column in ("f", "margin", "probability of faulty"):
        np.testing.assert_allclose(
            [float(row[column]) for row in theirs], [float(row[column]) for row in ours], atol=1e-9
        )
    content = (tmp_path / "model.skops").read_bytes()
    loaded = skops.io.loads(content, trusted=audit(content))
    np.testing.assert_allclose(loaded.decision_function(data.X), [float(row["f"]) for row in ours], atol=1e-9)


def test_the_card_holds_the_numbers_of_the_comparison(
    final: Final, comparison: Comparison, table: Table, choices: Choices
) -> None:
    chosen = select(table, choices)
    text = card(final, comparison, "accuracy", table_facts(table, choices, chosen), ["Every note."])
    told = comparison.spread(final.key, "accuracy")
    assert f"| Accuracy | {told.mean!r} ± {told.deviation!r} |" in text
    assert "Every note." in text
    assert "- target: part" in text
    assert all(f"- {package} {version}" in text for package, version in comparison.versions)
    assert all(f"- {name} = {value!r}" in text for name, value in final.params.items())
    assert numbers(comparison)


def test_strange_columns_and_levels_are_said(table: Table, choices: Choices) -> None:
    with pytest.raises(DataProblem, match="'v1', 'v2'"):
        new_inputs(table, choices, read_table(b"v0,part\n1.5,ok\n2.5,ok\n", "new.csv"))
    far = read_table(b"v0,v1,v2\n100,1,1\n0.5,0.1,k.A.\n0.1,0.2,0.3\n", "new.csv")
    _, notes = new_inputs(table, choices, far)
    assert any(note.startswith("'v0': 1 value outside") for note in notes)
    lines = [f"{'AB'[j % 2]},{j / 7:.3f},{'xy'[j % 3 > 0]}" for j in range(30)]
    towns = "\n".join(["town,v,label", *lines])
    known = read_table(towns.encode(), "towns.csv")
    _, notes = new_inputs(known, propose(known), read_table(b"town,v\nC,1.5\nA,2.5\nA,2.0\n", "new.csv"))
    assert "'town': 1 level not seen in fitting: 'C'." in notes


@pytest.mark.parametrize("each", [1, 2, 4])
def test_a_model_of_few_rows_is_taken_away_with_a_probability_where_rows_can_be_held_out(each: int) -> None:
    X, y = np.arange(2.0 * each)[:, None], np.repeat(["no", "yes"], each)
    few = Data(X, y, StandardScaler())
    final = final_model(few, Plan(candidates(["svm"], "none"), kernel=RBF), "svm")
    (header, *rows) = scored_csv(final, X).splitlines()
    assert len(rows) == 2 * each
    assert ("probability of yes" in header) == (each > 1)
