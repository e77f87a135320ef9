"""Comparisons are fair: the same splits for all methods, nothing learnt from test rows, correct tests."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import StandardScaler

from mdcore import METHODS, Experiment, load_dataset
from mdcore.data import split
from mdcore.experiment.query import KernelKey
from mdcore.solvers.budget import stoppable
from mdcore.spaces.space import MATRICES_PER_FIT, check_memory, largest_kernel_problem
from mdcore.study import (
    Candidate,
    Data,
    Plan,
    Within,
    compare,
    data_of,
    differences,
    notes,
    numbers,
    results,
    sentence,
    summary,
    with_decisions,
)
from mdcore.study.splits import seed_of
from tests.comparisons import LINEAR, MOONS, RBF, plan, run


class Spy(TransformerMixin, BaseEstimator):
    """A transformer that passes rows on and records those it is fitted on, by their number in the first column."""

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
        expected = split(MOONS.y, 0.3, seed_of(0, number))
        assert np.array_equal(train, expected[0])
        assert np.array_equal(test, expected[1])
        for key in found.keys:
            result = found.of(key)[number]
            scaler = StandardScaler().fit(MOONS.X[train])
            model = METHODS[key].estimator(**result.params).fit(scaler.transform(MOONS.X[train]), MOONS.y[train])
            X_test = scaler.transform(MOONS.X[test])
            np.testing.assert_array_equal(result.test, model.margins(X_test, MOONS.y[test]))
            assert result.scores["accuracy"] == model.score(X_test, MOONS.y[test])


@pytest.mark.parametrize("source", ["data=breast-cancer&scaling=standard", "data=one-outlier&n=60&outliers=4"])
def test_the_first_split_is_the_one_of_the_stage(source: str) -> None:
    experiment = Experiment.from_query(f"{source}&seed=3&methods=svm&kernel=rbf&gamma=0.05")
    data = data_of(experiment)
    given = Plan((Candidate.fixed("svm", **experiment.settings("svm")),), repeats=1, seed=3, kernel=experiment.kernel)
    (result,) = compare(data.X, data.y, data.preparation, given).of("svm")
    drawn = experiment.run()["svm"]
    np.testing.assert_allclose(np.sort(result.test_geometric), np.sort(drawn.test.values), rtol=1e-6, atol=1e-9)


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


# Parameter selection


def test_cross_validation_finds_the_only_parameter_that_works() -> None:
    # With such a small C, every rbf SVM predicts one class of these imbalanced data.
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
        # The fold sizes differ by one row; both means are over folds.
        chosen = next(i for i, params in enumerate(search.cv_results_["params"]) if params == mine)
        assert means[chosen] == pytest.approx(means.max(), abs=1e-12)


def test_what_choosing_gained_is_known_on_the_same_test_rows() -> None:
    given = Plan((Candidate.tuned("svm"), Candidate.fixed("odm")), repeats=2, kernel=RBF)
    found, plain = run(given), run(plan("svm", repeats=2))
    for tuned, default in zip(found.of("svm"), plain.of("svm"), strict=True):
        assert tuned.untuned == default.scores
        assert tuned.tried == 3
    assert [(result.untuned, result.tried) for result in found.of("odm")] == [({}, 0)] * 2
    assert (given.tuning, plan().tuning) == ("papers", "none")


def test_ties_go_to_the_smaller_parameters() -> None:
    blobs = load_dataset("blobs", n=60, noise=0.1, seed=0)  # any C separates these
    given = Plan((Candidate.tuned("svm"),), repeats=2, kernel=LINEAR)
    found = compare(blobs.X, blobs.y, StandardScaler(), given)
    assert [result.params["C"] for result in found.of("svm")] == [10.0, 10.0]


def test_the_width_is_chosen_too_where_a_kernel_has_one() -> None:
    given = plan("svm", "linearldm", widths=(1e-6, 1.0))
    assert given.alternatives(given.candidate("svm")) == 2
    assert given.alternatives(given.candidate("linearldm")) == 1
    xor = load_dataset("xor", n=120, noise=0.1, seed=0)  # no nearly linear kernel can separate these
    found = compare(xor.X, xor.y, StandardScaler(), given)
    assert [result.params["gamma"] for result in found.of("svm")] == [1.0] * 3


@pytest.mark.parametrize("key", METHODS)
def test_the_grid_of_a_method_is_that_of_its_record(key: str) -> None:
    candidate = Candidate.tuned(key)
    grids = dict(candidate.grid)
    for param in METHODS[key].params:
        assert grids.get(param.name, ()) == tuple(sorted(getattr(param, "grid", ())))
    axes = Plan((candidate,), kernel=RBF).lattice(candidate).axes
    assert {axis.name: axis.values for axis in axes} == {n: values for n, values in grids.items() if len(values) > 1}
    assert all(axis.first == tuple(range(len(axis.values))) for axis in axes)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("key", METHODS)
def test_only_parameters_that_go_together_are_tried(key: str, kernel: str) -> None:
    candidate = Candidate.tuned(key)
    given = Plan((candidate,), kernel=KernelKey(kernel, 1.0, 3, 1.0, True))
    lattice = given.lattice(candidate)
    assert lattice.points
    assert not any(METHODS[key].conflict(lattice.option(point).params, kernel) for point in lattice.points)


def test_parameters_that_never_go_together_fail_with_the_reason() -> None:
    candidate = Candidate.fixed("pumma", p=3.0)
    found = compare(MOONS.X, MOONS.y, StandardScaler(), Plan((candidate,), repeats=2, kernel=plan().kernel))
    assert all("p = 2; got p=3" in outcome.reason for outcome in found.outcomes)


# Progress


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
        """The first query is by the comparison before it starts, the second by a solver."""
        asked.append(True)
        return len(asked) > 1

    given = plan("svm", "odm", repeats=2)
    part = run(given, progress=lambda step, _: made.append(step), stop=within_the_first_fit)
    assert not made
    assert not part.outcomes
    assert numbers(run(given, earlier=part)) == numbers(run(given))


def test_what_stops_the_thread_stops_the_fits_that_other_threads_make_for_it() -> None:
    here = threading.get_ident()
    with stoppable(lambda: threading.get_ident() != here):
        assert not run(plan("svm", "odm"), jobs=2).outcomes


def test_results_come_one_by_one_and_in_the_order_of_the_splits() -> None:
    given = plan(repeats=2)
    stream = results(Data(MOONS.X, MOONS.y, StandardScaler()), given)
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


@pytest.mark.parametrize(
    ("methods", "left"), [(("ldm", "svm", "odm"), 2), (("odm", "svm"), 0), (("odm",), 0), (("ldm",), 2)]
)
def test_outcomes_are_kept_whichever_method_comes_first(methods: tuple[str, ...], left: int) -> None:
    given, made = plan(*methods, repeats=2), list[int]()
    found = run(given, earlier=run(plan("svm", "odm", repeats=2)), progress=lambda step, _: made.append(step))
    assert len(made) == left
    assert numbers(found) == numbers(run(given))


def test_other_parameters_of_the_first_method_keep_the_outcomes_of_the_second() -> None:
    given = Plan((Candidate.fixed("svm", C=2.0), Candidate.fixed("odm")), repeats=2, kernel=RBF)
    part = run(replace(given, candidates=(Candidate.fixed("svm", C=1.0), Candidate.fixed("odm"))))
    made: list[int] = []
    assert numbers(run(given, earlier=part, progress=lambda step, _: made.append(step))) == numbers(run(given))
    assert len(made) == 2


def test_a_method_that_cannot_be_fitted_says_why_and_the_others_go_on() -> None:
    given = Plan((Candidate.fixed("svm", C=np.inf), Candidate.fixed("odm")), repeats=2, kernel=LINEAR)
    found = run(given)
    assert {failure.key for failure in found.failures} == {"svm"}
    assert "hyperplane separates" in found.failures[0].reason
    assert len(found.of("odm")) == 2
    assert [row["failed"] for row in summary(found)] == [2, 0]
    assert differences(found, "accuracy") == []


# Large data


def test_kernel_methods_see_all_rows_through_landmarks_and_say_how_far_that_is() -> None:
    data = load_dataset("moons", n=600, noise=0.3, seed=0)
    spanned, few = Within(landmarks=40), Within(rows=100)
    methods = (Candidate("svm", within=spanned), Candidate("odm", within=spanned), Candidate("fmm", within=few))
    given = Plan((*methods, Candidate.fixed("linearldm")), repeats=2, kernel=RBF)
    found = compare(data.X, data.y, StandardScaler(), given)
    data_given = Data(data.X, data.y, StandardScaler())
    rows = {row["name"]: row for row in summary(found)}
    assert list(rows) == ["SVM (40 landmarks)", "ODM (40 landmarks)", "FMM (100 rows)", "LinearLDM"]
    assert [row["n_fit"] for row in rows.values()] == [420, 420, 100, 420]
    assert all(0.0 <= rows[name]["exact_gap"] <= 1.0 for name in list(rows)[:2])
    assert all(0.0 <= rows[name]["gap"] <= 1e-6 for name in list(rows)[:2])
    assert any(
        "uses all 420 training rows through 40 landmarks" in sentence(note)
        for note in notes(data_given, found, "accuracy")
    )
    exact = compare(data.X, data.y, StandardScaler(), with_decisions(given, ()))
    for key in ("svm", "odm"):
        assert found.spread(key, "accuracy").mean == pytest.approx(exact.spread(key, "accuracy").mean, abs=0.02)


def test_kernel_methods_are_fitted_on_a_stratified_subsample_and_linear_ones_on_all_rows() -> None:
    data = load_dataset("imbalanced", n=600, balance=0.2, seed=0)
    given = Plan((Candidate("odm", within=Within(rows=100)), Candidate.fixed("linearldm")), repeats=2, kernel=RBF)
    found = compare(data.X, data.y, StandardScaler(), given)
    assert [row["n_fit"] for row in summary(found)] == [100, 420]
    train, _ = given.split(data.y, 0)
    rows, _ = given.parts(given.candidate("odm"), data.y, 0)
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
    monkeypatch.setattr("psutil.virtual_memory", lambda: free)
    assert largest_kernel_problem() == 1000
    check_memory(1000)
    with pytest.raises(ValueError, match="1,000 rows"):
        check_memory(1001)


# Bad input


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Candidate.fixed("tree"), "unknown method 'tree'"),
        (lambda: Candidate.fixed("svm", C=-1), "C must be a number in"),
        (lambda: Candidate("fmm", within=Within(landmarks=10)), "FMM has no landmarks"),
        (lambda: Candidate("linearldm", within=Within(rows=10)), "LinearLDM needs no kernel matrix"),
        (lambda: Within(landmarks=10, rows=10), "one of them 0; got 10 and 10"),
        (lambda: Within.parse("landmarks-0"), "got 'landmarks-0'"),
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
            r"SVM is a method for two classes, and the data have 3\. Set several classes to one-versus-rest",
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


def test_neighbouring_seeds_share_no_split():
    plans = [plan("svm", repeats=10, seed=seed) for seed in range(4)]
    held = [{tuple(test) for _, test in given.splits(MOONS.y)} for given in plans]
    assert len(set().union(*held)) == sum(map(len, held)) == 40
