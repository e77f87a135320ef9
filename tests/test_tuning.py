"""Tuning of what a picture shows: the search of a comparison, on the training rows alone, in the kernel shown."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mdcore.data import OwnSource, own_source, propose, read_table
from mdcore.experiment import Experiment
from mdcore.experiment.result_caches import clear_caches
from mdcore.narrative import sentence
from mdcore.solvers.budget import Stopped, stoppable
from mdcore.study.data import data_of, training_data_of
from mdcore.study.evaluation import Result, evaluate_split
from mdcore.study.picture_tuning import Tuned, chosen_for, tune, tuned, tuned_methods, tuning_plan
from mdcore.study.plan import EFFORT, EQUAL_FOLDS, Candidate, Plan

MOONS = "data=moons&n=80&noise=0.3&seed=3&kernel=rbf&gamma=2&methods=svm,ldm,odm"
KEY = "own:" + "t" * 20


@pytest.fixture(autouse=True)
def nothing_is_known() -> None:
    clear_caches()


def shown(experiment: Experiment, found: dict[str, Tuned]) -> Experiment:
    """Return the experiment with what was chosen."""
    return experiment.with_values(
        {f"{key}.{name}": v for key, one in found.items() for name, v in one.settings.items()}
    )


def told(before: Experiment | None, now: Experiment) -> str:
    return sentence((before, before.run()) if before else None, (now, now.run()))


def people(rows: list[str]) -> OwnSource:
    read = read_table("\n".join(["height,town,ill", *rows]).encode(), "people.csv")
    return own_source(read, propose(read, "ill"), KEY)


def test_the_choice_is_that_of_a_comparison_on_the_same_folds() -> None:
    experiment = Experiment.from_query(MOONS)
    key = experiment.data
    plan = Plan(
        tuple(map(Candidate.searched, experiment.methods)),
        repeats=1, test=key.test, seed=key.seed, folds=EQUAL_FOLDS, kernel=experiment.kernel, one_space=True,
    )  # fmt: skip
    found = dict(tune(experiment))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for candidate in plan.candidates:
            result = evaluate_split(data_of(experiment), plan, candidate, 0, lambda: None)
            assert isinstance(result, Result)
            one = found[candidate.key]
            assert {name: result.params[name] for name in one.settings} == one.settings
            assert (result.tried, result.n_train) == (one.tried, one.rows)
            assert one.tried <= EFFORT


def test_all_methods_stay_in_the_space_of_the_picture() -> None:
    poly = MOONS.replace("kernel=rbf", "kernel=poly")
    for query in (MOONS, poly, "data=blobs-k&classes=3&each=15&methods=mcsvm,ova"):
        experiment = Experiment.from_query(query)
        now = shown(experiment, dict(tune(experiment)))
        assert (now.kernel, now.data, now.methods) == (experiment.kernel, experiment.data, experiment.methods)
        assert len({run.ruler for run in now.run().values()}) == 1
        plan = tuning_plan(now)
        lattices = [plan.lattice(candidate, now.classes) for candidate in plan.candidates]
        assert {lattice.option(point).width for lattice in lattices for point in lattice.points} == {1.0}


def test_nothing_of_the_test_rows_has_an_influence() -> None:
    rng = np.random.default_rng(0)
    height, town = rng.normal(size=90), rng.integers(4, size=90)
    ill = np.where(height + 0.5 * (town == 1) + rng.normal(0, 0.5, 90) > 0, "yes", "no")
    rows = [f"{h:.3f},town {t},{y}" for h, t, y in zip(height, town, ill, strict=True)]
    first = Experiment.on(people(rows)).with_value("methods", ("svm", "ldm"))
    test = set(first.prepare().test.tolist())
    assert len(test) > 20
    altered = [f"{1e3 * i},town {i % 4},{ill[i]}" if i in test else row for i, row in enumerate(rows)]
    second = Experiment.on(people(altered)).with_value("methods", ("svm", "ldm"))
    assert set(second.prepare().test.tolist()) == test
    assert dict(tune(first)) == dict(tune(second))


def test_edits_by_hand_are_what_is_learnt_from() -> None:
    plain = Experiment.from_query(MOONS)
    row, gone = plain.prepare().train[:2]
    edited = Experiment.from_query(f"{MOONS}&edits=f_{row}~d_{gone}~a_0.5_0.5_1~m_{row}_0.1_0.2")
    data, prepared = training_data_of(edited), edited.prepare()
    assert data.y.tolist() == prepared.y_train.tolist()
    assert data.preparation.fit_transform(data.X) == pytest.approx(prepared.X_train)
    tuple(tune(edited))
    assert not tuned_methods(plain)


def test_every_fold_encodes_the_cells_of_a_table_anew() -> None:
    own = Experiment.on(
        people([f"{i % 7},{'north' if i % 3 else 'south'},{'yes' if i % 2 else 'no'}" for i in range(40)])
    )
    data = training_data_of(own)
    assert list(data.X.columns) == ["height", "town"]
    assert data.preparation.fit_transform(data.X, data.y) == pytest.approx(own.prepare().X_train)


def test_the_sentence_says_what_is_tuned_until_it_no_longer_is() -> None:
    before = Experiment.from_query(MOONS.replace(",odm", ""))
    now = shown(before, dict(tune(before)))
    text = told(before, now)
    assert "Tuned on the 56 training rows by 3-fold cross-validation, at most 12 candidates each: accuracy" in text
    assert "not tuned" not in text
    moved = now.with_param("ldm", "lambda1", 77.0)
    assert told(now, moved).endswith("LDM is no longer tuned.")
    assert told(moved, moved.with_param("ldm", "lambda1", 78.0)).endswith("Only SVM is tuned.")
    assert "at parameter settings that are not all tuned." in told(None, moved)
    assert told(now, now.with_value("seed", 4)).endswith("SVM and LDM are no longer tuned.")
    assert told(now, now.with_value("gamma", 1.0)).endswith("SVM and LDM are no longer tuned.")
    assert "tuned" not in told(before.with_value("seed", 4), before.with_values({"seed": 4, "ldm.C": 3.0}))
    assert "Tuned on" in told(moved, now.with_value("scale", "functional"))


def test_a_ranking_without_tuning_says_so() -> None:
    before = Experiment.from_query(MOONS.replace(",odm", ""))
    assert told(None, before).endswith(", at parameter settings that are not tuned.")


def test_unequal_classes_are_tuned_by_balanced_accuracy() -> None:
    experiment = Experiment.from_query("data=moons&n=90&balance=0.2&noise=0.3&methods=svm")
    assert dict(tune(experiment))["svm"].criterion == "balanced_accuracy"
    now = shown(experiment, dict(tune(experiment)))
    assert "at most 12 candidates: balanced accuracy" in told(None, now)


def test_the_choice_for_a_table_is_kept_with_that_table_alone() -> None:
    rows = [f"{i % 7},{'north' if i % 3 else 'south'},{'yes' if i % 2 else 'no'}" for i in range(40)]
    mine, yours = (Experiment.on(people(rows)) for _ in range(2))
    tuple(tune(mine))
    assert mine.data.source == yours.data.source
    assert all(chosen_for(mine, method) for method in mine.methods)
    assert not any(chosen_for(yours, method) for method in yours.methods)


def test_what_is_known_is_not_computed_again() -> None:
    made: list[int] = []
    first = dict(tune(Experiment.from_query(MOONS), lambda fits, total: made.append(fits)))
    assert made
    made.clear()
    other = Experiment.from_query(MOONS).with_param("svm", "C", 3.0)
    assert dict(tune(other, lambda fits, total: made.append(fits))) == first
    assert not made
    assert tuned(other, "svm") is None


def test_tuning_stops_between_two_fits() -> None:
    made: list[int] = []
    with stoppable(lambda: len(made) >= 3), pytest.raises(Stopped):
        tuple(tune(Experiment.from_query(MOONS), lambda fits, total: made.append(fits)))
    assert len(made) == 3


def test_a_method_that_cannot_be_tuned_is_left_as_it_is() -> None:
    three = Experiment.from_query("data=blobs-k&classes=3&each=15&methods=svm,mcsvm")
    assert set(dict(tune(three))) == {"mcsvm"}
    with pytest.raises(ValueError, match=r"SVM: .*two classes"):
        tuple(tune(Experiment.from_query("data=blobs-k&classes=3&each=15&methods=svm")))


def test_too_few_rows_are_named() -> None:
    with pytest.raises(ValueError, match=r"A class has fewer than 3 of the .* rows on which parameters are chosen"):
        tuple(tune(Experiment.from_query("data=moons&n=20&balance=0.1&methods=svm")))
