"""The margin distribution: statistics by definition, and properties of its curves."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mdcore.margins.distribution import SCALES, STATISTICS, MarginDistribution, rescale

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)
samples = arrays(np.float64, st.integers(1, 40), elements=numbers)
shares = st.floats(0.0, 1.0)


@given(samples)
def test_the_statistics_are_their_definitions(values):
    margins = MarginDistribution(values)
    n, mean = len(values), sum(values) / len(values)
    size = 1.0 + np.abs(values).max()
    assert len(margins) == n
    assert margins.mean == pytest.approx(mean, abs=1e-12 * size)
    assert margins.variance == pytest.approx(sum((v - mean) ** 2 for v in values) / n, abs=1e-12 * size**2)
    below = sum((mean - v) ** 2 for v in values if v < mean) / n
    assert margins.semivariance == pytest.approx(below, abs=1e-12 * size**2)
    assert margins.min == min(values)
    assert margins.accuracy == sum(v > 0 for v in values) / n


@given(samples)
def test_the_semivariance_is_a_part_of_the_variance(values):
    margins, mirrored = MarginDistribution(values), MarginDistribution(-values)
    total = margins.semivariance + mirrored.semivariance
    assert total == pytest.approx(margins.variance, abs=1e-12 * (1.0 + np.abs(values).max() ** 2))


def test_an_example_on_the_boundary_is_an_error():
    assert MarginDistribution(np.array([-1.0, 0.0, 2.0, 3.0])).accuracy == 0.5


@given(samples)
def test_the_order_of_the_margins_changes_no_curve(values):
    margins, reversed_ = MarginDistribution(values), MarginDistribution(values[::-1])
    np.testing.assert_array_equal(margins.ordered, np.sort(values))
    np.testing.assert_array_equal(margins.ordered, reversed_.ordered)
    np.testing.assert_array_equal(margins.values, values)


@given(samples, numbers)
def test_the_cumulative_frequency_counts_the_margins_up_to_t(values, t):
    margins = MarginDistribution(values)
    assert margins.cdf(t) == np.mean(values <= t)
    for v in values:
        assert margins.cdf(v) == np.mean(values <= v)
    assert margins.cdf(-np.inf) == 0.0
    assert margins.cdf(np.inf) == margins.cdf(values.max()) == 1.0


@given(samples, st.lists(numbers, min_size=1, max_size=10))
def test_the_cumulative_frequency_rises_and_takes_arrays(values, thresholds):
    margins, ts = MarginDistribution(values), np.sort(thresholds)
    curve = margins.cdf(ts)
    assert (np.diff(curve) >= 0.0).all()
    assert curve.tolist() == [margins.cdf(t) for t in ts]
    assert isinstance(margins.cdf(0.0), float)


@given(samples, shares)
def test_a_quantile_is_numpys_and_lies_between_its_neighbours(values, q):
    margins = MarginDistribution(values)
    value = margins.quantile(q)
    assert isinstance(value, float)
    assert value == np.quantile(values, q)
    tie = 1e-9 * (1.0 + np.abs(values).max())
    assert np.mean(values < value - tie) <= q + 1.0 / len(values)
    assert margins.cdf(value + tie) >= q - 1.0 / len(values)


@given(samples, st.lists(shares, min_size=1, max_size=10))
def test_quantiles_rise_from_the_least_margin_to_the_largest(values, qs):
    margins = MarginDistribution(values)
    curve = margins.quantile(np.sort(qs))
    assert curve.shape == (len(qs),)
    assert (np.diff(curve) >= -1e-9 * (1.0 + np.abs(values).max())).all()
    assert margins.quantile(0.0) == margins.min
    assert margins.quantile(1.0) == values.max()


def test_an_empty_sample_has_no_statistics_and_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        margins = MarginDistribution(np.array([]))
        assert len(margins) == 0
        assert np.isnan([getattr(margins, name) for name in STATISTICS]).all()
        assert np.isnan(margins.quantile(0.5))
        assert np.isnan(margins.cdf(0.0))
        assert np.isnan(margins.quantile([0.1, 0.5])).tolist() == [True, True]
        assert np.isnan(margins.cdf(np.zeros((2, 3)))).shape == (2, 3)


def test_the_values_are_a_read_only_copy():
    values = np.array([1.0, 2.0])
    margins = MarginDistribution(values)
    values[0] = 7.0
    assert margins.values.tolist() == [1.0, 2.0]
    for array in (margins.values, margins.ordered):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7.0


@given(samples, st.floats(1e-3, 1e3))
def test_geometric_margins_are_functional_ones_over_the_norm(values, norm):
    np.testing.assert_array_equal(rescale(values, norm, "functional"), values)
    np.testing.assert_array_equal(rescale(values, norm, "geometric"), values / norm)


def test_without_a_vector_there_is_no_geometric_margin():
    assert np.isnan(rescale(np.array([0.0, 1.0]), 0.0, "geometric")).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_margins_that_are_no_numbers_are_refused(value):
    with pytest.raises(ValueError, match=f"finite numbers; got {value} for example 1"):
        MarginDistribution([1.0, value, 2.0])


def test_bad_scales_and_shapes_are_refused():
    assert SCALES == ("functional", "geometric")
    assert MarginDistribution(np.array([1.0])).scale == "functional"
    for make in (lambda: MarginDistribution(np.array([1.0]), "relative"), lambda: rescale(np.ones(1), 1.0, "relative")):
        with pytest.raises(ValueError, match="scale must be one of functional, geometric; got 'relative'"):
            make()
    with pytest.raises(ValueError, match=r"one value per example; got an array of shape \(2, 1\)"):
        MarginDistribution(np.ones((2, 1)))
