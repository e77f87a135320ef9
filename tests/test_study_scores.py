"""Scores, paired tests and margins over splits match their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_rel
from sklearn.metrics import average_precision_score, balanced_accuracy_score, f1_score, roc_auc_score

from mdcore.study import Comparison, Failure, band, difference, differences, examples, holm, margin_axis
from mdcore.study.differences import family, overlap, shared_values
from mdcore.study.scores import confusion, count_scores, order_scores, predicted, scores_of
from tests.comparisons import MOONS, plan, run

# Scores


def test_scores_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    y, f = rng.choice(["no", "yes"], 50, p=[0.7, 0.3]), rng.standard_normal(50)
    classes = np.array(["no", "yes"])
    said = classes[(f > 0).astype(int)]
    for code, label in enumerate(classes):
        found = scores_of(y, f, classes, code)
        assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, said))
        assert found["f1"] == pytest.approx(f1_score(y, said, pos_label=label))
        assert found["auc"] == pytest.approx(roc_auc_score(y == "yes", f))
        towards = f if label == "yes" else -f
        assert found["average_precision"] == pytest.approx(average_precision_score(y == label, towards))


def test_scores_of_several_classes_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    y, f = rng.integers(0, 3, 60), rng.standard_normal((60, 3))
    found = scores_of(y, f, np.arange(3), 2)
    assert found["f1"] == pytest.approx(f1_score(y, predicted(np.arange(3), f), average="macro"))
    assert found["auc"] == pytest.approx(roc_auc_score(np.eye(3)[y], f, average="macro"))
    assert found["average_precision"] == pytest.approx(average_precision_score(np.eye(3)[y], f, average="macro"))


def test_without_a_row_of_a_class_its_scores_are_not_numbers() -> None:
    """As in a left-out group that has one class only."""
    y, classes = np.array([0, 0, 0]), np.array([0, 1])
    found = scores_of(y, np.array([-1.0, 1.0, -2.0]), classes, 1)
    assert found["balanced_accuracy"] == pytest.approx(2 / 3)
    assert all(math.isnan(found[name]) for name in ("f1", "auc", "average_precision"))
    assert not math.isnan(count_scores(confusion(y, y, classes), 0)["f1"])


# Paired tests


def test_the_plain_test_is_scipys_and_the_corrected_one_is_as_computed_by_hand() -> None:
    values = np.array([0.02, 0.01, -0.01, 0.03, 0.02, 0.0])
    found = difference("svm", "ldm", values, n_train=70, n_test=30)
    reference = ttest_rel(values, np.zeros(6))
    assert (found.plain.t, found.plain.p) == (pytest.approx(reference.statistic), pytest.approx(reference.pvalue))
    interval = reference.confidence_interval()
    assert (found.plain.low, found.plain.high) == (pytest.approx(interval.low), pytest.approx(interval.high))
    # Manually: mean 0.07 / 6; squares 19 - 6 (7/6)^2 = 10.8333 in 1e-4, over 5; factor 1/6 + 30/70 = 25/42.
    t = (0.07 / 6) / math.sqrt(10.8333333e-4 / 5 * 25 / 42)
    assert found.corrected.t == pytest.approx(t, rel=1e-6)
    # The distribution function of Student's t with 5 degrees of freedom is elementary.
    angle = math.atan(t / math.sqrt(5))
    inside = 2 / math.pi * (angle + math.sin(angle) * (math.cos(angle) + 2 / 3 * math.cos(angle) ** 3))
    assert found.corrected.p == pytest.approx(1 - inside, rel=1e-6)
    assert (found.wins, found.ties, found.losses) == (4, 1, 1)


def test_equal_results_are_no_difference_and_a_constant_one_is_not_certain() -> None:
    evened = difference("svm", "ldm", np.array([1, 1, -2]) / 60, n_train=7, n_test=3)
    assert evened.mean == 0.0, "what rounding leaves is not shown"
    same = difference("svm", "ldm", np.zeros(4), n_train=7, n_test=3)
    assert (same.corrected.p, same.corrected.t, same.ties) == (1.0, 0.0, 4)
    constant = difference("svm", "ldm", np.array([0.9, 0.8]) - np.array([0.8, 0.7]), n_train=7, n_test=3)
    assert (constant.plain.p, constant.deviation) == (0.0, 0.0)
    assert constant.corrected.p > 0.05


def test_only_splits_that_both_have_are_compared() -> None:
    found = run(plan(repeats=4))
    lost = [Failure("odm", 2, "lost")]
    shorter = Comparison(found.plan, found.y, found.fingerprint, found.outcomes, found.versions).with_outcomes(lost)
    (one,) = differences(shorter, "accuracy")
    assert one.splits == 3
    expected = np.delete(found.score("svm", "accuracy") - found.score("odm", "accuracy"), 2)
    assert one.mean == pytest.approx(expected.mean())


def test_there_are_no_tests_before_all_planned_splits_are_done() -> None:
    found = run(plan(repeats=4))
    part = Comparison(found.plan, found.y, found.fingerprint, found.outcomes[:-1], found.versions)
    assert differences(found, "accuracy")
    assert family(part, "accuracy") == []


def test_intervals_for_all_pairs_hold_the_confidence_together() -> None:
    """Each has the error of one pair divided by their number, and those of one pair alone are narrower."""
    found = run(plan("svm", "odm", "ldm", repeats=4))
    tests = family(found, "accuracy")
    assert len(tests) == 6, "three methods and the baseline"
    for d in tests:
        values, splits = shared_values(found, "accuracy", d.first, d.second)
        seen = overlap(found, splits)
        half = student.ppf(1 - 0.05 / 6 / 2, 3) * math.sqrt(seen.factor(4) * values.var(ddof=1))
        if values.min() < values.max():
            assert (d.low, d.high) == (pytest.approx(d.mean - half), pytest.approx(d.mean + half))
        assert d.low <= d.corrected.low
        assert d.high >= d.corrected.high
    assert [d.adjusted for d in tests] == holm([d.corrected.p for d in tests])


# Margins


def test_bands_are_quantiles_over_the_splits() -> None:
    found = run(plan(repeats=5))
    t = margin_axis(found, "geometric")
    shown = band(found, "svm", "test", "geometric", t)
    curves = np.array([result.margins("test", "geometric").cdf(t) for result in found.of("svm")])
    np.testing.assert_array_equal(shown.middle, np.median(curves, axis=0))
    assert (shown.low <= shown.middle).all()
    assert (shown.middle <= shown.high).all()
    assert (np.diff(shown.middle) >= 0).all()
    assert shown.middle[0] <= 0.01
    assert shown.middle[-1] >= 0.99


def test_examples_count_their_tests_and_begin_with_the_hardest() -> None:
    found = run(plan(repeats=6))
    table = examples(found, "functional")
    tests = [test for _, test in found.plan.splits(MOONS.y)]
    row = int(table.rows[0])
    values = [
        result.test[np.flatnonzero(tests[result.split] == row)[0]]
        for result in found.of("svm")
        if row in tests[result.split]
    ]
    assert table.tested[0] == len(values)
    assert table.margin["svm"][0] == pytest.approx(np.mean(values))
    assert table.wrong["svm"][0] == np.mean(np.array(values) <= 0)
    assert table.tested.sum() == sum(map(len, tests))
    both = (table.wrong["svm"] + table.wrong["odm"]) / 2
    assert (np.diff(both) <= 1e-12).all()


def test_rows_that_rounding_tells_apart_tie() -> None:
    """For equal rows, f differs in the last digits, depending on the processor; AUC must not depend on this."""
    y, classes = np.array([0, 1] * 50 + [1] * 20), np.array([0, 1])
    f = np.repeat([0.3, 1.7], [100, 20])
    rounded = f * (1.0 + 1e-15 * np.where(y > 0, 1.0, -1.0))
    assert (rounded[1:100:2] > rounded[:100:2]).all()
    areas = [order_scores(y, values, classes, 1)["auc"] for values in (rounded, f)]
    assert areas == [roc_auc_score(y, f)] * 2
