"""Methods of several classes: common properties, and each compared with the problem as its paper states it."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_blobs
from sklearn.svm import LinearSVC

from mdcore import MCODM, MCSVM, METHODS, OVA, SVM, Experiment
from mdcore.experiment.query import BadKey
from mdcore.margins.bounds import multiclass_bound
from mdcore.margins.distribution import MarginDistribution, margins_of
from tests.batch import gram
from tests.class_oracles import CrammerSingerProblem, close, features, multiclass_sample, weights
from tests.oracles import sample, square_root

SEVERAL = [method for method in METHODS.values() if method.multiclass]
BINARY = [method for method in METHODS.values() if not method.multiclass]
NAMES = ["three far apart", "five overlapping", "four on a line", "duplicated rows"]
over_several = pytest.mark.parametrize("method", SEVERAL, ids=lambda method: method.key)
over_binary = pytest.mark.parametrize("method", BINARY, ids=lambda method: method.key)
over_names = pytest.mark.parametrize("name", NAMES)
over_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf"])


# Every method of several classes


def test_margins_are_what_the_definition_says():
    f, codes = np.array([[3.0, 1.0, 2.5], [0.0, -1.0, 4.0], [2.0, 2.0, 1.0]]), np.array([0, 1, 0])
    np.testing.assert_array_equal(margins_of(f, codes), [0.5, -5.0, 0.0])
    np.testing.assert_array_equal(margins_of(np.array([2.0, -3.0]), np.array([1, 1])), [2.0, -3.0])


@over_several
@over_kernels
@over_names
def test_scores_margins_norm_and_prediction_fit_together(method, kernel, name):
    X, y = multiclass_sample(name)
    names = np.array(["d", "b", "a", "c", "e"])[y]
    model = method.estimator(kernel=kernel, gamma=1.0).fit(X, names)
    k, G = len(model.classes_), model.kernel_(X, X)
    f, codes = model.decision_function(X), model._codes(names, len(y))
    assert f.shape == model.scores(X).shape == model.dual_coef_.shape == (len(y), k)
    if model.voting:
        assert model.norm_ == 1.0
        right, votes = model.margins(X, names) > 0.0, model.votes(X)
        assert (votes[np.arange(len(y)), codes][right] == votes.max(axis=1)[right]).all()
        assert np.abs(f[:, :, None] - f[:, None]).max() < 1.5
    else:
        close(f, G @ model.dual_coef_, 1e-9)
        assert model.norm_ == pytest.approx(np.sqrt(np.vdot(model.dual_coef_, G @ model.dual_coef_)), rel=1e-7)
    if kernel == "linear" and not model.voting:
        assert (model.coef_.shape, model.intercept_.shape) == ((k, X.shape[1]), (k,))
        np.testing.assert_allclose(f, X @ model.coef_.T + model.intercept_, rtol=1e-12)
        assert model.norm_ == pytest.approx(np.linalg.norm(np.c_[model.coef_, model.intercept_]), rel=1e-12)
    np.testing.assert_array_equal(model.predict(X), model.classes_[np.argmax(f, axis=1)])
    own = np.array([row[label] - np.delete(row, label).max() for row, label in zip(f, codes, strict=True)])
    np.testing.assert_array_equal(model.margins(X, names), own)
    np.testing.assert_array_equal(model.margins(X, names, "paper"), own / model.norm_)
    assert model.score(X, names) == MarginDistribution(own).accuracy


@over_several
@over_kernels
@over_names
def test_the_objective_is_that_of_its_problems_and_certified(method, kernel, name):
    X, y = multiclass_sample(name)
    model = method.estimator(kernel=kernel, gamma=1.0).fit(X, y)
    params = {p.name: getattr(model, p.name) for p in method.params}
    value = sum(method.objective(margins, norm, **params) for margins, norm in model.problems(X, y))
    assert model.objective_ == pytest.approx(value, rel=1e-8)
    assert model.converged_
    assert 0.0 <= model.gap_ <= 1e-8


@over_several
@over_kernels
def test_classes_and_rows_have_no_order(method, kernel):
    X, y = multiclass_sample("five overlapping")
    rng = np.random.default_rng(0)
    classes, rows = rng.permutation(5), rng.permutation(len(y))
    first = method.estimator(kernel=kernel, gamma=1.0).fit(X, y)
    second = method.estimator(kernel=kernel, gamma=1.0).fit(X[rows], classes[y][rows])
    close(second.decision_function(X)[:, classes], first.decision_function(X), 1e-6)
    assert second.objective_ == pytest.approx(first.objective_, rel=1e-8)


@over_several
def test_a_warm_start_and_a_pickle_keep_to_the_problem(method):
    X, y = multiclass_sample("five overlapping")
    model = method.estimator(gamma=1.0, warm_start=True).fit(X, y)
    first = method.params[0]
    for value in (first.default / 4, first.default * 4):
        model.set_params(**{first.name: value}).fit(X, y)
        cold = clone(model).set_params(warm_start=False).fit(X, y)
        assert model.objective_ == pytest.approx(cold.objective_, rel=1e-2 if method.key == "mcodm" else 1e-7)
        assert model.gap_ <= 1e-8
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).scores(X), model.scores(X))
    model.fit(X, (y + 1) % 5)
    assert model.gap_ <= 1e-8
    model.fit(X, y % 3)
    assert model.scores(X).shape == (len(y), 3)


@over_several
def test_a_matrix_that_is_no_kernel_is_refused(method):
    X, y = multiclass_sample("five overlapping")
    products = X @ X.T
    less = products - 0.5 * np.diagonal(products).min() * np.eye(len(X))  # no diagonal entry is negative
    with pytest.raises(ValueError, match="not positive semi-definite"):
        method.estimator(kernel="precomputed").fit(less, y)


@over_several
def test_an_experiment_on_several_classes_has_margin_distributions(method):
    for data in ("iris", "wine", "digits&keep=0,1,2,3&test=0.7", "sectors&classes=5&each=20"):
        run = Experiment.from_query(f"data={data}&methods={method.key}&gamma=distance").run()[method.key]
        assert run.train.accuracy > 0.8
        assert run.test.accuracy > 0.7
        assert len(run.train) == len(run.prepared.y_train)
        assert run.model.converged_
        codes = np.searchsorted(run.model.classes_, run.prepared.y_test)
        np.testing.assert_array_equal(run.fit.test, margins_of(run.model.scores(run.prepared.X_test), codes))


@over_several
@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_regions_are_the_predictions_on_the_grid(method, classes, kernel):
    query = f"data=blobs-k&classes={classes}&each=20&kernel={kernel}&methods={method.key}"
    run = Experiment.from_query(query).run()[method.key]
    xs, ys = np.linspace(-2.0, 2.0, 9), np.linspace(-2.0, 3.0, 7)
    grid = np.array([(x, y) for y in ys for x in xs])
    regions, scores = run.regions(xs, ys)
    assert (regions.shape, scores.shape) == ((7, 9), (classes, 7, 9))
    close(scores.reshape(classes, -1).T, run.model.scores(grid), 1e-8)
    np.testing.assert_array_equal(run.model.classes_[regions.ravel()], run.model.predict(grid))
    if classes == 2:
        close(run.field(xs, ys).ravel(), run.model.decision_function(grid), 1e-8)
    else:
        with pytest.raises(ValueError, match=r"has 5 scores per point, not one: use Run\.regions"):
            run.field(xs, ys)


@over_binary
def test_methods_of_two_classes_have_regions_too_and_refuse_more(method):
    run = Experiment.from_query(f"data=blobs-k&classes=2&each=20&methods={method.key}").run()[method.key]
    xs = np.linspace(-2.0, 2.0, 5)
    regions, scores = run.regions(xs, xs)
    np.testing.assert_array_equal(regions, (run.field(xs, xs) > 0).astype(int))
    np.testing.assert_allclose(scores[1] - scores[0], run.field(xs, xs))
    with pytest.raises(ValueError, match=r"the data have 3\. Set several classes to one-versus-rest"):
        Experiment.from_query(f"data=iris&methods={method.key}").run()


# mcSVM


@over_names
@over_kernels
@pytest.mark.parametrize("C", [2.0**-6, 1.0, 2.0**10])
def test_mcsvm_is_the_problem_of_crammer_and_singer(optima, name, kernel, C):
    X, y = multiclass_sample(name)
    F = features(X, kernel)
    model = MCSVM(C, kernel=kernel, gamma=1.0).fit(X, y)
    (least,) = optima(CrammerSingerProblem(F, y, C))
    assert model.objective_ == pytest.approx(least, rel=1e-6)
    W = weights(model, F)
    hinge = np.maximum(1.0 - model.margins(X, y), 0.0).sum()
    assert 0.5 * np.sum(W**2) + C * hinge == pytest.approx(least, rel=1e-6)
    close(F @ W, model.decision_function(X), 1e-9)


@over_names
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_mcsvm_is_liblinears_and_no_worse(name, C):
    X, y = multiclass_sample(name)
    peer = LinearSVC(C=C, multi_class="crammer_singer", tol=1e-8, max_iter=100_000, random_state=0).fit(X, y)
    theirs = METHODS["mcsvm"].objective(
        margins_of(peer.decision_function(X), y), float(np.linalg.norm(np.c_[peer.coef_, peer.intercept_])), C=C
    )
    model = MCSVM(C, kernel="linear").fit(X, y)
    assert model.objective_ <= theirs * (1.0 + 1e-9)
    assert model.objective_ == pytest.approx(theirs, rel=1e-3)
    close(model.decision_function(X), peer.decision_function(X), 0.02)


@pytest.mark.parametrize("C", [1e-3, 1.0])
def test_examples_without_a_loss_have_no_part_in_mcsvm(C):
    """Most of these examples are far beyond their margin of one, and are skipped by the solver."""
    X, y = make_blobs(3000, 8, centers=6, cluster_std=2.0, random_state=3)
    whole = MCSVM(C, kernel="linear").fit(X, y)
    awake = np.flatnonzero(whole.dual_coef_.any(axis=1) | (whole.margins(X, y) < 1.0))
    alone = MCSVM(C, kernel="linear").fit(X[awake], y[awake])
    assert len(awake) < 0.5 * len(X)
    assert whole.gap_ <= 1e-8
    assert alone.objective_ == pytest.approx(whole.objective_, rel=2e-8)
    assert alone.coef_ == pytest.approx(whole.coef_, abs=1e-3 * np.abs(whole.coef_).max())


@over_kernels
@pytest.mark.parametrize("C", [2.0**-6, 16.0, 2.0**10])
def test_two_classes_are_half_of_the_svm(kernel, C):
    X, y = sample("moons")
    ours, svm = MCSVM(C, kernel=kernel, gamma=1.0).fit(X, y), SVM(2.0 * C, kernel=kernel, gamma=1.0).fit(X, y)
    assert ours.objective_ == pytest.approx(0.5 * svm.objective_, rel=1e-9)
    close(ours.decision_function(X), svm.decision_function(X))


@pytest.mark.parametrize("C", [1.0, 2.0**10])
def test_features_of_very_different_sizes_do_not_stop_mcsvm(C):
    """Sizes go from 1e-3 to 4e3 without scaling, for which the first steps are far too short."""
    X, y = load_breast_cancer(return_X_y=True)
    model = MCSVM(C, kernel="linear", tol=1e-6).fit(X, y)
    assert model.gap_ <= 1e-6
    assert model.objective_ == pytest.approx(
        0.5 * SVM(2.0 * C, kernel="linear", tol=1e-5).fit(X, y).objective_, rel=2e-5
    )


# Distances


@over_several
@over_kernels
def test_the_weights_between_two_classes_make_f_a_distance(method, kernel):
    X, y = multiclass_sample("five overlapping")
    model = method.estimator(kernel=kernel, gamma=1.0).fit(X, y)
    if model.voting:
        X, y = sample("moons")
        model.fit(X, y)
    W = model.coef_.T if kernel == "linear" else square_root(gram(X, kernel)).T @ model.dual_coef_
    for first, second in ((1, 0), (0, 1)) if model.voting else ((1, 0), (4, 2)):
        expected = np.linalg.norm(W[:, first] - W[:, second])
        assert model.distance_norm(first, second) == pytest.approx(expected, rel=1e-6)


@over_kernels
def test_one_versus_all_of_two_classes_has_the_svms_distances(kernel):
    X, y = sample("moons")
    svm, model = SVM(16.0, kernel=kernel, gamma=1.0).fit(X, y), OVA(16.0, kernel=kernel, gamma=1.0).fit(X, y)
    close(model.decision_function(X) / model.distance_norm(), svm.decision_function(X) / svm.distance_norm(), 1e-6)


# The bound


@pytest.mark.parametrize("theta", [0.0, 0.4])
def test_theorem_1_has_the_three_terms_of_its_definition(theta):
    g = np.array([-1.0, 0.0, 0.3, 0.59, 0.7, 2.0])
    phi = [1.0 if z <= 0 else (z - 1 + theta) ** 2 / (1 - theta) ** 2 if z <= 1 - theta else 0.0 for z in g]
    bound = multiclass_bound(MarginDistribution(g), 3.0, 2.0, 4, theta)
    assert bound.terms["loss"] == pytest.approx(np.mean(phi))
    assert bound.terms["complexity"] == pytest.approx(16 * 2.0 * 3.0 / (1 - theta) * np.sqrt(2 * np.pi * 4 / 6))
    assert bound.terms["confidence"] == pytest.approx(3 * np.sqrt(np.log(2 / 0.05) / 12))
    assert bound.value == pytest.approx(sum(bound.terms.values()))
    assert bound.vacuous
    with pytest.raises(ValueError, match="functional margins; got margins on the geometric scale"):
        multiclass_bound(MarginDistribution(g, "geometric"), 3.0, 2.0, 4, theta)


def test_theorem_1_for_a_fitted_model_bounds_its_training_error():
    X, y = multiclass_sample("five overlapping")
    model = MCODM(gamma=1.0).fit(X, y)
    margins = MarginDistribution(model.margins(X, y))
    bound = multiclass_bound(margins, model.norm_, np.sqrt(2.0), 5, model.theta)
    assert bound.terms["loss"] >= 1.0 - margins.accuracy
    assert bound.value > bound.terms["loss"]


def test_a_query_with_an_unknown_number_of_classes_is_refused():
    for data, k in product(("sectors", "blobs-k"), (1, 9)):
        with pytest.raises(BadKey, match=r"classes must be an integer in \[2, 8\]"):
            Experiment.from_query(f"data={data}&classes={k}")


def test_rows_so_long_that_the_loss_is_rounded_away_are_refused() -> None:
    longer = Experiment.from_query("data=iris&kernel=poly&gamma=1024&scaling=none&methods=mcodm")
    with pytest.raises(ValueError, match="Scale the features if they are large"):
        longer.run_method("mcodm")
