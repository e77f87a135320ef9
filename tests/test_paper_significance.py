"""Tests across data sets, compared with manual computations and with the authors' published examples."""

from __future__ import annotations

import numpy as np
import pytest

from mdcore.papers.significance import rank_methods
from mdcore.study.differences import difference

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
    assert list(found.pairs.values()) == sorted(found.pairs.values())


def test_equal_methods_are_joined() -> None:
    found = rank_methods(["a", "b"], ["1", "2", "3", "4"], np.full((4, 2), 0.5))
    assert found.groups() == [("a", "b")]
    assert found.pairs == {("a", "b"): 1.0}


def test_figures_in_percent_are_tested_as_shares_are() -> None:
    values = 0.01 + 0.02 * RNG.normal(size=10)
    as_shares, in_percent = (
        difference("a", "b", unit * values, n_train=90, n_test=10, unit=unit) for unit in (1.0, 100.0)
    )
    assert in_percent.mean == pytest.approx(100.0 * as_shares.mean)
    assert in_percent.corrected.p == pytest.approx(as_shares.corrected.p)
    for name in ("first", "neither", "second"):
        assert getattr(in_percent.practical, name) == pytest.approx(getattr(as_shares.practical, name))


@pytest.mark.parametrize("unit", [1.0, 100.0])
def test_a_figure_that_two_splits_share_establishes_nothing(unit: float) -> None:
    """One more row in a hundred on both splits shows no variance, but is no certainty either."""
    found = difference("a", "b", np.full(2, 0.01 * unit), n_train=100, n_test=100, unit=unit)
    assert found.corrected.p > 0.05
    assert found.practical.first < 0.95
