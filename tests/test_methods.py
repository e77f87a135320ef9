"""Properties of every method, from its record; this file names no method."""

from __future__ import annotations

import re
import warnings
from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import mdcore
from mdcore import METHODS, MarginDistribution
from mdcore.spaces.kernels import Kernel
from mdcore.spec import Choice
from tests.oracles import sample
from tests.walk import (
    ALL,
    BATCH,
    CERTIFIED,
    KERNEL,
    ONLINE,
    all_corners,
    close,
    corners,
    fit,
    having,
    others,
    over,
    positions,
    settings_of,
    signature,
    single,
)


def value_of(method, model, y, margins, norm, a, offset):
    """Return the objective of the fitted model with other coefficients and another bias."""
    return method.value(margins, norm, settings_of(method, model), signs=y, offset=offset, dual_coef=a)


def weights(model):
    """Return w and b of f, for the linear kernel."""
    stacked = np.c_[model.coef_, model.intercept_].T
    *w, b = single(stacked) if len(model.coef_) == 2 else stacked[:, 0]
    return np.array(w), b


def metric_of(method, G):
    """Return M such that ||w||^2 = a'Ma for each column a of the coefficients."""
    return G if method.space == "kernel" else np.eye(len(G))


def problems_of(model, y):
    """Return the coefficients and signs of each problem solved: those of the SVMs of a code, or of the model."""
    code = getattr(model, "code_", None)
    if code is None:
        return [(model.dual_coef_, y)]
    signs = (np.where(y > 0, *column[::-1]) for column in code.T)
    return list(zip(model.binary_coef_.T, signs, strict=True))


def directions_from(a, y, rng):
    """Yield directions for coefficients: their own, the labels, random, one alone, one against another of its class."""
    eye, shape = np.eye(len(y)), (len(y), a.size // len(y))
    pairs = rng.permutation(len(y)).reshape(-1, 2)
    rows = [*eye, *(eye[i] - eye[j] for i, j in pairs if y[i] == y[j])]
    moves = [np.outer(y, np.ones(shape[1])), *rng.normal(size=(40, *shape))]
    moves += [np.outer(row, column) for row in rows for column in np.eye(shape[1])]
    return [a, *(move.reshape(a.shape) for move in moves)]


# The record


@over(ALL)
def test_the_record_describes_the_estimator(method):
    accepted = signature(method)
    assert METHODS[method.key] is method
    assert getattr(mdcore, method.estimator.__name__) is method.estimator
    assert method.estimator.__name__ in mdcore.__all__
    assert list(accepted)[: len(method.params)] == [p.name for p in method.params]
    assert {p.name: accepted[p.name].default for p in method.params} == {p.name: p.default for p in method.params}
    assert re.fullmatch(r"#[0-9A-F]{6}", method.color)
    for text in (
        method.name,
        method.summary,
        method.latex,
        method.limits,
        method.support,
        *(text for field, text in vars(method.paper).items() if field != "doi"),
    ):
        assert text.strip() == text != ""
    assert re.fullmatch(r"(10\.\d{4,}/\S+)?", method.paper.doi), "a DOI, where it is known"


def test_no_two_methods_share_a_key_a_name_or_a_color():
    for field in ("key", "name", "color", "estimator"):
        assert len({getattr(method, field) for method in ALL}) == len(ALL)


@over(ALL)
def test_defaults_sliders_and_grids_are_legal(method):
    for p in method.params:
        assert p.help.strip() == p.help != ""
        assert p.symbol
        if isinstance(p, Choice):
            assert p.default in p.options
            continue
        assert p.slider.low < p.slider.high
        assert not (p.slider.log and p.slider.low <= 0.0)
        for value in (*positions(p), *p.grid):
            assert p.check(int(value) if p.integer else value, method.name) == value
        for value in (p.default, *p.grid):
            assert p.slider.low <= value <= p.slider.high or (p.slider.zero and value == 0.0)


@over(ALL)
def test_settings_complete_and_check_a_choice(method):
    defaults = {p.name: p.default for p in method.params}
    assert method.settings({}) == defaults
    first = method.params[0]
    changed = others(first)[-1]
    assert method.settings({first.name: changed}) == {**defaults, first.name: changed}
    with pytest.raises(ValueError, match=f"{method.name} has no parameter 'speed'; its parameters are .*{first.name}"):
        method.settings({"speed": 1.0})
    with pytest.raises(ValueError, match=f"{first.name} must be .* got -1"):
        method.settings({first.name: -1})


@over([method for method in ALL if any(method.conflict(params, "rbf") for params in all_corners(method))])
def test_parameters_that_do_not_go_together_are_refused_with_the_records_reason(method, moons):
    for kernel in ("linear", "rbf"):
        for params in all_corners(method):
            if reason := method.conflict(params, kernel):
                with pytest.raises(ValueError, match=re.escape(reason)):
                    fit(method, *moons, kernel, **params)


# The solution


@over(CERTIFIED)
@pytest.mark.parametrize("name", ["moons", "separable", "duplicated rows", "unbalanced", "one feature", "two rows"])
def test_a_certificate_is_reached(method, name):
    for kernel in ("linear", "rbf"):
        model = fit(method, *sample(name), kernel)
        assert model.converged_
        assert 0.0 <= model.gap_ <= 1e-6


@over(CERTIFIED)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_certificate_is_reached_in_every_corner_of_the_sliders(method, kernel, moons):
    failed = []
    for params in corners(method, kernel):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = fit(method, *moons, kernel, **params)
        if not (model.converged_ and model.gap_ <= 1e-6) and "there is none" not in model.status_:
            failed.append((params, model.gap_))
    assert failed == []


@over(ALL)
def test_a_method_without_a_certificate_claims_none(method, moons):
    assert np.isnan(fit(method, *moons).gap_) == (method.certificate == "none")


@over([method for method in CERTIFIED if method.kernels])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_no_small_step_improves_the_objective(method, kernel, moons):
    X, y = moons
    model = fit(method, X, y, kernel)
    G, b = model.kernel_(X, X), model.offset_
    metric = metric_of(method, G)

    def value(a, signs, b=b):
        norm = float(np.sqrt(max(np.vdot(a, metric @ a), 0.0)))
        return value_of(method, model, signs, signs * (single(G @ a) + b), norm, a, b)

    found = problems_of(model, y)
    assert sum(value(a, signs) for a, signs in found) == pytest.approx(model.objective_, rel=1e-9)
    rng = np.random.default_rng(5)
    for a, signs in found:
        best = value(a, signs)
        directions = directions_from(a, y, rng)
        for direction, size in product(directions, (1e-6, 1e-4, 1e-2)):
            lengths = np.vdot(a, metric @ a) / max(np.vdot(direction, metric @ direction), 1e-300)
            step = size * np.sqrt(lengths) * direction
            assert value(a + step, signs) >= best - 1e-6 * abs(best)
            assert value(a - step, signs) >= best - 1e-6 * abs(best)
        for change in (1e-6, 1e-4, 1e-2):
            if method.bias == "own":
                assert min(value(a, signs, b + change), value(a, signs, b - change)) >= best - 1e-6 * abs(best)
        assert any(np.isfinite(value(a + 1e-6 * direction, signs)) for direction in directions)


@over(ALL)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_objective_is_that_of_the_margins_and_the_norm(method, kernel, moons):
    X, y = moons
    model = fit(method, X, y, kernel)
    a, offset = getattr(model, "dual_coef_", None), getattr(model, "offset_", 0.0)
    value = sum(value_of(method, model, y, margins, norm, a, offset) for margins, norm in model.problems(X, y))
    assert model.objective_ == pytest.approx(value, rel=1e-9)


@over(ALL)
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "laplacian"])
def test_the_norm_is_that_of_the_coefficients(method, kernel, moons):
    X, y = moons
    model = fit(method, X, y, kernel)
    if hasattr(model, "dual_coef_"):
        a = model.dual_coef_
        square = np.vdot(a, metric_of(method, model.kernel_(X, X)) @ a)
        assert model.norm_ == pytest.approx(np.sqrt(square), rel=1e-7)
    if hasattr(model, "coef_") and method.space == "kernel":
        w = model.coef_ if method.bias == "own" else np.c_[model.coef_, model.intercept_]
        assert model.norm_ == pytest.approx(np.linalg.norm(w), rel=1e-7)
    assert hasattr(model, "dual_coef_") or hasattr(model, "coef_")


@over(ALL)
@pytest.mark.parametrize("intercept", [True, False])
def test_a_linear_decision_is_that_of_its_weights(method, intercept, moons, fresh):
    X, y = moons
    model = fit(method, X, y, "linear", fit_intercept=intercept)
    functions = 2 if method.multiclass else 1
    assert model.coef_.shape == (functions, 2)
    assert model.intercept_.shape == (functions,)
    assert intercept or not model.intercept_.any()
    w, b = weights(model)
    np.testing.assert_allclose(model.decision_function(fresh), fresh @ w + b, rtol=1e-12)
    if hasattr(model, "dual_coef_"):
        constant = float(intercept and method.bias == "feature")
        f = (fresh @ X.T + constant) @ single(model.dual_coef_) + model.offset_
        close(model.decision_function(fresh), f, 1e-9)


@over(KERNEL)
@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
def test_a_kernel_decision_is_that_of_its_coefficients(method, kernel, moons, fresh):
    X, y = moons
    model = fit(method, X, y, kernel)
    k = Kernel(kernel, gamma=1.0, degree=model.degree, coef0=model.coef0, bias=method.bias == "feature")
    close(model.decision_function(fresh), k(fresh, X) @ single(model.dual_coef_) + model.offset_, 1e-10)


@over(ONLINE)
@pytest.mark.parametrize("p", [2.0, 3.0, 9.21])
def test_an_online_margin_is_in_units_of_the_q_norm_without_the_bias(method, p, separable):
    model = fit(method, *separable, "linear", **({"p": p} if "p" in signature(method) else {}))
    q = 1.0 / (1.0 - 1.0 / getattr(model, "p", 2.0))
    assert model.norm_ == pytest.approx(np.linalg.norm(model.coef_[0], ord=q), rel=1e-12)
    assert model.margin_ == pytest.approx(model.margins(*separable, "geometric").min(), rel=1e-9)


@over(ALL)
def test_prediction_and_margins_are_those_of_the_decision(method, moons, fresh):
    X, y = moons
    names = np.where(y > 0, "yes", "no")
    model = fit(method, X, names)
    f = model.decision_function(X)
    assert model.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(model.predict(X), np.where(f > 0, "yes", "no"))
    np.testing.assert_array_equal(model.margins(X, names), y * f)
    np.testing.assert_array_equal(model.margins(X, names, "geometric"), y * f / model.distance_norm())
    assert model.score(X, names) == MarginDistribution(model.margins(X, names)).accuracy


@over(ALL)
def test_fitted_attributes_have_their_types(method, moons):
    model = fit(method, *moons)
    for name in ("norm_", "objective_", "gap_"):
        assert isinstance(getattr(model, name), float)
    assert isinstance(model.n_iter_, int)
    assert isinstance(model.converged_, bool)
    assert model.support_.ndim == 1
    assert model.n_features_in_ == 2


@over(ALL)
def test_the_marks_of_a_fitted_model_are_finite(method, moons):
    model = fit(method, *moons)
    marks = method.marks(settings_of(method, model), MarginDistribution(model.margins(*moons)))
    assert marks
    for mark in marks:
        assert np.isfinite([mark.low, mark.high]).all()
        assert mark.low <= mark.high
        assert 0.0 < mark.strength <= 1.0
        assert mark.label


# Symmetries


@over(ALL)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_flipped_labels_flip_the_decision(method, kernel, moons, fresh):
    X, y = moons
    first, second = fit(method, X, y, kernel), fit(method, X, -y, kernel)
    close(first.decision_function(fresh), -second.decision_function(fresh), 1e-7)
    assert first.norm_ == pytest.approx(second.norm_, rel=1e-7)


@over([method for method in BATCH if "random_state" not in signature(method)])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_order_of_the_rows_does_not_matter(method, kernel, moons, fresh):
    X, y = moons
    order = np.random.default_rng(2).permutation(len(y))
    first, second = fit(method, X, y, kernel), fit(method, X[order], y[order], kernel)
    close(first.decision_function(fresh), second.decision_function(fresh), 1e-7)
    assert first.objective_ == pytest.approx(second.objective_, rel=1e-8)


@over(ALL)
def test_a_second_fit_is_the_same(method, moons, fresh):
    model = method.estimator()
    first = model.fit(*moons).decision_function(fresh)
    np.testing.assert_array_equal(model.fit(*moons).decision_function(fresh), first)
    np.testing.assert_array_equal(clone(model).fit(*moons).decision_function(fresh), first)


@over(having("random_state"))
def test_chance_is_the_random_states(method, moons, fresh, monkeypatch):
    monkeypatch.setattr("mdcore.methods.linear_ldm.FEW_COLUMNS", 0)
    first, same, other = (fit(method, *moons, random_state=seed).decision_function(fresh) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


@over(KERNEL)
@pytest.mark.parametrize("intercept", [True, False])
def test_a_precomputed_kernel_is_the_kernel(method, intercept, moons, fresh):
    X, y = moons
    model = fit(method, X, y, "rbf", fit_intercept=intercept)
    given = fit(method, np.exp(-(cdist(X, X) ** 2)), y, "precomputed", fit_intercept=intercept)
    close(given.decision_function(np.exp(-(cdist(fresh, X) ** 2))), model.decision_function(fresh), 1e-7)
    assert given.norm_ == pytest.approx(model.norm_, rel=1e-7)
