"""Tests across sets: what is computed by hand, and what the methods' authors publish."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from mdcore.papers.significance import equivalence, holm, rank_methods

RNG = np.random.default_rng(2)


def test_ranks_and_critical_difference_are_demsars() -> None:
    # Demsar (2006), section 3.2.2: five classifiers at 5 %, q = 2.728; CD = q sqrt(k (k + 1) / 6N).
    means = RNG.random((30, 5))
    found = rank_methods(list("abcde"), [str(i) for i in range(30)], means)
    assert found.critical == pytest.approx(2.728 * np.sqrt(5 * 6 / (6 * 30)), rel=1e-3)
    assert sum(found.ranks.values()) == pytest.approx(15)


def test_a_method_that_always_wins_has_rank_one_and_no_bar_to_the_last() -> None:
    means = np.sort(RNG.random((25, 4)), axis=1)
    found = rank_methods(list("abcd"), [str(i) for i in range(25)], means)
    assert found.ranks == {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}
    assert found.methods == tuple("dcba")
    assert found.p < 1e-6
    assert not any({"a", "d"} <= set(group) for group in found.groups())
    assert all(p < 0.05 for p in found.pairs.values())


def test_equal_methods_are_joined() -> None:
    found = rank_methods(["a", "b"], ["1", "2", "3", "4"], np.full((4, 2), 0.5))
    assert found.groups() == [("a", "b")]
    assert found.pairs == {("a", "b"): 1.0}


def test_holm_steps_down() -> None:
    raw = {("a", "b"): 0.01, ("a", "c"): 0.04, ("b", "c"): 0.03}
    assert holm(raw) == {("a", "b"): 0.03, ("b", "c"): 0.06, ("a", "c"): 0.06}


def test_equivalence_is_the_share_of_the_posterior_in_the_rope() -> None:
    values = 0.01 + 0.02 * RNG.normal(size=10)
    found = equivalence(values, n_train=90, n_test=10, rope=0.01)
    scale = np.sqrt((1 / 10 + 1 / 9) * values.var(ddof=1))
    draws = student.rvs(9, values.mean(), scale, size=400_000, random_state=0)
    assert found.better == pytest.approx((draws > 0.01).mean(), abs=5e-3)
    assert found.worse == pytest.approx((draws < -0.01).mean(), abs=5e-3)
    assert found.better + found.same + found.worse == pytest.approx(1.0)


def test_differences_that_are_all_the_same_are_certain() -> None:
    assert equivalence(np.zeros(5), n_train=4, n_test=1, rope=0.01).same == 1.0
    assert equivalence(np.full(5, 0.2), n_train=4, n_test=1, rope=0.01).better == 1.0
