"""MAMC and the search for its width and slope, compared with brute force, dense algebra and scikit-learn."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.estimator_checks import check_estimator

from mdcore import LDM, MAMC, MAMCSearch
from mdcore.solvers import certificate
from mdcore.solvers.threshold import best_threshold
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from tests.batch import close, gram, over_kernels, over_samples
from tests.oracles import sample

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# MAMC: the optimal bias of section 2.3


def errors_and_slack(s, y, i, j):
    """Return E_R and E_S of Eqs. (14)-(16) with b and rho of Eq. (20); an example on the boundary is an error."""
    b, rho = -(s[i] + s[j]) / 2.0, (s[i] - s[j]) / 2.0
    return int(np.sum(y * (s + b) <= 0.0)), float(np.sum(np.maximum(rho - y * (s + b), 0.0)))


def papers_pairs(s, y, nearest_above=min):
    """Return every positive i with the nearest negative j below (Eq. 24), and negative j with positive i above.

    Eq. (25) is printed with an arg max instead of an arg min.
    """
    positive, negative = np.flatnonzero(y > 0.0), np.flatnonzero(y < 0.0)
    for i in positive:
        below = [j for j in negative if s[j] < s[i]]
        if below:
            yield i, max(below, key=lambda j: s[j])
    for j in negative:
        above = [i for i in positive if s[i] > s[j]]
        if above:
            yield nearest_above(above, key=lambda i: s[i]), j


@pytest.mark.parametrize("seed", range(40))
def test_the_optimal_bias_is_that_of_brute_force(seed):
    rng = np.random.default_rng(seed)
    m = int(rng.integers(2, 25))
    y = np.r_[1.0, -1.0, np.sign(rng.normal(size=m - 2))]
    s = rng.normal(size=m) + 0.5 * y
    if seed % 2:
        s = np.round(2.0 * s) / 2.0  # ties within and between the classes
    every_pair = [(i, j) for i, j in product(range(m), repeat=2) if y[i] > 0.0 > y[j] and s[j] < s[i]]
    found = best_threshold(s, y, np.ones(m))
    if not every_pair:
        assert found is None
        return
    best = min(errors_and_slack(s, y, i, j) for i, j in every_pair)
    assert best == pytest.approx(min(errors_and_slack(s, y, i, j) for i, j in papers_pairs(s, y)))
    assert (found.errors, found.slack) == pytest.approx(best, abs=1e-12)
    assert found.errors == np.sum(y * (s + found.b) < 0.0)
    assert found.slack == pytest.approx(np.sum(np.maximum(found.rho - y * (s + found.b), 0.0)), abs=1e-12)


def test_no_other_threshold_between_the_scores_has_fewer_errors():
    rng = np.random.default_rng(1)
    y = np.sign(rng.normal(size=200))
    s = rng.normal(size=200) + y
    cuts = [(low + high) / 2.0 for low, high in pairwise(np.sort(s))]
    assert best_threshold(s, y, np.ones(200)).errors == min(np.sum(y * (s - cut) < 0.0) for cut in cuts)


def test_equation_25_as_printed_is_worse():
    s, y = np.array([-2.0, 1.0, 2.0, 3.0, 0.5]), np.array([-1.0, 1.0, 1.0, 1.0, -1.0])
    printed = [(i, j) for i, j in papers_pairs(s, y, nearest_above=max) if s[j] == 0.5 and s[i] == 3.0]
    assert errors_and_slack(s, y, *printed[0]) > errors_and_slack(s, y, 1, 4)
    assert best_threshold(s, y, np.ones(5)).b == -0.75


def test_an_integer_weight_counts_as_so_many_examples():
    rng = np.random.default_rng(2)
    y, counts = np.sign(rng.normal(size=30)), rng.integers(1, 4, size=30)
    s = rng.normal(size=30) + 0.3 * y
    repeated = best_threshold(np.repeat(s, counts), np.repeat(y, counts), np.ones(counts.sum()))
    weighted = best_threshold(s, y, counts.astype(float))
    assert (weighted.b, weighted.errors) == (repeated.b, repeated.errors)
    assert weighted.slack == pytest.approx(repeated.slack)


def test_the_unit_of_the_weights_breaks_no_tie():
    """Between 0 and 1, and between 2 and 3, there is one error with a slack of two; sums of 0.3 differ by rounding."""
    s, y = np.array([-2.0, 0.0, 1.0, 2.0, 3.0, 3.0]), np.array([-1.0, -1.0, 1.0, -1.0, 1.0, 1.0])
    assert [best_threshold(s, y, np.full(len(s), weight)).b for weight in (1.0, 0.1, 0.3, 1e6)] == [-0.5] * 4


@pytest.mark.parametrize("seed", range(30))
def test_of_equal_cuts_the_wider_one_counts_whatever_the_weights_are_measured_in(seed):
    rng = np.random.default_rng(seed)
    s, y = rng.integers(-3, 4, 9).astype(float), np.r_[1.0, -1.0, rng.choice([-1.0, 1.0], 7)]
    counts = rng.integers(1, 4, 9).astype(float)
    found = [best_threshold(s, y, unit * counts) for unit in (1.0, 0.1, 0.3)]
    assert len({None if one is None else (one.b, one.rho) for one in found}) == 1


# MAMC


@over_samples
@over_kernels
@pytest.mark.parametrize("slope", [0.05, 1.0, 20.0])
def test_mamc_is_the_difference_of_the_class_averages(name, kernel, slope):
    X, y = sample(name)
    model = MAMC("zero", slope, kernel=kernel, gamma=1.0).fit(X, y)
    G, M = gram(X, kernel), len(y)
    eq_29 = G[:, y > 0].sum(axis=1) / M - slope * G[:, y < 0].sum(axis=1) / M
    close(model.decision_function(X), eq_29, 1e-12)
    assert model.objective_ == pytest.approx(-(model.norm_**2) / 2.0)
    assert MAMC("mean", slope, kernel=kernel, gamma=1.0).fit(X, y).offset_ == pytest.approx(y.mean(), abs=1e-15)
    optimal = MAMC("optimal", slope, kernel=kernel, gamma=1.0).fit(X, y)
    found = best_threshold(eq_29, y, np.ones(M))
    assert np.sum(optimal.margins(X, y) < 0.0) == found.errors
    assert optimal.offset_ == pytest.approx(found.b, rel=1e-9)


@over_samples
@over_kernels
def test_mamc_has_the_direction_of_an_ldm_of_the_mean_alone(name, kernel):
    X, y = sample(name)
    ldm = LDM(lambda1=0.0, lambda2=3.0, C=0.0, kernel=kernel, gamma=1.0, fit_intercept=False).fit(X, y)
    mamc = MAMC("zero", kernel=kernel, gamma=1.0).fit(X, y)
    close(3.0 * mamc.decision_function(X), ldm.decision_function(X), 1e-12)
    np.testing.assert_allclose(mamc.margins(X, y, "geometric"), ldm.margins(X, y, "geometric"), atol=1e-12)


def test_mamc_costs_one_pass_over_the_gram_matrix(moons, monkeypatch):
    passes = []
    monkeypatch.setattr(certificate, "symmetric_product", lambda G, a: passes.append(1) or G @ a)
    MAMC().fit_space(KernelSpace(moons[0], Kernel("rbf", gamma=1.0, bias=False)), moons[1])
    assert len(passes) == 1


def test_a_sample_the_scores_turn_round_gets_the_mean_bias_and_says_so():
    X, y = np.array([[-2.0], *[[-1.0]] * 9]), np.r_[1.0, -np.ones(9)]
    model = MAMC(kernel="linear").fit(X, y)
    assert model.offset_ == pytest.approx(-0.8)
    assert "Eq. (13)" in model.status_


# MAMC_bs and MAMC_bsg


GAMMAS, SLOPES = (0.5, 5.0, 50.0), (0.5, 1.0, 2.0)


def cross_validated(X, y, gamma, slope):
    folds = StratifiedKFold(5, shuffle=True, random_state=3).split(X, y)
    model = MAMC("optimal", slope, gamma=gamma / X.shape[1])
    return sum(np.sum(model.fit(X[a], y[a]).predict(X[b]) != y[b]) for a, b in folds) / len(y)


def test_the_grid_search_finds_the_fewest_cross_validated_errors():
    X, y = sample("larger")
    model = MAMCSearch("grid", gammas=GAMMAS, slopes=SLOPES, random_state=3).fit(X, y)
    by_hand = np.array([[cross_validated(X, y, gamma, slope) for slope in (1.0, 0.5, 2.0)] for gamma in GAMMAS])
    np.testing.assert_allclose(model.cv_errors_, by_hand)
    i, j = np.unravel_index(by_hand.argmin(), by_hand.shape)
    assert model.best_params_ == {"gamma": GAMMAS[i], "slope": (1.0, 0.5, 2.0)[j]}
    alone = MAMC("optimal", model.best_params_["slope"], gamma=model.best_params_["gamma"] / 4).fit(X, y)
    np.testing.assert_allclose(model.decision_function(X), alone.decision_function(X), rtol=1e-12)
    np.testing.assert_array_equal(model.margins(X, y, "geometric"), model.margins(X, y) / model.norm_)


def test_the_line_search_looks_at_one_row_and_one_column():
    X, y = sample("larger")
    line = MAMCSearch("line", gammas=GAMMAS, slopes=SLOPES, random_state=3).fit(X, y)
    grid = MAMCSearch("grid", gammas=GAMMAS, slopes=SLOPES, random_state=3).fit(X, y)
    row = int(np.argmin(grid.cv_errors_[:, 0]))
    looked = np.zeros((3, 3), dtype=bool)
    looked[:, 0] = looked[row] = True
    np.testing.assert_array_equal(np.isnan(line.cv_errors_), ~looked)
    np.testing.assert_array_equal(line.cv_errors_[looked], grid.cv_errors_[looked])
    assert line.best_params_["gamma"] == GAMMAS[row]


@pytest.mark.parametrize("mode", ["line", "grid"])
def test_the_search_is_a_scikit_learn_estimator(mode):
    check_estimator(MAMCSearch(mode, gammas=GAMMAS, slopes=SLOPES))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"mode": "random"}, "mode must be one of line, grid; got 'random'"),
        ({"folds": 1}, r"folds must be an integer in \[2, ∞\]; got 1"),
        ({"gammas": ()}, "gammas must have at least one value"),
        ({"gammas": (1.0, -1.0)}, r"gammas: gamma must be a number in \(0, ∞\); got -1"),
        ({"slopes": (0.0,)}, r"slopes: slope must be a number in \(0, ∞\); got 0"),
    ],
)
def test_a_search_of_nothing_is_refused(params, message, moons):
    with pytest.raises(ValueError, match=message):
        MAMCSearch(**params).fit(*moons)


def test_a_search_needs_two_of_each_class(moons):
    X, y = moons
    with pytest.raises(ValueError, match="two examples of each class"):
        MAMCSearch().fit(X, np.r_[1.0, -np.ones(len(y) - 1)])
