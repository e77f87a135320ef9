"""The leaderboard and the answer above it: no winner that the tests do not name, no verdict while results come in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.preprocessing import StandardScaler

from mdcore.basics.text import percent, points, short
from mdcore.study import (
    MAJORITY,
    Comparison,
    Failure,
    Plan,
    answer,
    basis,
    board,
    compare,
    difference,
    differences,
    headline,
    holm,
    split_words,
    tables,
)
from mdcore.study.differences import family
from mdcore.study.tables import class_records, leaderboard
from tests.comparisons import LINEAR, MOONS, plan, run


def planted(scores: Mapping[str, Sequence[float]], **changes: object) -> Comparison:
    """Return a comparison on the moons with these accuracies in place of those found."""
    repeats = max(map(len, scores.values()))
    found = run(plan(*scores, repeats=repeats, kernel=LINEAR, **changes))
    return found.with_outcomes(
        replace(result, scores={**result.scores, "accuracy": scores[result.key][result.split]})
        for key in scores
        for result in found.of(key)
    )


def words(comparison: Comparison) -> str:
    return headline(board(comparison, "accuracy"))


STEPS = np.array([0.0, 0.01, -0.01, 0.02, -0.02, 0.0])


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


# The board


def test_lines_are_in_the_order_of_their_means_the_baseline_among_them() -> None:
    found = planted({"svm": 0.8 + STEPS, "odm": 0.9 + STEPS, "logistic": 0.3 + STEPS})
    shown = board(found, "accuracy")
    assert [line.key for line in shown.lines] == ["odm", "svm", MAJORITY, "logistic"]
    means = [found.spread(line.key, "accuracy").mean for line in shown.lines]
    assert [line.mean for line in shown.lines] == means
    assert shown.best is shown.lines[0]
    for line in shown.lines[1:]:
        assert line.gap is not None
        assert line.gap.mean == pytest.approx(line.mean - means[0])
        test = next(d for d in shown.tests if {d.first, d.second} == {"odm", line.key})
        assert (line.gap.p, line.gap.high - line.gap.low) == (test.adjusted, pytest.approx(test.high - test.low))


def test_while_results_come_in_methods_are_shown_on_the_splits_that_all_have_without_a_test() -> None:
    whole = planted({"svm": 0.8 + STEPS, "odm": 0.9 + STEPS})
    kept = tuple(o for o in whole.outcomes if o.split < 2 or (o.key, o.split) == ("svm", 2))
    part = Comparison(whole.plan, whole.y, whole.fingerprint, kept, whole.versions)
    shown = board(part, "accuracy")
    assert (shown.done, shown.complete, shown.tests) == (2, False, ())
    assert {tuple(line.values) for line in shown.lines} == {(0, 1)}
    assert all(line.low is None and (line.gap is None or line.gap.p is None) for line in shown.lines)
    assert headline(shown) == f"So far, after 2 of 6 splits: {short(80.5)} to {percent(0.905)}."
    assert basis(shown).startswith("Accuracy over 6 splits, untuned. No verdict before all of them are done.")
    assert "p =" not in answer(part, "accuracy")
    assert all(record["p_holm"] is None for record in leaderboard(shown))
    assert tables(part, "geometric")["differences"] == []


def test_the_interval_of_a_mean_is_corrected_for_the_overlap() -> None:
    found = planted({"svm": 0.8 + STEPS})
    (line,) = board(found, "accuracy").methods
    train, test = found.splits[0]
    half = student.ppf(0.975, 5) * np.sqrt((1 / 6 + len(test) / len(train)) * STEPS.var(ddof=1))
    assert (line.low, line.high) == (pytest.approx(0.8 - half), pytest.approx(0.8 + half))


def test_precision_and_recall_are_those_of_the_counts() -> None:
    found = run(plan("svm", "odm"))
    for record in class_records(found):
        counts, code = found.confusion(record["method"]), found.classes.tolist().index(record["class"])
        assert record["recall"] == counts[code, code] / counts[code].sum()
        assert record["precision"] == counts[code, code] / counts[:, code].sum()


# The headline


@pytest.mark.parametrize("seed", range(4))
def test_no_winner_is_named_on_noise(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
    said = words(compare(X, y, StandardScaler(), plan("svm", "ldm", "logistic", repeats=5)))
    assert said.startswith("No method is shown to be better than always ‘")


def test_a_winner_is_named_if_the_tests_name_it() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(400, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    found = compare(X, y, StandardScaler(), plan("svm", "logistic", repeats=6))
    (one,) = differences(found, "accuracy")
    assert words(found) == f"SVM is best, by {points(one.mean)[1:]} points."
    said = basis(board(found, "accuracy"))
    assert "Every difference to it is significant (p " in said
    assert "Holm over 3 pairs" in said
    assert "Logistic regression is not shown to be better" in said


def test_gaps_are_told_and_no_winner_where_the_tests_name_none() -> None:
    shake = np.array([0.06, -0.05, 0.04, -0.06, 0.05, -0.04])
    found = planted({"svm": 0.9 + STEPS, "odm": 0.895 + shake, "logistic": 0.877 - shake})
    least, most = sorted(-line.gap.mean for line in board(found, "accuracy").methods if line.gap)
    assert words(found) == f"Three methods, no winner: the gaps are {points(least)[1:]} to {points(most)[1:]} points."
    tests = [d for d in family(found, "accuracy") if "svm" in (d.first, d.second) and d.second != MAJORITY]
    p = min(d.adjusted for d in tests)
    assert p > 0.05
    assert f"Which is best is not established (p = {short(p, 2)}, Holm over 6 pairs)." in answer(found, "accuracy")


def test_those_that_lead_are_counted_apart_from_those_that_are_beaten() -> None:
    shake = np.array([0.06, -0.05, 0.04, -0.06, 0.05, -0.04])
    found = planted({"svm": 0.96 + STEPS / 2, "odm": 0.943 + shake, "logistic": 0.7 + STEPS})
    gap = -next(line.gap.mean for line in board(found, "accuracy").lines if line.key == "odm")
    assert words(found) == f"Two of three methods lead, no winner among them: the gap is {points(gap)[1:]} points."


def test_differences_within_a_point_are_practically_none() -> None:
    small = np.array([0.001, 0.0, -0.001, 0.0, 0.002, 0.001])
    found = planted({"svm": 0.9 + STEPS, "odm": 0.9 + STEPS + small})
    assert words(found) == f"Two methods, practically equal: the gap is {points(small.mean())[1:]} points."
    assert "All within one point with probability above 99 %." in answer(found, "accuracy")


def test_two_splits_that_differ_alike_establish_nothing() -> None:
    short_one = planted({"svm": [5 / 6, 4 / 6], "logistic": [4 / 6, 3 / 6]})
    (one,) = differences(short_one, "accuracy")
    assert one.deviation == 0
    assert one.adjusted > 0.05
    assert "is best" not in words(short_one)


def test_a_method_that_failed_is_not_counted_but_told() -> None:
    found = planted({"svm": 0.9 + STEPS, "odm": 0.9 + STEPS})
    lost = found.with_outcomes(Failure("odm", split, "too hard") for split in range(6))
    assert words(lost) == "SVM reaches 90.0 %."
    assert " ODM failed. " in answer(lost, "accuracy")
    assert board(lost, "accuracy").complete


def test_one_split_is_too_few_to_test() -> None:
    assert words(planted({"svm": [0.9], "odm": [0.8]})) == "Two methods, 1 split: too few to test a difference."


def test_one_method_is_told_against_the_baseline() -> None:
    assert words(planted({"svm": 0.9 + STEPS})) == "SVM reaches 90.0 %."
    assert words(planted({"svm": 0.5 + STEPS})).startswith("SVM is not shown to be better than always ‘")


def test_equal_methods_are_no_difference_worth_naming() -> None:
    X, y = MOONS.X * [1, 0] + [0, 0], (MOONS.X[:, 0] > 0.5).astype(int)
    said = answer(compare(X, y, StandardScaler(), plan("svm", "lssvm", repeats=8, kernel=LINEAR)), "auc")
    assert "is best" not in said


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"repeats": 10}, "10 splits"),
        ({"repeats": 5, "scheme": "k-fold", "test": 0.2}, "5 folds"),
        ({"repeats": 10, "scheme": "k-fold", "test": 0.2}, "2 × 5 folds"),
        ({"repeats": 10, "scheme": "groups"}, "10 splits by groups"),
        ({"repeats": 12, "scheme": "leave-one-group-out"}, "12 groups left out one at a time"),
        ({"repeats": 4, "scheme": "time"}, "4 windows of time"),
    ],
)
def test_the_splits_are_named_by_what_they_are(changes: dict[str, object], said: str) -> None:
    assert split_words(Plan(plan("svm").candidates, **changes)) == said
