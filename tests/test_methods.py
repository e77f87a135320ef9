"""What holds for every method, read off its record: this file names none of them."""

from __future__ import annotations

import inspect
import pickle
import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from threading import Event
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from threadpoolctl import OpenBLASController, threadpool_info, threadpool_limits

import mdcore
from mdcore import METHODS, MarginDistribution
from mdcore.kernels import COEF0, DEGREE, GAMMA, Kernel
from mdcore.methods.base import MAX_ITER, TOL
from mdcore.methods.kernel_machine import one_blas_thread
from mdcore.spec import Choice, Interval, Param
from tests.oracles import sample

ALL = list(METHODS.values())
CERTIFIED = [method for method in ALL if method.certificate == "gap"]
KERNEL = [method for method in ALL if method.kernels]
WEIGHTED = [method for method in ALL if method.weights]
BATCH = [method for method in ALL if method.family == "batch"]
ONLINE = [method for method in ALL if method.family == "online"]
BINARY = [method for method in ALL if not method.multiclass]


def signature(method):
    return inspect.signature(method.estimator).parameters


def having(name):
    return [method for method in ALL if name in signature(method)]


def over(methods, name="method"):
    return pytest.mark.parametrize(name, methods, ids=lambda method: method.key)


def kernel_of(method, kernel):
    return {"kernel": kernel, "gamma": 1.0} if method.kernels else {}


def fit(method, X, y, kernel="rbf", **params):
    return method.estimator(**kernel_of(method, kernel), **params).fit(X, y)


def settings_of(method, model):
    return {p.name: getattr(model, p.name) for p in method.params}


def value_of(method, model, y, margins, norm, a, offset):
    """The objective of a model like the fitted one, with other coefficients and another bias."""
    return method.value(margins, norm, settings_of(method, model), signs=y, offset=offset, dual_coef=a)


def positions(param):
    """The ends of a slider, its zero, and the default."""
    ends = {param.slider.low, param.slider.high, param.default, *([0.0] if param.slider.zero else [])}
    return sorted(int(v) if param.integer else v for v in ends)


def others(p):
    """Legal values other than the default."""
    if isinstance(p, Choice):
        return [option for option in p.options if option != p.default]
    if p.integer:
        return [p.default // 4, p.default * 4]
    ends = [max(p.default / 4, p.slider.low), min(p.default * 4, p.slider.high)]
    return [value for value in ends if value != p.default]


def all_corners(method):
    """Every combination of slider ends, zeros and defaults."""
    numbers = [p for p in method.params if isinstance(p, Param)]
    for values in product(*(positions(p) for p in numbers)):
        yield {p.name: value for p, value in zip(numbers, values, strict=True)}


def corners(method, kernel):
    """Those that go together."""
    return [params for params in all_corners(method) if not method.conflict(params, kernel)]


def single(values):
    """What belongs to f = f_1 - f_0, of values with a column for each class."""
    return values[..., 1] - values[..., 0] if values.ndim == 2 else values


def weights(model):
    """w and b of f, for the linear kernel."""
    stacked = np.c_[model.coef_, model.intercept_].T
    *w, b = single(stacked) if len(model.coef_) == 2 else stacked[:, 0]
    return np.array(w), b


def metric_of(method, G):
    """M with ||w||^2 = a'Ma for each column a of the coefficients."""
    return G if method.space == "kernel" else np.eye(len(G))


def problems_of(model, y):
    """Coefficients and signs of each problem that was solved: those of a code's SVMs, or the model's own."""
    code = getattr(model, "code_", None)
    if code is None:
        return [(model.dual_coef_, y)]
    signs = (np.where(y > 0, *column[::-1]) for column in code.T)
    return list(zip(model.binary_coef_.T, signs, strict=True))


def directions_from(a, y, rng):
    """Ways to move coefficients: their own, the labels', at random, one of them, one against another of its class."""
    eye, shape = np.eye(len(y)), (len(y), a.size // len(y))
    pairs = rng.permutation(len(y)).reshape(-1, 2)
    rows = [*eye, *(eye[i] - eye[j] for i, j in pairs if y[i] == y[j])]
    moves = [np.outer(y, np.ones(shape[1])), *rng.normal(size=(40, *shape))]
    moves += [np.outer(row, column) for row in rows for column in np.eye(shape[1])]
    return [a, *(move.reshape(a.shape) for move in moves)]


def fit_and_listen(method, X, y, **params):
    """The model, and whether a ConvergenceWarning named its class; any other warning is an error."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("error")
        warnings.simplefilter("always", ConvergenceWarning)
        model = fit(method, X, y, **params)
    assert all(f"{method.estimator.__name__} did not converge" in str(w.message) for w in heard)
    return model, bool(heard)


def close(f, g, share=1e-5):
    """Two decision functions agree to a share of their size, far finer than any picture of them."""
    np.testing.assert_allclose(f, g, rtol=0.0, atol=share * np.abs(g).max())


@pytest.fixture(scope="module")
def fresh():
    """Rows that no model was trained on."""
    return np.random.default_rng(3).normal(size=(50, 2))


# The record


@over(ALL)
def test_the_record_describes_the_estimator(method):
    accepted = signature(method)
    assert METHODS[method.key] is method
    assert getattr(mdcore, method.estimator.__name__) is method.estimator
    assert method.estimator.__name__ in mdcore.__all__
    assert tuple(method.estimator.parameters) == tuple(method.params)
    assert list(accepted)[: len(method.params)] == [p.name for p in method.params]
    assert {p.name: accepted[p.name].default for p in method.params} == {p.name: p.default for p in method.params}
    assert method.kernels == ("kernel" in accepted)
    assert method.sparse == method.estimator.accepts_sparse
    assert method.multiclass == method.estimator.multiclass
    assert method.weights == ("sample_weight" in inspect.signature(method.estimator.fit).parameters)
    assert re.fullmatch(r"#[0-9A-F]{6}", method.color)
    for text in (
        method.name,
        method.summary,
        method.latex,
        method.limits,
        method.support,
        *vars(method.paper).values(),
    ):
        assert text.strip() == text != ""


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
    with pytest.raises(ValueError, match=f"{method.name} has no parameter 'speed'; it has .*{first.name}"):
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
        if not (model.converged_ and model.gap_ <= 1e-6):
            failed.append((params, model.gap_))
    assert failed == []


@over(ALL)
def test_a_method_without_a_certificate_claims_none(method, moons):
    assert np.isnan(fit(method, *moons).gap_) == (method.certificate == "none")


@over(CERTIFIED)
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
    np.testing.assert_array_equal(model.margins(X, names, "geometric"), y * f / model.norm_)
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
def test_chance_is_the_random_states(method, moons, fresh):
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


# Life of an estimator


@over(ALL)
@pytest.mark.parametrize("warm", [False, True])
def test_a_pickle_decides_alike(method, warm, moons, fresh):
    model = fit(method, *moons, **({"warm_start": True} if warm and "warm_start" in signature(method) else {}))
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(fresh), model.decision_function(fresh))
    close(copy.fit(*moons).decision_function(fresh), model.decision_function(fresh), 1e-7)


@over(ALL)
def test_a_clone_has_the_parameters_and_nothing_else(method, moons):
    model = fit(method, *moons)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copy.decision_function(moons[0])


@over(having("warm_start"))
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_warm_start_ends_where_a_cold_one_does(method, kernel, moons, fresh):
    model = fit(method, *moons, kernel, warm_start=True)
    for p in method.params:
        for value in [*others(p), p.default]:
            model.set_params(**{p.name: value}).fit(*moons)
            cold = clone(model).set_params(warm_start=False).fit(*moons)
            assert model.objective_ == pytest.approx(cold.objective_, rel=1e-6)
            close(model.decision_function(fresh), cold.decision_function(fresh))


@over(having("warm_start"))
def test_a_warm_start_forgets_other_rows_labels_and_kernels(method, moons, fresh):
    X, y = moons
    model = fit(method, X, y, warm_start=True)
    for changed, rows, labels in (({}, X + 1.0, y), ({}, X, -y), ({"gamma": 0.1}, X, y), ({}, X[:30], y[:30])):
        model.set_params(**changed).fit(rows, labels)
        cold = clone(model).set_params(warm_start=False).fit(rows, labels)
        close(model.decision_function(fresh), cold.decision_function(fresh))


@over(having("warm_start"))
def test_a_moved_parameter_reuses_the_kernel_matrix(method, moons, monkeypatch):
    model = fit(method, *moons, warm_start=True)
    monkeypatch.setattr(Kernel, "__call__", lambda *_: pytest.fail("the kernel matrix was computed again"))
    model.set_params(**{method.params[0].name: others(method.params[0])[0]}).fit(*moons)


@over(having("max_iter"))
def test_running_out_of_steps_is_said(method):
    X, y = sample("larger")
    unfinished = 0
    for params in corners(method, "linear"):
        strict = {"max_iter": 1} | ({"tol": 1e-15} if "tol" in signature(method) else {})
        model, warned = fit_and_listen(method, X, y, kernel="linear", **(params | strict))
        assert model.n_iter_ <= 1
        assert warned == (not model.converged_)
        assert np.isfinite(model.decision_function(X)).all()
        unfinished += not model.converged_
    assert unfinished


@over(ALL)
@pytest.mark.parametrize("name", ["moons", "separable", "overlapping"])
def test_a_warning_and_converged_never_disagree(method, name):
    model, warned = fit_and_listen(method, *sample(name))
    assert warned == (not model.converged_)


@over([method for method in ALL if hasattr(method.estimator, "partial_fit")])
def test_batches_are_learned_one_by_one(method, fresh):
    X, y = sample("larger")
    model = method.estimator()
    with pytest.raises(ValueError, match="one class"):
        model.partial_fit(X[y > 0], y[y > 0])
    model = method.estimator()
    for part in np.array_split(np.arange(len(y)), 5):
        model.partial_fit(X[part], y[part], classes=[-1, 1])
        assert np.isfinite(model.decision_function(X)).all()
    with pytest.raises(ValueError, match=r"y has labels not seen before: \[2"):
        model.partial_fit(X, np.where(y > 0, 2, -1))


# Bad input


@over(ALL)
@pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
def test_a_value_that_is_no_number_is_located(method, bad, word, moons):
    X, y = moons[0].copy(), moons[1]
    X[7, 1] = X[9, 0] = bad
    with pytest.raises(ValueError, match=f"X contains {word}: column 1, row 7"):
        fit(method, X, y)
    with pytest.raises(ValueError, match=f"X contains {word}: column 'height', row 7"):
        fit(method, pd.DataFrame(X, columns=["width", "height"]), y)
    with pytest.raises(ValueError, match=f"X contains {word}: column 1, row 7"):
        fit(method, *moons).decision_function(X)


@over(ALL)
def test_a_missing_label_is_located(method, moons):
    X, y = moons[0], moons[1].copy()
    y[3] = np.nan
    with pytest.raises(ValueError, match="y contains NaN or infinity, first in row 3"):
        fit(method, X, y)


@over(ALL)
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA])
def test_a_missing_label_among_names_is_located(method, missing, moons):
    X, y = moons[0], np.where(moons[1] > 0, "yes", "no").astype(object)
    y[3] = missing
    with pytest.raises(ValueError, match="row 3"):
        fit(method, X, y)


@over(ALL)
@pytest.mark.parametrize("label", [1, 0.0, "a"])
def test_one_class_is_too_few(method, label, moons):
    X, y = moons
    with pytest.raises(ValueError, match=rf"y has one class only, {label!r}; .*two classes"):
        fit(method, X, np.full(len(y), label))


@over(ALL)
def test_labels_of_two_types_are_refused(method, moons):
    X, y = moons
    with pytest.raises(ValueError, match="y mixes labels of the types int, str"):
        fit(method, X, np.array([1 if label > 0 else "no" for label in y], dtype=object))


@over(BINARY)
def test_three_classes_are_too_many_for_a_method_of_two(method, moons):
    X, y = moons
    with pytest.raises(ValueError, match="y has 3 classes; keep two of them, or use OneVersusRest"):
        fit(method, X, np.arange(len(y)) % 3)


@over(ALL)
def test_real_targets_are_no_classes(method, moons):
    X, y = moons
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        fit(method, X, y + np.linspace(0.0, 1.0, len(y)))


@over(ALL)
def test_lengths_must_match(method, moons):
    X, y = moons
    with pytest.raises(ValueError, match="X has 40 rows and y has 39 labels"):
        fit(method, X, y[1:])
    model = fit(method, X, y)
    with pytest.raises(ValueError, match=r"X has 40 rows and y has shape \(39,\)"):
        model.margins(X, y[1:])
    with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 2 features"):
        model.decision_function(X[:, :1])
    with pytest.raises(ValueError, match=r"labels not seen in fit: \[2.0\]; known are \[-1.0, 1.0\]"):
        model.margins(X, np.where(y > 0, y, 2.0))
    with pytest.raises(ValueError, match="scale must be one of functional, geometric; got 'relative'"):
        model.margins(X, y, "relative")


def illegal(legal: Interval) -> list:
    """Values just outside an interval, and what is no number."""
    low = legal.low if legal.open_low else np.nextafter(legal.low, -np.inf)
    high = legal.high if legal.open_high else np.nextafter(legal.high, np.inf)
    return [low, *([high] if high > legal.high or legal.open_high else []), np.nan, "1", None, True]


@over(ALL)
def test_a_parameter_outside_its_domain_is_named_with_the_domain(method, moons):
    name = method.estimator.__name__
    own = [p for p in method.params if isinstance(p, Param)]
    for p in [*own, *(p for p in (TOL, MAX_ITER) if p.name in signature(method))]:
        kind = "an integer" if p.integer else "a number"
        message = re.escape(f"{name}: {p.name} must be {kind} in {p.legal}; got ")
        for value in [*illegal(p.legal), *([1.5] if p.integer else [])]:
            with pytest.raises(ValueError, match=message):
                fit(method, *moons, **{p.name: value})
    for choice in (p for p in method.params if isinstance(p, Choice)):
        with pytest.raises(ValueError, match=f"{name}: {choice.name} must be one of .*; got 'none such'"):
            fit(method, *moons, **{choice.name: "none such"})


@over(ALL)
def test_a_switch_is_true_or_false(method, moons):
    for switch in {"fit_intercept", "warm_start"} & set(signature(method)):
        for value in ("False", 2, 0.5, None):
            with pytest.raises(ValueError, match=f"{switch} must be True or False; got {value!r}"):
                fit(method, *moons, **{switch: value})
        for value in (False, np.True_, 0, 1):
            same = fit(method, *moons, **{switch: bool(value)}).decision_function(moons[0])
            np.testing.assert_array_equal(fit(method, *moons, **{switch: value}).decision_function(moons[0]), same)


@over(KERNEL)
def test_a_kernel_parameter_outside_its_domain_is_named_with_the_domain(method, moons):
    for p in (GAMMA, DEGREE, COEF0):
        values = [v for v in illegal(p.legal) if not (p is GAMMA and isinstance(v, str))]
        for value in [*values, *([1.5] if p.integer else [])]:
            model = method.estimator(kernel="poly", **{p.name: value})
            with pytest.raises(ValueError, match=re.escape(f"{p.name} must be ") + ".*" + re.escape(str(p.legal))):
                model.fit(*moons)
    with pytest.raises(ValueError, match=r"gamma must be a number in .*, 'scale', 'distance' or 'abe'; got 'auto'"):
        method.estimator(kernel="rbf", gamma="auto").fit(*moons)
    with pytest.raises(
        ValueError, match="kernel must be one of rbf, linear, poly, laplacian, precomputed; got 'sigmoid'"
    ):
        method.estimator(kernel="sigmoid").fit(*moons)


@over(KERNEL)
def test_a_precomputed_kernel_must_be_square(method, moons):
    X, y = moons
    with pytest.raises(ValueError, match=r"needs the square Gram matrix of the rows; X has shape \(40, 2\)"):
        fit(method, X, y, "precomputed")


@over(KERNEL)
def test_a_kernel_matrix_that_cannot_fit_is_refused(method, moons, monkeypatch):
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=4 * 8 * 20**2))
    with pytest.raises(
        ValueError, match=r"40 rows needs about .* GiB .* Use LinearLDM, .* at most \d+ rows"
    ) as refused:
        fit(method, *moons)
    most = int(re.findall(r"\d+", str(refused.value))[-1])
    assert 10 <= most <= 20
    fit(method, moons[0][:most], moons[1][:most])


@over(KERNEL)
def test_it_is_refused_before_gamma_takes_as_many_distances(method, moons, monkeypatch):
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=4 * 8 * 20**2))
    monkeypatch.setattr("mdcore.kernels.average_distance", None)
    with pytest.raises(ValueError, match="40 rows needs about"):
        method.estimator(kernel="rbf", gamma="distance").fit(*moons)


@over([method for method in ALL if not method.kernels])
def test_a_method_without_a_kernel_needs_no_such_memory(method, moons, monkeypatch):
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=1))
    fit(method, *moons)


@over(WEIGHTED)
def test_weights_are_checked(method, moons):
    X, y = moons
    for weight, message in (
        (np.where(np.arange(len(y)) == 5, -1.0, 1.0), r"sample_weight must be in \[0, ∞\); row 5 is negative"),
        (np.where(y > 0, 1.0, 0.0), "sample_weight leaves one class only"),
        (np.zeros(len(y)), "non-zero"),
        (np.ones(3), "sample_weight.shape"),
        (np.full(len(y), np.nan), "sample_weight"),
    ):
        with pytest.raises(ValueError, match=message):
            method.estimator().fit(X, y, sample_weight=weight)


@pytest.mark.parametrize("method", [m for m in METHODS.values() if m.kernels], ids=lambda m: m.key)
def test_a_refit_with_another_kernel_leaves_nothing_of_the_first(method):
    X, y = sample("moons")
    model = method.estimator(kernel="linear", gamma=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        refitted = model.fit(X, y).set_params(kernel="rbf").fit(X, y)
        fresh = method.estimator(kernel="rbf", gamma=1.0).fit(X, y)
        assert sorted(vars(refitted)) == sorted(vars(fresh))
        back = refitted.set_params(kernel="linear").fit(X, y)
        fresh = method.estimator(kernel="linear", gamma=1.0).fit(X, y)
        assert sorted(vars(back)) == sorted(vars(fresh))


@over(ALL)
def test_a_model_keeps_its_rows_whatever_becomes_of_the_callers(method, moons, fresh):
    X, y = moons
    X = X.copy()
    model = fit(method, X, y)
    before = model.decision_function(fresh)
    X[:] = 0.0
    np.testing.assert_array_equal(model.decision_function(fresh), before)


def test_fits_side_by_side_leave_the_threads_of_blas_as_they_were():
    def threads():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    first_in, second_in, first_out = Event(), Event(), Event()

    def first():
        with one_blas_thread(10):
            first_in.set()
            second_in.wait()

    def second():
        first_in.wait()
        with one_blas_thread(10):
            second_in.set()
            first_out.wait()

    OpenBLASController.clear_controlling_thread(force=True)  # of tests before
    with threadpool_limits(limits=2, user_api="blas"), ThreadPoolExecutor(2) as pool:
        OpenBLASController.clear_controlling_thread()  # or others could not limit it
        before = threads()
        running = [pool.submit(first), pool.submit(second)]
        running[0].result()
        assert set(threads()) == {1}  # the one that came first went first
        first_out.set()
        running[1].result()
        assert threads() == before


@pytest.mark.parametrize("method", [m for m in METHODS.values() if m.kernels], ids=lambda m: m.key)
def test_a_precomputed_matrix_must_be_symmetric(method):
    G = np.array([[2.0, 1.0, 0.0], [0.5, 2.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(ValueError, match="symmetric Gram matrix"):
        method.estimator(kernel="precomputed").fit(G, [0, 1, 1])


@pytest.mark.parametrize("method", [m for m in METHODS.values() if m.kernels], ids=lambda m: m.key)
@pytest.mark.parametrize("product", [0.5, 3.0])
def test_a_precomputed_matrix_must_be_one_of_inner_products(method, product):
    G = np.array([[2.0, product, 0.0], [product, -1.0 if product < 1.0 else 2.0, 0.0], [0.0, 0.0, 1.0]])
    with pytest.raises(ValueError, match="not positive semi-definite"):
        method.estimator(kernel="precomputed").fit(G, [0, 1, 1])
