"""Groups and time: no group is on both sides of a split, no row is predicted from its future, leaks and drift show."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.preprocessing import StandardScaler

from mdcore.data.splitting import check_apart, codes_of, split_rows
from mdcore.study import MAJORITY, WHAT_TESTS_SAY, Candidate, Comparison, Data, Plan, compare, notes, numbers, sentence
from mdcore.study.differences import overlap
from mdcore.study.splits import inner, seed_of
from mdcore.study.tables import majority_row
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


def test_groups_must_be_known() -> None:
    with pytest.raises(ValueError, match="need the groups of every row"):
        run(plan("svm", scheme="groups"))


# The baseline


def test_the_majority_is_that_of_scikit_learn() -> None:
    found = run(plan("svm"))
    expected = [DummyClassifier().fit(MOONS.X[a], MOONS.y[a]).score(MOONS.X[b], MOONS.y[b]) for a, b in found.splits]
    assert list(found.by_split(MAJORITY, "accuracy").values()) == expected
    assert majority_row(found)["accuracy"] == pytest.approx(np.mean(expected))
    assert majority_row(found)["balanced_accuracy"] == 0.5


def test_groups_drawn_again_are_not_always_the_same() -> None:
    _, y, code = grouped(groups=8)
    drawn = {tuple(np.unique(code[split_rows("groups", y, code, 0.3, seed_of(0, number))[1]])) for number in range(10)}
    assert len(drawn) > 5


# Folds and left-out groups


def test_folds_test_every_row_once_in_each_repetition_and_other_repetitions_differ() -> None:
    given = plan("svm", scheme="k-fold", test=0.25, repeats=8)
    parts = list(given.splits(MOONS.y))
    for repetition in (parts[:4], parts[4:]):
        assert sorted(row for _, test in repetition for row in test) == list(range(len(MOONS.y)))
        for train, test in repetition:
            assert not set(train) & set(test)
            shares = [np.mean(MOONS.y[part] == 1) for part in (train, test)]
            assert shares[0] == pytest.approx(shares[1], abs=0.05)
    assert not np.array_equal(parts[0][1], parts[4][1])


def test_each_group_is_left_out_once_whatever_their_number() -> None:
    _, y, code = grouped(groups=8)
    given = plan("svm", scheme="leave-one-group-out", repeats=8)
    held = [np.unique(code[test]).tolist() for _, test in given.splits(y, code)]
    assert sorted(held) == [[group] for group in range(8)]
    few = plan("svm", scheme="leave-one-group-out", repeats=3)
    assert [np.unique(code[test]).tolist() for _, test in few.splits(y, code)] == held[:3]


@pytest.mark.parametrize(
    ("scheme", "y", "repeats", "words"),
    [
        ("k-fold", np.repeat([0, 1], [50, 3]), 5, "class 1 has 3 rows, fewer than the 5 folds"),
        ("leave-one-group-out", np.tile([0, 1], 12), 7, "there are 6 groups .*; 7 splits"),
        ("leave-one-group-out", np.repeat([0, 1], [20, 4]), 6, "one group has every row of class 1"),
    ],
)
def test_splits_that_cannot_be_drawn_say_why(scheme: str, y: np.ndarray, repeats: int, words: str) -> None:
    along = np.arange(len(y)) // 4 if scheme != "k-fold" else None
    with pytest.raises(ValueError, match=words):
        plan("svm", scheme=scheme, test=0.2, repeats=repeats).check(y, along)


def test_folds_are_corrected_by_the_share_that_a_fold_tests() -> None:
    """Nadeau and Bengio's factor for k folds repeated r times is 1/(rk) + 1/(k - 1)."""
    y = np.tile([0, 1], 50)
    found = Comparison.empty(plan("svm", scheme="k-fold", test=0.2, repeats=10), y, "")
    seen = overlap(found, range(10))
    assert seen.factor(10) == pytest.approx(1 / 10 + 1 / 4)
    assert seen.freedom == 9


@pytest.mark.parametrize(("scheme", "repeats"), [("groups", 30), ("leave-one-group-out", 8)])
def test_groups_are_the_independent_observations(scheme: str, repeats: int) -> None:
    _, y, code = grouped(groups=8)
    given = plan("svm", scheme=scheme, test=0.25, repeats=repeats)
    seen = overlap(Comparison.empty(given, y, "", code), range(repeats))
    assert seen.freedom == 7
    assert seen.n_train + seen.n_test == pytest.approx(8)
    if scheme == "leave-one-group-out":
        assert seen.factor(8) == pytest.approx(1 / 8 + 1 / 7)


@pytest.mark.parametrize(("scheme", "test", "repeats"), [("k-fold", 0.25, 4), ("leave-one-group-out", 0.25, 8)])
def test_comparisons_by_folds_and_left_out_groups_run_are_kept_and_are_written_down(
    scheme: str, test: float, repeats: int
) -> None:
    X, y, code = grouped(groups=8, size=6)
    given = plan("svm", "logistic", scheme=scheme, test=test, repeats=repeats)
    along = code if scheme != "k-fold" else None
    found = compare(X, y, StandardScaler(), given, along=along)
    assert found.complete
    assert not found.failures
    said = map(sentence, notes(Data(X, y, StandardScaler(), along=along), found, "accuracy"))
    assert WHAT_TESTS_SAY[given.scheme] in said
