"""Inputs that every method refuses, and the error messages; no method is named."""

from __future__ import annotations

import re
import tracemalloc
import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from mdcore import METHODS
from mdcore.methods.base import MAX_ITER, TOL
from mdcore.spaces.kernels import COEF0, DEGREE, GAMMA
from mdcore.spec import Choice, Interval, Param
from tests.walk import ALL, BINARY, KERNEL, WEIGHTED, fit, over, signature

SMALL_CHANGE = 2**20  # bytes of a fit that do not grow quadratically with the rows


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
def test_a_number_too_large_to_be_squared_is_located(method, moons):
    X, y = moons[0].copy(), moons[1]
    X[7, 1] = -2e100
    with pytest.raises(ValueError, match=r"X contains -2e\+100: column 1, row 7. Scale the features; .* ±1e\+100"):
        fit(method, X, y)
    if method.sparse:
        with pytest.raises(ValueError, match=r"sparse matrix, or a number too large; .* within ±1e\+100"):
            fit(method, csr_matrix(X), y, kernel="linear")


@over(ALL)
@pytest.mark.parametrize("cell", ["tall", pd.Timestamp("2024-02-29")])
def test_a_cell_that_is_no_number_is_located(method, cell, moons):
    table = pd.DataFrame(moons[0], columns=["width", "height"])
    numbers = fit(method, table.astype({"height": object}), moons[1])
    np.testing.assert_array_equal(numbers.predict(table), fit(method, *moons).predict(moons[0]))
    table["height"] = [*map(float, range(len(table) - 1)), cell]
    where = f"column 'height', row {len(table) - 1}"
    with pytest.raises(ValueError, match=f"X contains '{cell}': {where}. Encode or drop the column"):
        fit(method, table, moons[1])


@over(ALL)
@pytest.mark.parametrize("kind", [int, float, bool])
def test_labels_may_be_numbers_held_as_objects(method, kind, moons):
    X, y = moons[0], (moons[1] > 0).astype(kind)
    plain, held = fit(method, X, y), fit(method, X, y.astype(object))
    assert held.classes_.dtype == plain.classes_.dtype
    np.testing.assert_array_equal(held.margins(X, y.astype(object)), plain.margins(X, y))


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
    """Return values just outside an interval, and values that are not numbers."""
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
    monkeypatch.setattr("mdcore.spaces.space.UNCHECKED_BYTES", 0)
    monkeypatch.setattr("mdcore.spaces.columns.FEW_ROWS", 0)  # so few rows are computed without checking memory
    way = "Set landmarks" if method.landmarks else "has no landmarks: use a method that has"
    with pytest.raises(ValueError, match=rf"40 rows needs about .* GiB .*{way}, .* at most \d+ rows") as refused:
        fit(method, *moons)
    most = int(re.findall(r"\d+", str(refused.value))[-1])
    assert 10 <= most <= 20
    fit(method, moons[0][:most], moons[1][:most])


@over([method for method in KERNEL if method.estimator()._needs_gram("rbf", (40, 2))])
def test_it_is_refused_before_gamma_takes_as_many_distances(method, moons, monkeypatch):
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=4 * 8 * 20**2))
    monkeypatch.setattr("mdcore.spaces.space.UNCHECKED_BYTES", 0)
    monkeypatch.setattr("mdcore.spaces.kernels.average_distance", None)
    with pytest.raises(ValueError, match="40 rows needs about"):
        method.estimator(kernel="rbf", gamma="distance").fit(*moons)


@over(KERNEL)
@pytest.mark.parametrize("gamma", [1.0, 300.0])
def test_a_fit_takes_no_more_memory_than_was_asked_for(method, gamma):
    X, y = make_moons(400, noise=0.3, random_state=0)
    fitting = method.estimator(kernel="rbf", gamma=gamma)
    fitting.fit(X[:100], y[:100])  # compiled code and imported modules stay
    tracemalloc.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fitting.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 8 * 400**2 * fitting.matrices + SMALL_CHANGE


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


@over(KERNEL)
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
