"""Groups and time: no group is on both sides of a split, no row is predicted from its future, leaks and drift show."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.dummy import DummyClassifier
from sklearn.preprocessing import StandardScaler

from mdcore.data.splitting import check_apart, codes_of, split_rows
from mdcore.study import (
    MAJORITY,
    Candidate,
    Comparison,
    Plan,
    compare,
    difference,
    differences,
    from_json,
    headline,
    holm,
    majority_row,
    numbers,
    to_json,
)
from mdcore.study.headline import percent
from mdcore.study.splits import inner, seed_of
from tests.comparisons import LINEAR, MOONS, RBF, plan, run


def grouped(groups: int = 24, size: int = 5, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return nearly equal rows for each group, with a label that depends on the group only: a leak in random splits."""
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(groups), size)
    centres = rng.normal(size=(groups, 4))
    label = np.arange(groups) % 2
    return centres[code] + 0.05 * rng.normal(size=(len(code), 4)), label[code], code


@pytest.mark.parametrize("seed", range(5))
def test_no_group_is_in_two_parts_outside_or_inside(seed: int) -> None:
    rng = np.random.default_rng(seed)
    along = codes_of(
        rng.choice(["anna", "ben", "cleo", "dora", "emil", "finn", "gina", "hans", "ida", "jan"], size=150)
    )
    y = rng.integers(0, 2, 150)
    for number in range(4):
        train, test = split_rows("groups", y, along, 0.3, seed_of(seed, number))
        assert sorted([*train, *test]) == list(range(150))
        assert not set(along[train]) & set(along[test])
        assert 0.1 < len(test) / 150 < 0.5
        for fit, held in inner("groups", y[train], along[train], 3, seed):
            assert not set(along[train][fit]) & set(along[train][held])


def test_every_test_row_is_later_than_every_training_row_outside_and_inside() -> None:
    rng = np.random.default_rng(0)
    along, y = codes_of(rng.integers(0, 40, 200)), rng.integers(0, 2, 200)
    windows = [split_rows("time", y, along, 0.4, 0, number, 4) for number in range(4)]
    for train, test in windows:
        assert along[train].max() < along[test].min()
        for fit, held in inner("time", y[train], along[train], 3, 0):
            assert along[train][fit].max() < along[train][held].min()
    for (_, before), (_, after) in pairwise(windows):
        assert along[before].max() < along[after].min()


def test_a_split_that_parts_a_group_is_caught() -> None:
    with pytest.raises(RuntimeError, match="Group 1 is in both parts"):
        check_apart("groups", np.array([0, 1, 1]), np.array([0, 1]), np.array([2]))


def test_a_planted_leak_shows_at_random_splits_and_is_gone_with_groups() -> None:
    X, y, code = grouped()
    candidates = (Candidate.fixed("svm"),)
    leaky = compare(X, y, StandardScaler(), Plan(candidates, repeats=4, kernel=RBF))
    honest = compare(X, y, StandardScaler(), Plan(candidates, repeats=4, kernel=RBF, scheme="groups"), along=code)
    assert leaky.spread("svm", "accuracy").mean > 0.95
    assert honest.spread("svm", "accuracy").mean < 0.7


class Held(Plan):
    """A given split, as drawing a stratified one may look at labels."""

    parts_given: tuple[np.ndarray, np.ndarray]

    def split(self, y: np.ndarray, number: int, along: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        return self.parts_given


@pytest.mark.parametrize("scheme", ["random", "groups", "time"])
def test_no_step_sees_test_rows_labels_included(scheme: str) -> None:
    X, y, code = grouped()
    along = None if scheme == "random" else code
    candidates = (Candidate.tuned("svm"), Candidate.fixed("logistic"))
    given = Held(candidates, repeats=1, folds=3, kernel=LINEAR, scheme=scheme, held_out=True)
    train, test = Plan(candidates, repeats=1, scheme=scheme).split(y, 0, along)
    object.__setattr__(given, "parts_given", (train, test))
    turned, other = y.copy(), X.copy()
    turned[test], other[test] = 1 - y[test], -7.0 * X[test]
    clean = compare(X, y, StandardScaler(), given, along=along)
    spoilt = compare(other, turned, StandardScaler(), given, along=along)
    for key in clean.keys:
        (a,), (b,) = clean.of(key), spoilt.of(key)
        assert a.params == b.params
        np.testing.assert_array_equal(a.train, b.train)
        np.testing.assert_array_equal(a.inner, b.inner)
        assert not np.array_equal(a.test, b.test)


def test_decisions_held_out_are_those_of_models_that_did_not_see_the_row() -> None:
    given = plan("svm", held_out=True, folds=3, repeats=1)
    (result,) = run(given).of("svm")
    train, _ = given.split(MOONS.y, 0)
    for fit, held in inner("random", MOONS.y[train], None, 3, 0):
        scaler = StandardScaler().fit(MOONS.X[train[fit]])
        model = Candidate.fixed("svm").method.estimator(**result.params)
        model.fit(scaler.transform(MOONS.X[train[fit]]), MOONS.y[train[fit]])
        expected = model.decision_function(scaler.transform(MOONS.X[train[held]]))
        np.testing.assert_allclose(result.inner[held], expected, atol=1e-6)


def test_outcomes_of_windows_in_time_are_kept_for_the_same_number_of_windows_only() -> None:
    X, y, code = grouped()
    two, three = plan("svm", scheme="time", repeats=2), plan("svm", scheme="time", repeats=3)
    part = compare(X, y, StandardScaler(), two, along=code)
    found = compare(X, y, StandardScaler(), three, along=code, earlier=part)
    assert numbers(found) == numbers(compare(X, y, StandardScaler(), three, along=code))
    assert part.outcomes_for(part) == list(part.outcomes)


def test_a_grouped_comparison_is_kept_whole_as_text() -> None:
    X, y, code = grouped()
    found = compare(X, y, StandardScaler(), plan("svm", scheme="groups", held_out=True), along=code)
    again = from_json(to_json(found))
    assert again.plan == found.plan
    np.testing.assert_array_equal(again.along, found.along)
    np.testing.assert_array_equal(again.of("svm")[0].inner, found.of("svm")[0].inner)


def test_groups_must_be_known() -> None:
    with pytest.raises(ValueError, match="need the groups of every row"):
        run(plan("svm", scheme="groups"))


# The baseline, the tests, the sentence


def test_the_majority_is_that_of_scikit_learn() -> None:
    found = run(plan("svm"))
    expected = [DummyClassifier().fit(MOONS.X[a], MOONS.y[a]).score(MOONS.X[b], MOONS.y[b]) for a, b in found.splits]
    assert list(found.by_split(MAJORITY, "accuracy").values()) == expected
    assert majority_row(found)["accuracy"] == pytest.approx(np.mean(expected))
    assert majority_row(found)["balanced_accuracy"] == 0.5


def test_holm_is_as_by_hand() -> None:
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06])
    assert holm([0.7, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_practical_equivalence_is_the_posterior_of_the_corrected_test() -> None:
    values = np.array([0.004, -0.002, 0.001, 0.003, 0.0, 0.002])
    found = difference("a", "b", values, n_train=70, n_test=30).practical
    error = np.sqrt((1 / 6 + 30 / 70) * values.var(ddof=1))
    assert found.first == pytest.approx(student.sf((0.01 - values.mean()) / error, 5))
    assert found.first + found.neither + found.second == pytest.approx(1.0)
    assert found.neither > 0.95


@pytest.mark.parametrize("seed", range(4))
def test_the_headline_names_no_winner_that_the_tests_do_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    words = headline(compare(X, y, StandardScaler(), plan("svm", "ldm", "logistic", repeats=5)), "accuracy")
    assert "is best (" not in words
    assert "not established" in words or "no difference worth mentioning" in words
    assert "always ‘" in words
    assert "no method is shown to be better" in words


def test_the_headline_names_a_winner_that_the_tests_name() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    found = compare(X, y, StandardScaler(), plan("svm", "logistic", repeats=6))
    words = headline(found, "accuracy")
    assert "SVM is best (p" in words
    assert percent(found.spread("svm", "accuracy").mean) in words
    assert "Logistic regression is not shown to be better" in words


def test_two_splits_that_differ_alike_establish_nothing() -> None:
    found = compare(MOONS.X, MOONS.y, StandardScaler(), plan("svm", "logistic", repeats=2))
    short = replace_scores(found, {"svm": [5 / 6, 4 / 6], "logistic": [4 / 6, 3 / 6]})
    (one,) = differences(short, "accuracy")
    assert one.deviation == 0
    assert one.adjusted > 0.05
    assert ": which is best is not established (p = " in headline(short, "accuracy")


def replace_scores(comparison: Comparison, scores: dict[str, list[float]]) -> Comparison:
    """Return the comparison with other accuracies."""
    return comparison.with_outcomes(
        replace(result, scores={**result.scores, "accuracy": scores[result.key][result.split]})
        for key in scores
        for result in comparison.of(key)
    )


def test_groups_drawn_again_are_not_always_the_same() -> None:
    _, y, code = grouped(groups=8)
    drawn = {tuple(np.unique(code[split_rows("groups", y, code, 0.3, seed_of(0, number))[1]])) for number in range(10)}
    assert len(drawn) > 5


def test_equal_methods_are_no_difference_worth_naming() -> None:
    X, y = MOONS.X * [1, 0] + [0, 0], (MOONS.X[:, 0] > 0.5).astype(int)
    words = headline(compare(X, y, StandardScaler(), plan("svm", "lssvm", repeats=8, kernel=LINEAR)), "auc")
    assert "is best" not in words
