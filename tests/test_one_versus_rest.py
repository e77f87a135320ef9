"""Two-class methods on several classes: one model for each class against the rest, on request."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier
from sklearn.utils.estimator_checks import check_estimator

import mdcore
from mdcore import LDM, METHODS, ODM, SVM, Experiment, LinearLDM, OneVersusRest
from mdcore.experiment.result_caches import clear_caches
from mdcore.experiment.run import Run
from tests.class_oracles import multiclass_sample
from tests.oracles import sample
from tests.walk import close

BINARY = [method for method in METHODS.values() if not method.multiclass]
over_binary = pytest.mark.parametrize("method", BINARY, ids=lambda method: method.key)


@pytest.mark.parametrize("estimator", [LDM(gamma=1.0), ODM(gamma=1.0), LinearLDM()], ids=str)
def test_one_versus_rest_is_scikit_learns(estimator):
    X, y = multiclass_sample("five overlapping")
    model, peer = OneVersusRest(estimator).fit(X, y), OneVsRestClassifier(estimator).fit(X, y)
    close(2.0 * model.decision_function(X), peer.decision_function(X), 1e-9)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    assert model.norm_ == pytest.approx(0.5 * np.sqrt(sum(one.norm_**2 for one in model.estimators_)))
    assert mdcore.OneVersusRest is OneVersusRest


def test_one_versus_rest_of_two_classes_has_the_margins_of_the_method():
    X, y = sample("moons")
    model, alone = OneVersusRest(LDM(gamma=1.0)).fit(X, y), LDM(gamma=1.0).fit(X, y)
    close(model.margins(X, y), alone.margins(X, y), 1e-7)


@pytest.mark.parametrize("estimator", [SVM(), LinearLDM()], ids=str)
@pytest.mark.filterwarnings("ignore")
def test_one_versus_rest_keeps_scikit_learns_contract(estimator):
    check_estimator(OneVersusRest(estimator))


@pytest.mark.parametrize("estimator", [mdcore.MCODM(), mdcore.OVA(), OneVersusRest(LDM()), LogisticRegression(), LDM])
def test_one_versus_rest_takes_methods_for_two_classes_only(estimator):
    with pytest.raises(ValueError, match="OneVersusRest: estimator must be one of mdcore's methods for two classes"):
        OneVersusRest(estimator).fit(*multiclass_sample("five overlapping"))


def test_one_versus_rest_shares_a_space():
    prepared = Experiment.from_query("data=iris").prepare()
    space = Experiment.from_query("data=iris").space()
    model = OneVersusRest(SVM()).fit_space(space, prepared.y_train)
    alone = OneVersusRest(SVM(gamma="scale")).fit(prepared.X_train, prepared.y_train)
    close(model.decision_function(prepared.X_test), alone.decision_function(prepared.X_test), 1e-9)


REST = "several=one-versus-rest"


@over_binary
def test_an_experiment_fits_methods_of_two_classes_one_versus_rest_where_it_is_asked_to(method):
    query = f"data=blobs-k&classes=4&each=20&gamma=1&kernel=rbf&methods={method.key}&{REST}"
    run = Experiment.from_query(query).run()[method.key]
    assert run.one_versus_rest
    assert run.name == f"{method.name}, one-versus-rest"
    assert run.marks() == ()
    by_hand = method.estimator(**run.params)
    if method.kernels:
        by_hand.set_params(kernel="rbf", gamma=1.0)
    X, y = run.prepared.X_train, run.prepared.y_train
    close(run.fit.train, OneVersusRest(by_hand).fit(X, y).margins(X, y), 1e-9)
    xs, ys = np.linspace(-2.0, 2.0, 9), np.linspace(-2.0, 3.0, 7)
    grid = np.array([(x, y) for y in ys for x in xs])
    regions, scores = run.regions(xs, ys)
    close(scores.reshape(4, -1).T, run.model.scores(grid), 1e-8)
    np.testing.assert_array_equal(run.model.classes_[regions.ravel()], run.model.predict(grid))


def run_anew(query: str) -> dict[str, Run]:
    """Run without caches, because a cached kernel matrix may change the last digits of a fit."""
    clear_caches()
    return Experiment.from_query(query).run()


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.key)
def test_the_setting_changes_nothing_for_two_classes_or_for_methods_of_several(method):
    for data in ("moons&n=40", *(("iris",) if method.multiclass else ())):
        plain, asked = (run_anew(f"data={data}&methods={method.key}{more}")[method.key] for more in ("", f"&{REST}"))
        assert plain.name == asked.name == method.name
        assert not asked.one_versus_rest
        np.testing.assert_array_equal(plain.fit.train, asked.fit.train)
