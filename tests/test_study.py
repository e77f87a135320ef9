"""A comparison is honest: same splits for all, nothing learnt from test rows, tests that are what they say."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.metrics import balanced_accuracy_score, f1_score, roc_auc_score
from sklearn.preprocessing import StandardScaler

from mdcore import METHODS, Experiment, load_dataset
from mdcore.data import split
from mdcore.data.preparation import stratified
from mdcore.figures import view_figure
from mdcore.projection import principal_plane
from mdcore.query import KernelKey
from mdcore.space import MATRICES_PER_FIT, check_memory, largest_kernel_problem
from mdcore.study import (
    Candidate,
    Comparison,
    Failure,
    Plan,
    band,
    compare,
    data_of,
    difference,
    differences,
    examples,
    from_json,
    margin_axis,
    numbers,
    results,
    summary,
    to_json,
)
from mdcore.study.data import Data
from mdcore.study.scores import area_under_curve, confusion, scores
from mdcore.study.trial import refit
from mdcore.study.views import boundaries, components, distance, pair

MOONS = load_dataset("moons", n=90, noise=0.3, seed=1)
RBF = KernelKey("rbf", 1.0, 3, 1.0, True)
LINEAR = KernelKey("linear", "scale", 3, 1.0, True)


def plan(*keys: str, **changes: Any) -> Plan:
    candidates = tuple(Candidate.fixed(key) for key in keys or ("svm", "odm"))
    return Plan(candidates, **{"repeats": 3, "kernel": RBF, **changes})


def run(given: Plan, **options: Any) -> Comparison:
    return compare(MOONS.X, MOONS.y, StandardScaler(), given, **options)


class Spy(TransformerMixin, BaseEstimator):
    """Passes rows on, and writes down which it was fitted on; the first column numbers them."""

    def __init__(self, log: list[set[int]] | None = None) -> None:
        self.log = log

    def __sklearn_clone__(self) -> Spy:
        return Spy(self.log)

    def fit(self, X: Any, y: Any = None) -> Spy:
        assert self.log is not None
        self.log.append(set(X[:, 0].astype(int)))
        return self

    def transform(self, X: Any) -> Any:
        return X[:, 1:]


# Splits


def test_every_method_sees_the_splits_of_the_plan() -> None:
    given = plan("svm", "odm", "linearldm")
    found = run(given)
    assert found.complete
    for number, (train, test) in enumerate(given.splits(MOONS.y)):
        expected = split(MOONS.y, 0.3, number)
        assert np.array_equal(train, expected[0])
        assert np.array_equal(test, expected[1])
        for key in found.keys:
            result = found.of(key)[number]
            scaler = StandardScaler().fit(MOONS.X[train])
            model = METHODS[key].estimator(**result.params).fit(scaler.transform(MOONS.X[train]), MOONS.y[train])
            X_test = scaler.transform(MOONS.X[test])
            np.testing.assert_array_equal(result.test, model.margins(X_test, MOONS.y[test]))
            assert result.scores["accuracy"] == model.score(X_test, MOONS.y[test])


def test_the_first_split_is_the_one_of_the_stage() -> None:
    experiment = Experiment.from_query("data=breast-cancer&seed=3&methods=svm&kernel=rbf&gamma=0.05&scaling=standard")
    data = data_of(experiment)
    given = Plan((Candidate.fixed("svm", **experiment.settings("svm")),), repeats=1, seed=3, kernel=experiment.kernel)
    (result,) = compare(data.X, data.y, data.preparation, given).of("svm")
    drawn = experiment.run()["svm"]
    np.testing.assert_allclose(result.test / result.norm, drawn.test.values, rtol=1e-6, atol=1e-9)


def test_preparation_is_fitted_on_training_rows_alone_also_inside_the_cross_validation() -> None:
    X = np.column_stack([np.arange(90), MOONS.X])
    log: list[set[int]] = []
    given = Plan((Candidate("svm", grid=(("C", (1.0, 10.0)),)),), repeats=2, folds=3, kernel=RBF)
    compare(X, MOONS.y, Spy(log), given)
    assert len(log) == 2 * (3 + 1)
    for number, (train, test) in enumerate(given.splits(MOONS.y)):
        *folds, whole = log[4 * number : 4 * number + 4]
        assert whole == set(train)
        for fold in folds:
            assert fold < set(train)
            assert not fold & set(test)
        # Each training row is left out of exactly one fold.
        assert sorted(row for fold in folds for row in set(train) - fold) == train.tolist()


def test_nothing_that_is_learnt_depends_on_the_test_rows() -> None:
    given = Plan((Candidate.tuned("svm"),), repeats=1, kernel=RBF)
    _, test = given.split(MOONS.y, 0)
    X = MOONS.X.copy()
    X[test] = 1000.0 * np.random.default_rng(0).standard_normal((len(test), 2))
    (clean,) = run(given).of("svm")
    (spoilt,) = compare(X, MOONS.y, StandardScaler(), given).of("svm")
    assert spoilt.params == clean.params
    np.testing.assert_array_equal(spoilt.train, clean.train)
    assert spoilt.scores != clean.scores


# Choosing


def test_cross_validation_finds_the_only_parameter_that_works() -> None:
    # With so small a C every rbf SVM predicts one class of these unbalanced data.
    data = load_dataset("imbalanced", n=120, balance=0.3, noise=0.3, seed=0)
    candidate = Candidate("svm", grid=(("C", (1e-6, 10.0)),))
    given = Plan((candidate,), repeats=3, kernel=RBF)
    found = compare(data.X, data.y, StandardScaler(), given)
    assert [result.params["C"] for result in found.of("svm")] == [10.0] * 3


def test_cross_validation_agrees_with_a_search_by_hand() -> None:
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.pipeline import make_pipeline

    given = Plan((Candidate("odm", grid=(("lam", (1.0, 64.0)), ("theta", (0.2, 0.8)))),), repeats=2, kernel=RBF)
    found = run(given)
    for number, (train, _) in enumerate(given.splits(MOONS.y)):
        search = GridSearchCV(
            make_pipeline(StandardScaler(), METHODS["odm"].estimator(gamma=1.0)),
            {"odm__lam": [1.0, 64.0], "odm__theta": [0.2, 0.8]},
            cv=StratifiedKFold(5, shuffle=True, random_state=number),
            scoring="accuracy",
        ).fit(MOONS.X[train], MOONS.y[train])
        means = search.cv_results_["mean_test_score"]
        mine = {f"odm__{name}": found.of("odm")[number].params[name] for name in ("lam", "theta")}
        # The folds are of different sizes, by one row: the means are over folds in both.
        chosen = next(i for i, params in enumerate(search.cv_results_["params"]) if params == mine)
        assert means[chosen] == pytest.approx(means.max(), abs=1e-12)


def test_ties_go_to_the_smaller_parameters() -> None:
    blobs = load_dataset("blobs", n=60, noise=0.1, seed=0)  # any C separates these
    given = Plan((Candidate.tuned("svm"),), repeats=2, kernel=LINEAR)
    found = compare(blobs.X, blobs.y, StandardScaler(), given)
    assert [result.params["C"] for result in found.of("svm")] == [10.0, 10.0]


def test_the_width_is_chosen_too_where_a_kernel_has_one() -> None:
    given = plan("svm", "linearldm", widths=(1e-6, 1.0))
    assert given.alternatives(given.candidate("svm")) == 2
    assert given.alternatives(given.candidate("linearldm")) == 1
    xor = load_dataset("xor", n=120, noise=0.1, seed=0)  # no near-linear kernel can tell these apart
    found = compare(xor.X, xor.y, StandardScaler(), given)
    assert [result.params["gamma"] for result in found.of("svm")] == [1.0] * 3


@pytest.mark.parametrize("key", METHODS)
def test_the_grid_of_a_method_is_that_of_its_record(key: str) -> None:
    candidate = Candidate.tuned(key)
    grids = dict(candidate.grid)
    for param in METHODS[key].params:
        assert grids.get(param.name, ()) == tuple(sorted(getattr(param, "grid", ())))
    assert len(candidate.choices()) == np.prod([len(values) for values in grids.values()] or [1])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("key", METHODS)
def test_only_parameters_that_go_together_are_tried(key: str, kernel: str) -> None:
    candidate = Candidate.tuned(key)
    given = Plan((candidate,), kernel=KernelKey(kernel, 1.0, 3, 1.0, True))
    tried = given.choices(candidate)
    assert tried
    assert not any(METHODS[key].conflict(params, kernel) for params in tried)


def test_parameters_that_never_go_together_fail_with_the_reason() -> None:
    candidate = Candidate.fixed("pumma", p=3.0)
    found = compare(MOONS.X, MOONS.y, StandardScaler(), Plan((candidate,), repeats=2, kernel=plan().kernel))
    assert all("p = 2; got p=3" in outcome.reason for outcome in found.outcomes)


# Scores


def test_scores_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    y, f = rng.choice(["no", "yes"], 50, p=[0.7, 0.3]), rng.standard_normal(50)
    classes = np.array(["no", "yes"])
    predicted = classes[(f > 0).astype(int)]
    found = scores(confusion(y, predicted, classes), area_under_curve(y, f, classes), 1)
    assert found["balanced_accuracy"] == pytest.approx(balanced_accuracy_score(y, predicted))
    assert found["f1"] == pytest.approx(f1_score(y, predicted, pos_label="yes"))
    assert found["auc"] == pytest.approx(roc_auc_score(y == "yes", f))
    other = scores(confusion(y, predicted, classes), np.nan, 0)
    assert other["f1"] == pytest.approx(f1_score(y, predicted, pos_label="no"))


def test_scores_of_several_classes_are_those_of_scikit_learn() -> None:
    rng = np.random.default_rng(1)
    y, predicted, f = rng.integers(0, 3, 60), rng.integers(0, 3, 60), rng.standard_normal((60, 3))
    found = scores(confusion(y, predicted, np.arange(3)), area_under_curve(y, f, np.arange(3)), 2)
    assert found["f1"] == pytest.approx(f1_score(y, predicted, average="macro"))
    assert found["auc"] == pytest.approx(roc_auc_score(np.eye(3)[y], f, average="macro"))


# Paired tests


def test_the_plain_test_is_scipys_and_the_corrected_one_is_as_computed_by_hand() -> None:
    values = np.array([0.02, 0.01, -0.01, 0.03, 0.02, 0.0])
    found = difference("svm", "ldm", values, n_train=70, n_test=30)
    reference = ttest_rel(values, np.zeros(6))
    assert (found.plain.t, found.plain.p) == (pytest.approx(reference.statistic), pytest.approx(reference.pvalue))
    interval = reference.confidence_interval()
    assert (found.plain.low, found.plain.high) == (pytest.approx(interval.low), pytest.approx(interval.high))
    # By hand: mean 0.07 / 6; squares 19 - 6 (7/6)^2 = 10.8333 in 1e-4, over 5; factor 1/6 + 30/70 = 25/42.
    t = (0.07 / 6) / math.sqrt(10.8333333e-4 / 5 * 25 / 42)
    assert found.corrected.t == pytest.approx(t, rel=1e-6)
    # The distribution function of Student's t with 5 degrees of freedom is elementary.
    angle = math.atan(t / math.sqrt(5))
    inside = 2 / math.pi * (angle + math.sin(angle) * (math.cos(angle) + 2 / 3 * math.cos(angle) ** 3))
    assert found.corrected.p == pytest.approx(1 - inside, rel=1e-6)
    assert (found.wins, found.ties, found.losses) == (4, 1, 1)


def test_equal_results_are_no_difference_and_a_constant_one_is_certain() -> None:
    same = difference("svm", "ldm", np.zeros(4), n_train=7, n_test=3)
    assert (same.corrected.p, same.corrected.t, same.ties) == (1.0, 0.0, 4)
    constant = difference("svm", "ldm", np.array([0.9, 0.8]) - np.array([0.8, 0.7]), n_train=7, n_test=3)
    assert (constant.corrected.p, constant.deviation) == (0.0, 0.0)


def test_only_splits_that_both_have_are_compared() -> None:
    found = run(plan(repeats=4))
    part = found.with_outcomes([])
    kept = [outcome for outcome in part.outcomes if not (outcome.key == "odm" and outcome.split == 2)]
    shorter = Comparison(found.plan, found.y, found.fingerprint, tuple(kept), found.versions)
    (one,) = differences(shorter, "accuracy")
    assert one.splits == 3
    expected = np.delete(found.score("svm", "accuracy") - found.score("odm", "accuracy"), 2)
    assert one.mean == pytest.approx(expected.mean())


# Course


def test_rows_that_rounding_tells_apart_tie() -> None:
    """Equal rows get an f that differs in the last digits, and otherwise on another processor: AUC must not follow."""
    y, classes = np.array([0, 1] * 50 + [1] * 20), np.array([0, 1])
    f = np.repeat([0.3, 1.7], [100, 20])
    rounded = f * (1.0 + 1e-15 * np.where(y > 0, 1.0, -1.0))
    assert (rounded[1:100:2] > rounded[:100:2]).all()
    assert area_under_curve(y, rounded, classes) == area_under_curve(y, f, classes) == roc_auc_score(y, f)


def test_what_is_done_when_it_is_stopped_is_kept_and_gone_on_with() -> None:
    given = plan(repeats=4)
    seen: list[int] = []
    part = run(given, progress=lambda made, total: seen.append(made), stop=lambda: len(seen) >= 5)
    assert 4 <= len(part.outcomes) < 8
    assert not part.complete
    steps: list[tuple[int, int]] = []
    whole = run(given, earlier=part, progress=lambda *step: steps.append(step))
    assert whole.complete
    assert steps[-1] == (8 - len(part.outcomes), 8 - len(part.outcomes))
    assert numbers(whole) == numbers(run(given))


def test_nothing_comes_of_a_fit_that_is_stopped_on_its_way() -> None:
    made: list[int] = []
    asked: list[bool] = []

    def within_the_first_fit() -> bool:
        """The first to ask is the comparison before it begins, the second a solver."""
        asked.append(True)
        return len(asked) > 1

    given = plan("svm", "odm", repeats=2)
    part = run(given, progress=lambda step, _: made.append(step), stop=within_the_first_fit)
    assert not made
    assert not part.outcomes
    assert numbers(run(given, earlier=part)) == numbers(run(given))


def test_results_come_one_by_one_and_in_the_order_of_the_splits() -> None:
    given = plan(repeats=2)
    stream = results(MOONS.X, MOONS.y, StandardScaler(), given)
    first = next(stream)
    assert (first.key, first.split) == ("svm", 0)
    assert [(outcome.key, outcome.split) for outcome in stream] == [("odm", 0), ("svm", 1), ("odm", 1)]


def test_two_threads_find_the_same() -> None:
    assert numbers(run(plan("svm", "odm", "msvmav"), jobs=2)) == numbers(run(plan("svm", "odm", "msvmav")))


def test_more_splits_or_methods_keep_what_is_there_and_other_data_do_not() -> None:
    part = run(plan(repeats=2))
    made: list[int] = []
    run(plan("svm", "odm", "ldm", repeats=3), earlier=part, progress=lambda step, _: made.append(step))
    assert len(made) == 9 - 4
    made.clear()
    compare(MOONS.X + 1, MOONS.y, StandardScaler(), plan(repeats=2), earlier=part, progress=lambda s, _: made.append(s))
    assert len(made) == 4
    made.clear()
    run(plan(repeats=2, seed=1), earlier=part, progress=lambda step, _: made.append(step))
    assert len(made) == 4


def test_json_holds_everything() -> None:
    given = Plan(
        (Candidate.fixed("ldm", C=np.inf), Candidate.tuned("svm")), repeats=2, kernel=RBF, widths=(0.5, 1.0), positive=1
    )
    found = run(given)
    again = from_json(to_json(found))
    assert again.plan == found.plan
    assert numbers(again) == numbers(found)
    assert summary(again) == summary(found)
    for key in found.keys:
        for one, other in zip(found.of(key), again.of(key), strict=True):
            np.testing.assert_array_equal(one.train, other.train)
            np.testing.assert_array_equal(one.confusion, other.confusion)
    made: list[int] = []
    run(given, earlier=again, progress=lambda step, _: made.append(step))
    assert not made
    with pytest.raises(ValueError, match="no comparison"):
        from_json("{}")
    with pytest.raises(ValueError, match="format 99"):
        from_json(json.dumps({"format": 99}))


def test_a_method_that_cannot_be_fitted_says_why_and_the_others_go_on() -> None:
    given = Plan((Candidate.fixed("svm", C=np.inf), Candidate.fixed("odm")), repeats=2, kernel=LINEAR)
    found = run(given)
    assert {failure.key for failure in found.failures} == {"svm"}
    assert "hyperplane separates" in found.failures[0].reason
    assert isinstance(from_json(to_json(found)).outcomes[0], Failure)
    assert len(found.of("odm")) == 2
    assert [row["failed"] for row in summary(found)] == [2, 0]
    assert differences(found, "accuracy") == []


# Large data


def test_kernel_methods_are_fitted_on_a_stratified_subsample_and_linear_ones_on_all_rows() -> None:
    data = load_dataset("imbalanced", n=600, balance=0.2, seed=0)
    given = Plan((Candidate.fixed("odm"), Candidate.fixed("linearldm")), repeats=2, kernel=RBF, kernel_rows=100)
    found = compare(data.X, data.y, StandardScaler(), given)
    assert [row["n_fit"] for row in summary(found)] == [100, 420]
    train, _ = given.split(data.y, 0)
    rows, _ = given.parts(METHODS["odm"], data.y, 0)
    assert set(rows) <= set(train)
    assert np.sum(data.y[rows] == 1) == 20
    assert len(found.of("odm")[0].train) == 100
    assert len(found.of("odm")[0].test) == 180


def test_nystroem_features_bend_the_boundary_of_a_linear_method() -> None:
    xor = load_dataset("xor", n=300, noise=0.1, seed=0)
    candidates = (Candidate.fixed("linearldm"),)
    straight = compare(xor.X, xor.y, StandardScaler(), Plan(candidates, repeats=3, kernel=RBF))
    bent = compare(xor.X, xor.y, StandardScaler(), Plan(candidates, repeats=3, kernel=RBF, nystroem=60))
    assert straight.spread("linearldm", "accuracy").mean < 0.7
    assert bent.spread("linearldm", "accuracy").mean > 0.9
    flat = compare(xor.X, xor.y, StandardScaler(), Plan(candidates, repeats=1, kernel=LINEAR, nystroem=60))
    assert "0 features" in flat.failures[0].reason


def test_the_kernel_limit_is_what_the_check_of_memory_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import SimpleNamespace

    free = SimpleNamespace(available=MATRICES_PER_FIT * 8 * 1000**2)
    monkeypatch.setattr("mdcore.space.psutil.virtual_memory", lambda: free)
    assert largest_kernel_problem() == 1000
    check_memory(1000)
    with pytest.raises(ValueError, match="1,000 rows"):
        check_memory(1001)


# Margins


def test_bands_are_quantiles_over_the_splits() -> None:
    found = run(plan(repeats=5))
    t = margin_axis(found, "geometric")
    shown = band(found, "svm", "test", "geometric", t)
    curves = np.array([result.margins("test", "geometric").cdf(t) for result in found.of("svm")])
    np.testing.assert_array_equal(shown.middle, np.median(curves, axis=0))
    assert (shown.low <= shown.middle).all()
    assert (shown.middle <= shown.high).all()
    assert (np.diff(shown.middle) >= 0).all()
    assert shown.middle[0] <= 0.01
    assert shown.middle[-1] >= 0.99


def test_examples_count_their_tests_and_begin_with_the_hardest() -> None:
    found = run(plan(repeats=6))
    table = examples(found, "functional")
    tests = [test for _, test in found.plan.splits(MOONS.y)]
    row = int(table.rows[0])
    values = [
        result.test[np.flatnonzero(tests[result.split] == row)[0]]
        for result in found.of("svm")
        if row in tests[result.split]
    ]
    assert table.tested[0] == len(values)
    assert table.margin["svm"][0] == pytest.approx(np.mean(values))
    assert table.wrong["svm"][0] == np.mean(np.array(values) <= 0)
    assert table.tested.sum() == sum(map(len, tests))
    both = (table.wrong["svm"] + table.wrong["odm"]) / 2
    assert (np.diff(both) <= 1e-12).all()


# Views


def test_the_signed_distance_is_f_over_the_norm_and_no_feature_is_made_up() -> None:
    data = load_dataset("breast-cancer")
    given = Plan((Candidate.fixed("svm"),), repeats=1, kernel=LINEAR)
    found = compare(data.X, data.y, StandardScaler(), given)
    from mdcore.study import Data

    fitted = refit(Data(data.X, data.y, StandardScaler(), data.features), given, found.of("svm")[0])
    view = distance(fitted)
    signs = np.where(view.labels == fitted.model.classes_[1], 1.0, -1.0)
    np.testing.assert_allclose(view.projection.points[:, 0] * signs, view.margins, rtol=1e-9, atol=1e-12)
    assert fitted.features == data.features
    plane = components(fitted)
    centred = fitted.part.X_fit - fitted.part.X_fit.mean(axis=0)
    singular = np.linalg.svd(centred, compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(plane.projection.points[: len(centred)], axis=0), singular[:2], rtol=1e-8)


def test_more_columns_than_rows_have_the_same_components() -> None:
    """There the directions are found among the rows: a matrix of columns by columns would take minutes."""
    X = np.random.default_rng(0).normal(size=(12, 40)) * np.linspace(1.0, 3.0, 40)
    wide = principal_plane(X, 9).points
    _, vectors = np.linalg.eigh(np.cov(X[:9].T))
    expected = (X - X[:9].mean(axis=0)) @ vectors[:, -1:-3:-1]
    np.testing.assert_allclose(np.abs(wide), np.abs(expected), atol=1e-9)


@pytest.mark.parametrize("at", ["mean", "median"])
def test_two_columns_show_f_with_the_others_at_their_training_centre(at: Any) -> None:
    data = load_dataset("wine", keep="class_0,class_1")
    given = Plan((Candidate.fixed("odm"),), repeats=1)
    from mdcore.study import Data

    sample = Data(data.X, data.y, StandardScaler(), data.features)
    found = compare(data.X, data.y, sample.preparation, given)
    fitted = refit(sample, given, found.of("odm")[0])
    view = pair(fitted, 3, 0, at)
    assert view.field is not None
    xs, ys, f = view.field
    at_centre = (np.mean if at == "mean" else np.median)(fitted.part.X_fit, axis=0)
    at_centre[3], at_centre[0] = xs[10], ys[20]
    assert f[20, 10] == pytest.approx(fitted.model.decision_function(at_centre[None])[0])
    assert at in view.projection.note
    assert view.projection.labels == (data.features[3], data.features[0])
    with pytest.raises(ValueError, match="two different columns"):
        pair(fitted, 2, 2, at)


# Bad input


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Candidate.fixed("tree"), "unknown method 'tree'"),
        (lambda: Candidate.fixed("svm", C=-1), "C must be a number in"),
        (lambda: Candidate("svm", grid=(("C", ()),)), "grid of C is empty"),
        (lambda: Candidate("svm", grid=(("C", (-1.0,)),)), "C must be a number in"),
        (lambda: plan(repeats=0), "repeats must be an integer"),
        (lambda: plan(test=0.0), "test must be above 0"),
        (lambda: plan("svm", "svm"), "different methods; got svm, svm"),
        (lambda: Plan(()), "got none"),
        (lambda: plan(criterion="luck"), "one of accuracy"),
        (lambda: plan(widths=(0.0,)), "widths must be factors"),
        (lambda: run(plan(positive="maybe")), "positive must be one of the classes"),
        (lambda: compare(MOONS.X, np.zeros(90, dtype=int), StandardScaler(), plan()), "one class only"),
        (
            lambda: compare(np.eye(9), np.arange(9) % 3, StandardScaler(), plan()),
            r"SVM tells two classes apart, and these data have 3 classes\. Set several classes to one-versus-rest",
        ),
        (
            lambda: compare(MOONS.X[:9], [1] * 3 + [-1] * 6, StandardScaler(), Plan((Candidate.tuned("svm"),))),
            "fewer than the 5 folds",
        ),
    ],
)
def test_bad_input_is_refused_with_a_reason(make: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        make()


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
        part, model = fitted.part, fitted.model
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
            np.testing.assert_allclose(x * model.weights_apart(first, second), f[:, first] - f[:, second], atol=1e-9)


OPPOSED = plan("svm", "linearldm", "mcsvm", repeats=2, several="one-versus-rest")
CLOUDS = load_dataset("blobs-k", seed=0, classes=4, each=20)


def test_methods_of_two_classes_are_compared_one_versus_rest_and_named_so() -> None:
    found = compare(CLOUDS.X, CLOUDS.y, StandardScaler(), OPPOSED)
    assert found.complete
    assert not found.failures
    assert list(found.names.values()) == ["SVM, one-versus-rest", "LinearLDM, one-versus-rest", "mcSVM"]
    assert [row["method"] for row in summary(found)] == list(found.names.values())
    assert "SVM, one-versus-rest - mcSVM: " in numbers(found)
    assert found.confusion("svm").shape == (4, 4)
    assert from_json(to_json(found)).plan == OPPOSED
    data = Data(CLOUDS.X, CLOUDS.y, StandardScaler())
    (one, _) = found.of("svm")
    fitted = refit(data, OPPOSED, one)
    part = fitted.part
    scores_of_classes = fitted.model.decision_function(part.X_new)
    assert one.scores["auc"] == pytest.approx(
        np.mean([roc_auc_score(part.y_new == label, scores_of_classes[:, label]) for label in range(4)])
    )
    assert one.scores["f1"] == pytest.approx(f1_score(part.y_new, fitted.model.predict(part.X_new), average="macro"))


def test_one_versus_rest_has_the_exact_distance_to_each_of_its_boundaries() -> None:
    found = compare(CLOUDS.X, CLOUDS.y, StandardScaler(), OPPOSED)
    fitted = refit(Data(CLOUDS.X, CLOUDS.y, StandardScaler()), OPPOSED, found.of("svm")[0])
    assert list(boundaries(fitted)) == [f"{label} and the rest" for label in range(4)]
    X = np.vstack([fitted.part.X_fit, fitted.part.X_new])
    for name, (code, _) in boundaries(fitted).items():
        view, own = distance(fitted, name), fitted.model.estimators_[code]
        np.testing.assert_allclose(view.projection.points[:, 0], own.decision_function(X) / own.norm_)
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
    given = Plan((Candidate.fixed("mcsvm"),), kernel_rows=10)
    with pytest.raises(ValueError, match="10 rows cannot hold all 12 classes"):
        given.parts(METHODS["mcsvm"], y, 0)
