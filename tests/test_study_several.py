"""Comparisons on several classes: multi-class methods, two-class methods one versus the rest, figures, samples."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

from mdcore import METHODS, load_dataset
from mdcore.data.splitting import stratified
from mdcore.experiment.query import KernelKey
from mdcore.figures import view_figure
from mdcore.study import Candidate, Failure, Plan, Within, compare, numbers, summary
from mdcore.study.board import board
from mdcore.study.data import Data
from mdcore.study.evaluation import refit
from mdcore.study.headline import named
from mdcore.study.planes import boundaries, components, distance, pair
from tests.comparisons import LINEAR, RBF, plan

# Methods of several classes

MULTICLASS = [key for key, method in METHODS.items() if method.multiclass]


@pytest.mark.parametrize("kernel", [RBF, LINEAR], ids=["rbf", "linear"])
@pytest.mark.parametrize("classes", [2, 4])
def test_methods_of_several_classes_are_compared_on_two_or_more(classes: int, kernel: KernelKey) -> None:
    sample = load_dataset("blobs-k", seed=0, classes=classes, each=20)
    given = plan(*MULTICLASS, repeats=2, kernel=kernel)
    found = compare(sample.X, sample.y, StandardScaler(), given)
    assert found.complete
    data = Data(sample.X, sample.y, StandardScaler())
    for result in found.outcomes:
        assert not isinstance(result, Failure)
        fitted = refit(data, given, result)
        part, model = fitted.prepared, fitted.model
        assert result.scores["accuracy"] == pytest.approx(np.mean(model.predict(part.X_new) == part.y_new))
        np.testing.assert_array_equal(result.test, model.margins(part.X_new, part.y_new))
        assert len(components(fitted).margins) == len(sample.y)
        assert np.isfinite(pair(fitted, 0, 1, "mean").projection.points).all()
        if classes > 2 and model.voting:
            assert boundaries(fitted) == {}
            with pytest.raises(ValueError, match="no boundary None with a distance"):
                distance(fitted)
            continue
        assert len(boundaries(fitted)) == classes * (classes - 1) // 2
        for name, (first, second) in boundaries(fitted).items():
            x = distance(fitted, name).projection.points[:, 0]
            f = model.scores(np.vstack([part.X_fit, part.X_new]))
            np.testing.assert_allclose(x * model.distance_norm(first, second), f[:, first] - f[:, second], atol=1e-9)


OPPOSED = plan("svm", "linearldm", "mcsvm", repeats=2, several="one-versus-rest")
CLOUDS = load_dataset("blobs-k", seed=0, classes=4, each=20)


def test_reference_learners_tell_several_classes_apart() -> None:
    data = load_dataset("iris")
    candidates = (Candidate.fixed("mcsvm"), Candidate.fixed("logistic"), Candidate.fixed("boosting"))
    found = compare(data.X, data.y, StandardScaler(), Plan(candidates, repeats=2, kernel=LINEAR))
    assert found.complete
    assert not found.failures
    for key in ("logistic", "boosting"):
        assert found.spread(key, "accuracy").mean > 0.9
        result = found.of(key)[0]
        geometric = result.margins("test", "geometric").values
        np.testing.assert_allclose(geometric, result.margins("test", "functional").values)
    assert found.with_margins == ["mcsvm"]


@pytest.mark.parametrize("key", ["logistic", "boosting"])
def test_reference_learners_rank_rows_by_the_probability_of_each_class(key: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    grade = np.digitize(X[:, 0] + 0.5 * rng.normal(size=300), (-0.7, 0.7))  # the raw score of the middle class is flat
    plan = Plan((Candidate.fixed(key),), repeats=1, kernel=LINEAR)
    (result,) = compare(X, grade, StandardScaler(), plan).of(key)
    fitted = refit(Data(X, grade, StandardScaler()), plan, result)
    said = fitted.model.model_.predict_proba(fitted.prepared.X_new)
    np.testing.assert_allclose(np.exp(fitted.model.decision_function(fitted.prepared.X_new)), said)
    assert result.scores["auc"] == pytest.approx(roc_auc_score(fitted.prepared.y_new, said, multi_class="ovr"))


def test_methods_of_two_classes_are_compared_one_versus_rest_and_named_so() -> None:
    found = compare(CLOUDS.X, CLOUDS.y, StandardScaler(), OPPOSED)
    assert found.complete
    assert not found.failures
    assert list(found.names.values()) == ["SVM, one-versus-rest", "LinearLDM, one-versus-rest", "mcSVM"]
    assert [row["name"] for row in summary(found)] == list(found.names.values())
    assert "method=svm, name=SVM, one-versus-rest, " in numbers(found)
    assert found.confusion("svm").shape == (4, 4)
    data = Data(CLOUDS.X, CLOUDS.y, StandardScaler())
    (one, _) = found.of("svm")
    fitted = refit(data, OPPOSED, one)
    part = fitted.prepared
    scores_of_classes = fitted.model.decision_function(part.X_new)
    assert one.scores["auc"] == pytest.approx(
        np.mean([roc_auc_score(part.y_new == label, scores_of_classes[:, label]) for label in range(4)])
    )
    assert one.scores["f1"] == pytest.approx(f1_score(part.y_new, fitted.model.predict(part.X_new), average="macro"))


def test_one_versus_rest_has_the_exact_distance_to_each_of_its_boundaries() -> None:
    found = compare(CLOUDS.X, CLOUDS.y, StandardScaler(), OPPOSED)
    fitted = refit(Data(CLOUDS.X, CLOUDS.y, StandardScaler()), OPPOSED, found.of("svm")[0])
    assert list(boundaries(fitted)) == [f"{label} and the rest" for label in range(4)]
    X = np.vstack([fitted.prepared.X_fit, fitted.prepared.X_new])
    for name, (code, _) in boundaries(fitted).items():
        view, own = distance(fitted, name), fitted.model.estimators_[code]
        np.testing.assert_allclose(view.projection.points[:, 0], own.decision_function(X) / own.distance_norm())
        assert f"boundary of SVM between {name}" in view.projection.note


def test_two_columns_of_several_classes_show_the_class_predicted() -> None:
    found = compare(CLOUDS.X, CLOUDS.y, StandardScaler(), OPPOSED)
    fitted = refit(Data(CLOUDS.X, CLOUDS.y, StandardScaler()), OPPOSED, found.of("mcsvm")[0])
    view = pair(fitted, 0, 1, "mean")
    assert view.field is not None
    xs, ys, codes = view.field
    grid = np.array([(x, y) for y in ys for x in xs])
    np.testing.assert_array_equal(fitted.model.classes_[codes.ravel()], fitted.model.predict(grid))
    (colours,) = (trace for trace in view_figure(view).data if trace.type == "heatmap")
    assert colours.text[3, 5] == str(fitted.model.classes_[codes[3, 5]])


@pytest.mark.parametrize("size", [3, 10, 299])
def test_the_subsample_of_a_kernel_method_holds_the_classes_in_proportion_and_each_of_them(size: int) -> None:
    y = np.repeat(["common", "rare", "single"], [200, 99, 1])
    rows = stratified(y, size, seed=0)
    assert len(np.unique(rows)) == size
    counts = [np.sum(y[rows] == name) for name in ("common", "rare", "single")]
    assert min(counts) >= 1
    assert np.abs(np.array(counts) - size * np.array([200, 99, 1]) / 300).max() <= 1.0


def test_a_subsample_that_cannot_hold_all_classes_is_refused() -> None:
    y = np.repeat(np.arange(12), 10)
    given = Plan((Candidate("mcsvm", within=Within(rows=10)),))
    with pytest.raises(ValueError, match="10 rows cannot hold all 12 classes"):
        given.parts(given.candidates[0], y, 0)


def test_names_in_a_headline_have_no_commas_that_could_part_them() -> None:
    found = compare(CLOUDS.X, CLOUDS.y, StandardScaler(), OPPOSED)
    (svm,) = [line for line in board(found, "accuracy").lines if line.key == "svm"]
    assert named(svm) == "SVM (one-versus-rest)"
