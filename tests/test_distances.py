"""A geometric margin is the distance to the boundary in the space of the kernel, whatever the method penalises.

The boundary is found from decision values alone: by optimisation in the input for the linear kernel, and from explicit
features, or the eigenvectors of the Gram matrix, for the other kernels.
"""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from mdcore import METHODS
from mdcore.margins.distribution import MarginDistribution, distances_of
from mdcore.methods.mamc_search import MAMCSearch
from mdcore.methods.one_versus_rest import OneVersusRest
from mdcore.solvers.largest_margin import largest_margin
from mdcore.study.references import REFERENCES

LINEAR = [(method, k) for method in METHODS.values() for k in (2, 3)]
KERNELS = {key: method for key, method in METHODS.items() if method.kernels}
CONVEX = ("svm", "ldm", "odm", "linearldm", "lssvm", "svr", "mamc", "komd", "mcsvm", "mcodm", "ova", "ovo", "ecoc")
GRAM = {"rbf": {"gamma": 0.7}, "laplacian": {"gamma": 0.4}, "poly": {"gamma": 0.5, "degree": 2, "coef0": 3.0}}
FAR = 1e6


def blobs(k, d=3, shift=0.0):
    X, y = make_blobs(48, d, centers=k, cluster_std=2.5, random_state=k)
    return X / 5.0 + shift, y


def fitted(method, k=2, *, X=None, y=None, **settings):
    if X is None:
        X, y = blobs(k, shift=2.0)
    if not method.kernels:
        settings.pop("kernel", None)
    model = method.estimator(**settings)
    if k > 2 and not method.multiclass:
        model = OneVersusRest(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y), X, y


def mixed():
    """Return rows of four classes that overlap."""
    rng = np.random.default_rng(5)
    y = np.arange(60) % 4
    return {"X": rng.normal(size=(60, 2)) + 0.8 * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])[y], "y": y}


def shifted():
    """Return rows of two separable classes away from the origin."""
    X, y = make_blobs(40, 4, centers=[[4, 4, 4, 4], [7, 5, 4, 4]], cluster_std=0.6, random_state=3)
    return X, y


def leads(model, x, own):
    """Return by how much a class is ahead of every other one at x, from decision values."""
    f = model.decision_function(x[None, :])
    return np.array([(2 * own - 1) * f[0]]) if f.ndim == 1 else np.delete(f[0, own] - f[0], own)


def way(goal, start, p):
    """Return the p-norm of the shortest step from `start` to where `goal`, -1 at the start, is not negative."""
    slopes = [goal(start + 1e-3 * axis) - goal(start) for axis in np.eye(len(start))]
    unit = 1e-3 / np.abs(slopes).max()  # about the length of the step
    found = minimize(
        lambda step: np.sum(np.abs(step) ** p),
        np.full(len(start), 0.5),
        constraints={"type": "ineq", "fun": lambda step: goal(start + unit * step)},
        method="SLSQP",
        options={"ftol": 1e-8, "maxiter": 300},
    )
    assert found.success, found.message
    return unit * float(found.fun ** (1.0 / p))


def distance(model, x, own, p):
    """Return the signed distance of x from the nearest boundary of its class, by optimisation."""
    ahead = leads(model, x, own)
    return min(
        sign * way(lambda z, l=l, sign=sign, unit=unit: -sign * leads(model, z, own)[l] / unit, x, p)
        for l, (sign, unit) in enumerate(zip(np.sign(ahead), np.abs(ahead), strict=True))
    )


def votes(method, k):
    return k > 2 and getattr(method.estimator, "voting", False)


@pytest.mark.parametrize(("method", "k"), LINEAR, ids=[f"{method.key}-{k}" for method, k in LINEAR])
def test_a_geometric_margin_is_the_distance_of_the_row_to_the_boundary(method, k):
    model, X, y = fitted(method, k, kernel="linear")
    if votes(method, k):
        with pytest.raises(ValueError, match="no geometric margins: with three or more classes, margins count votes"):
            model.margins(X, y, "geometric")
        assert not model.both_margins(X, y).are_distances
        return
    rows = np.arange(0, len(y), 7)
    expected = [distance(model, X[row], y[row], 2.0) for row in rows]
    np.testing.assert_allclose(model.margins(X, y, "geometric")[rows], expected, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("key", ["pumma", "alma"])
def test_p_norm_machines_measure_distances_in_the_p_norm(key):
    model, X, y = fitted(METHODS[key], p=4.0)
    expected = [distance(model, X[row], y[row], 4.0) for row in range(8)]
    np.testing.assert_allclose(model.margins(X, y, "geometric")[:8], expected, rtol=1e-3)


def test_the_features_of_a_soft_margin_are_not_part_of_the_distance():
    model, X, y = fitted(METHODS["pumma"], soft=2.0)
    expected = [distance(model, X[row], y[row], 2.0) for row in range(8)]
    np.testing.assert_allclose(model.margins(X, y, "geometric")[:8], expected, rtol=1e-4)


def test_on_the_wrong_side_the_margin_is_the_least_possible_distance():
    model, X, y = fitted(METHODS["mcsvm"], kernel="linear", **mixed())
    margins = model.margins(X, y, "geometric")
    wrong = np.flatnonzero(margins < 0.0)[:12]
    unit = -model.margins(X, y)
    ways = np.array([way(lambda z, i=i: leads(model, z, y[i]) / unit[i], X[i], 2.0) for i in wrong])
    assert (ways >= -margins[wrong] * (1.0 - 1e-4)).all()
    assert (ways > -1.001 * margins[wrong]).any()  # a corner between two boundaries is farther than either
    assert (model.predict(X[wrong]) != y[wrong]).all()


@pytest.mark.parametrize("name", GRAM)
@pytest.mark.parametrize("method", KERNELS.values(), ids=KERNELS)
@pytest.mark.parametrize("landmarks", [None, 30])
def test_in_the_space_of_a_kernel_margins_are_distances_too(method, name, landmarks):
    settings = {"kernel": name, **GRAM[name]}
    if landmarks and "landmarks" not in method.estimator().get_params():
        assert method.key in {"fmm", "pumma"}
        return
    rows, labels = blobs(2, 2)
    model, X, y = fitted(method, X=rows, y=labels, **settings, **{"landmarks": landmarks} if landmarks else {})
    expected = np.where(y == 1, 1.0, -1.0) * model.decision_function(X) / length(model.decision_function, X, **settings)
    np.testing.assert_allclose(model.margins(X, y, "geometric"), expected, rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("name", GRAM)
@pytest.mark.parametrize("method", KERNELS.values(), ids=KERNELS)
def test_so_they_are_between_the_boundaries_of_several_classes(method, name):
    if votes(method, 3):
        return
    rows, labels = blobs(3, 2)
    settings = {"kernel": name, **GRAM[name]}
    model, X, y = fitted(method, 3, X=rows, y=labels, **settings)
    f = model.decision_function(X)
    away = np.full(f.shape, np.inf)
    for own, other in ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)):
        norm = length(lambda Z, i=own, j=other: np.subtract(*model.decision_function(Z).T[[i, j]]), X, **settings)
        away[y == own, other] = ((f[:, own] - f[:, other]) / norm)[y == own]
    np.testing.assert_allclose(model.margins(X, y, "geometric"), away.min(axis=1), rtol=1e-3, atol=1e-9)


def length(f, X, *, kernel, gamma, degree=0, coef0=0.0):
    """Return ||w|| of f less its constant: for poly from explicit features, else from the eigenvectors of K."""
    if kernel == "poly":
        points = np.random.default_rng(0).normal(size=(40, 2))
        lower, mixed = np.sqrt(2.0 * gamma * coef0) * points, np.sqrt(2.0) * points.prod(axis=1, keepdims=True)
        Phi = np.hstack([gamma * points**2, gamma * mixed, lower, np.ones((40, 1))])
        w, _, rank, _ = np.linalg.lstsq(Phi, f(points), rcond=None)
        assert rank == 6
        np.testing.assert_allclose(Phi @ w, f(points), atol=1e-8 * np.abs(w).max())
        return np.linalg.norm(w[:-1])
    apart = X[:, None] - X[None, :]
    K = np.exp(-gamma * (np.square(apart) if kernel == "rbf" else np.abs(apart)).sum(axis=2))
    values, U = np.linalg.eigh(K)
    constant = f(np.full((1, X.shape[1]), FAR))  # where k(x, z) = 0 for all rows x
    kept = values > 1e-9 * values[-1]
    w = (U.T @ (f(X) - constant))[kept] / np.sqrt(values[kept])
    return np.linalg.norm(w)


@pytest.mark.parametrize("method", KERNELS.values(), ids=KERNELS)
def test_a_precomputed_kernel_is_taken_as_given(method):
    X, y = blobs(2, 3, shift=1.0)
    model, _, _ = fitted(method, X=X @ X.T, y=y, kernel="precomputed")
    f, constant = model.decision_function(X @ X.T), model.decision_function(np.zeros((1, len(X))))
    w = np.linalg.lstsq(X, f - constant, rcond=None)[0]
    ours = model.margins(X @ X.T, y, "geometric")
    np.testing.assert_allclose(ours, np.where(y == 1, f, -f) / np.linalg.norm(w), rtol=1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("key", ["mcsvm", "ova", "ovo", "ecoc"])
def test_two_classes_have_the_scale_of_the_svm(key, kernel):
    X, y = blobs(2)
    model = METHODS[key].estimator(8.0, kernel=kernel, gamma=0.5).fit(X, y)
    svm = METHODS["svm"].estimator(16.0 if key == "mcsvm" else 8.0, kernel=kernel, gamma=0.5).fit(X, y)
    np.testing.assert_allclose(model.margins(X, y, "geometric"), svm.margins(X, y, "geometric"), atol=1e-5)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("key", ["svm", "lssvm", "emamc", "pumma"])
def test_one_versus_rest_of_two_classes_has_the_scale_of_its_method(key, kernel):
    X, y = blobs(2)
    one, _, _ = fitted(METHODS[key], X=X, y=y, kernel=kernel, gamma=0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        both = OneVersusRest(METHODS[key].estimator(kernel=kernel, gamma=0.5)).fit(X, y)
    assert both.distance_norm() == pytest.approx(one.distance_norm(), rel=0.3 if key == "pumma" else 1e-6)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("key", ["ldm", "lssvm", "emamc", "mcsvm"])
def test_a_model_read_from_a_file_reports_the_same_margins(key, kernel):
    model, X, y = fitted(METHODS[key], 3, kernel=kernel, gamma=0.5)
    again = pickle.loads(pickle.dumps(model))
    close = np.testing.assert_allclose
    close(again.margins(X, y, "geometric"), model.margins(X, y, "geometric"), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("key", [key for key, method in METHODS.items() if method.estimator.accepts_sparse])
def test_sparse_rows_have_the_margins_of_dense_ones(key):
    X, y = blobs(2, 6, shift=1.0)
    X[X < 0.5] = 0.0
    dense, _, _ = fitted(METHODS[key], X=X, y=y, kernel="linear")
    sparse, _, _ = fitted(METHODS[key], X=csr_array(X), y=y, kernel="linear")
    expected = dense.margins(X, y, "geometric")
    np.testing.assert_allclose(sparse.margins(csr_array(X), y, "geometric"), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("key", ["svm", "lssvm", "mcsvm"])
def test_rows_of_weight_zero_change_no_distance(key, kernel):
    X, y = blobs(2)
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    estimator = METHODS[key].estimator(kernel=kernel, gamma=0.5)
    alone, _, _ = fitted(METHODS[key], X=X[weight > 0], y=y[weight > 0], kernel=kernel, gamma=0.5)
    for model in (estimator, *([] if estimator.multiclass else [OneVersusRest(estimator)])):
        norm = model.fit(X, y, sample_weight=weight).distance_norm()
        assert norm == pytest.approx(alone.distance_norm(), rel=1e-6)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("svm", {"C": np.inf}), ("fmm", {"tol": 1e-4, "max_iter": 20_000})),
        (("komd", {"lam": 0.0}), ("pumma", {"delta": 1e-4, "max_iter": 5000})),
        (("odm", {"lam": 8.0}), ("mcodm", {"lam": 4.0})),
        (("ldm", {"lambda1": 4.0, "C": 3.0}), ("linearldm", {"lambda1": 4.0, "C": 3.0})),
        (("mamc", {"bias": "zero"}), ("ldm", {"lambda1": 0.0, "lambda2": 5.0, "C": 0.0})),
    ],
)
def test_the_same_boundary_has_the_same_margins_whatever_the_method(first, second):
    X, y = make_blobs(60, 3, centers=2, cluster_std=1.0, center_box=(-4, 4), random_state=3)
    free = {"fit_intercept": False} if first[0] == "mamc" else {}
    one, two = (
        fitted(METHODS[key], X=X, y=y, kernel="linear", **settings | free)[0] for key, settings in (first, second)
    )
    assert one.norm_ != pytest.approx(two.norm_, rel=1e-3) or first[0] == "ldm"
    close = np.testing.assert_allclose
    close(one.margins(X, y, "geometric"), two.margins(X, y, "geometric"), atol=2e-2)


@pytest.mark.parametrize("key", ["lssvm", "svr", "komd", "mamc", "pumma"])
def test_methods_with_a_free_bias_keep_their_margins_when_the_rows_are_shifted(key):
    here, X, y = fitted(METHODS[key], kernel="linear")
    there, _, _ = fitted(METHODS[key], X=X + 1e3, y=y, kernel="linear")
    close = np.testing.assert_allclose
    close(there.margins(X + 1e3, y, "geometric"), here.margins(X, y, "geometric"), rtol=1e-3, atol=1e-4)


def test_the_bias_that_a_method_penalises_does_not_shrink_its_margins():
    """Away from the origin, and with one class rare, most of ||w|| of an SVM is its bias."""
    rng = np.random.default_rng(0)
    y = np.arange(200) < 10
    X = rng.normal(size=(200, 2)) + np.where(y, 1.5, 0.0)[:, None] + 10.0
    svm, _, _ = fitted(METHODS["svm"], X=X, y=y, kernel="linear", C=0.1)
    apart = svm.margins(X, y) / svm.margins(X, y, "geometric")
    assert svm.norm_ > 3.0 * apart[0]
    np.testing.assert_allclose(apart, np.linalg.norm(svm.coef_), rtol=1e-12)


@pytest.mark.parametrize(
    ("key", "settings"), [("svm", {"C": np.inf}), ("fmm", {"tol": 1e-4, "max_iter": 20_000})], ids=["svm", "fmm"]
)
def test_a_hard_margin_is_the_largest_in_its_own_norm_and_not_the_largest_distance(key, settings):
    X, y = shifted()
    signs = np.where(y == 1, 1.0, -1.0)
    model, _, _ = fitted(METHODS[key], X=X, y=y, kernel="linear", **settings)
    inside, free = largest_margin(np.c_[X, np.ones(40)], signs, bias=False), largest_margin(X, signs)
    assert model.margins(X, y, "paper").min() == pytest.approx(inside.lower, rel=1e-3)
    assert model.margins(X, y, "geometric").min() < 0.9 * free.lower


def test_with_a_free_bias_the_hard_margin_is_the_largest_distance():
    X, y = shifted()
    model, _, _ = fitted(METHODS["komd"], X=X, y=y, kernel="linear", lam=0.0)
    best = largest_margin(X, np.where(y == 1, 1.0, -1.0))
    assert model.margins(X, y, "geometric").min() == pytest.approx(best.lower, rel=1e-6)


@pytest.mark.parametrize("key", CONVEX)
def test_without_a_boundary_there_is_no_geometric_margin(key):
    """Both classes are symmetric about the same point, so that no direction tells them apart, and f is constant."""
    half = np.random.default_rng(1).normal(size=(20, 2))
    X, y = np.vstack([half, -half, 3.0 * half[:10], -3.0 * half[:10]]), np.repeat([0, 1], [40, 20])
    settings = {"lam": 1.0} if key == "komd" else {"bias": "mean"} if key == "mamc" else {}
    model, _, _ = fitted(METHODS[key], X=X, y=y, kernel="linear", **settings)
    assert np.isnan(model.margins(X, y, "geometric")).all()
    assert np.isnan(model.distance_norm())
    kept = model.both_margins(X, y)
    assert not kept.are_distances
    assert kept.on("geometric").scale == "functional"
    np.testing.assert_array_equal(kept.on("geometric").values, model.margins(X, y))
    with pytest.raises(ValueError, match="margins must be finite numbers"):
        MarginDistribution(model.margins(X, y, "geometric"), "geometric")


def test_a_class_that_is_ahead_by_a_constant_limits_no_distance():
    model, X, y = fitted(METHODS["mcsvm"], kernel="linear", **mixed())
    f, norms = model.decision_function(X), model.distance_norms_
    nearest = model.margins(X, y, "geometric")
    cut = np.array(norms)
    cut[0, 1] = cut[1, 0] = np.nan
    margins = distances_of(f, y, cut)
    behind = (y == 0) & (f[:, 0] <= f[:, 1]) | (y == 1) & (f[:, 1] <= f[:, 0])
    assert behind.any()
    np.testing.assert_array_equal(np.isnan(margins), behind)
    assert (margins[~behind] >= nearest[~behind]).all()
    np.testing.assert_array_equal(margins[y >= 2], nearest[y >= 2])


def test_log_odds_are_no_distances():
    X, y = blobs(2)
    for record in REFERENCES.values():
        model = record.estimator().fit(X, y)
        with pytest.raises(ValueError, match="no geometric margins: its decision values are log-odds"):
            model.margins(X, y, "geometric")


def test_a_search_measures_with_the_norm_of_its_best_model():
    X, y = blobs(2)
    search, signs = MAMCSearch().fit(X, y), np.where(y == 1, 1.0, -1.0)
    expected = search.best_estimator_.margins(X, signs, "geometric")
    np.testing.assert_array_equal(search.margins(X, y, "geometric"), expected)


def test_the_papers_normalisation_is_a_choice_of_its_own():
    X, y = blobs(3)
    model = METHODS["mcodm"].estimator(kernel="rbf").fit(X, y)
    np.testing.assert_array_equal(model.margins(X, y, "paper"), model.margins(X, y) / model.norm_)
    with pytest.raises(ValueError, match="scale must be one of functional, geometric; got 'printed'"):
        model.margins(X, y, "printed")


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_the_margins_of_the_rows_fitted_on_are_remembered(method):
    X, y = blobs(2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = method.estimator().fit(X, y)
    kept, fresh = model.margins_of_fit(X, y), model.both_margins(X, y)
    for scale in ("functional", "geometric"):
        a, b = kept.on(scale).values, fresh.on(scale).values
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9 * np.abs(b).max())
