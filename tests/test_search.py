"""The search that tunes every method with the same effort: what it tries, on which rows, and that it finds optima."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore import METHODS, load_dataset
from mdcore.spec import Param, Search
from mdcore.study import LEARNERS, Candidate, Comparison, Data, Plan, candidates, compare, first_plan, numbers
from mdcore.study.column_model import weights
from mdcore.study.evaluation import evaluate_split, refit
from mdcore.study.fitting import INNER_TIMES, inner_fitter
from mdcore.study.folds import Fold, Folds, prepare_rows
from mdcore.study.plan import CHOSEN, EFFORT
from mdcore.study.search import REACH, Axis, Point, following, ranked
from mdcore.study.splits import seed_of
from tests.comparisons import LINEAR, MOONS, RBF

SEVERAL = load_dataset("blobs-k", seed=0, classes=3, each=20, noise=1.0)
FAST = [key for key, method in METHODS.items() if method.family == "batch" and key not in ("fmm", "mdo", "ecoc")]
CHEAP = ("svm", "odm", "logistic", "neighbours")


def searched(*keys: str, **changes: object) -> Plan:
    return Plan(candidates(keys, "equal"), **{"repeats": 1, "folds": 3, "kernel": RBF, **changes})  # type: ignore[arg-type]


def tried(axes: list[Axis], most: int, score) -> list[Point]:
    """Return the points in the order in which a search tries them for scores that a function of the values gives."""
    scores: dict[Point, float] = {}
    while points := following(axes, scores, most, lambda point: True):
        assert not set(points) & set(scores)
        for point in points:
            scores[point] = score(*(axis.value(position) for axis, position in zip(axes, point, strict=True)))
    return list(scores)


def best(axes: list[Axis], most: int, score) -> list[float]:
    point = max(tried(axes, most, score), key=lambda p: score(*(a.value(i) for a, i in zip(axes, p, strict=True))))
    return [axis.value(position) for axis, position in zip(axes, point, strict=True)]


PRICE = Axis("C", (0.1, 1.0, 10.0, 100.0), (1, 2), 10.0)
WIDTH = Axis("width", (0.25, 1.0, 4.0), (0, 1), 4.0)


# The search itself


@pytest.mark.parametrize("optimum", [(0.1, 0.25), (100.0, 4.0), (10.0, 1.0), (1e3, 0.25), (1.0, 16.0), (0.01, 0.0625)])
def test_it_finds_the_best_point_of_a_concave_score(optimum: tuple[float, float]) -> None:
    def score(C: float, width: float) -> float:
        return -((np.log10(C / optimum[0])) ** 2) - np.log(width / optimum[1]) ** 2

    assert best([PRICE, WIDTH], EFFORT, score) == pytest.approx(optimum)


@pytest.mark.parametrize("most", [4, 9, 16])
def test_it_never_tries_more_than_its_effort_and_growth_counts(most: int) -> None:
    points = tried([PRICE, WIDTH], most, lambda C, width: C * width)
    assert len(points) == most
    assert most < 6 or max(PRICE.value(point[0]) for point in points) > 100.0


def test_beyond_the_values_its_steps_grow_and_end() -> None:
    points = [position for (position,) in tried([PRICE], 40, lambda C: C)]
    beyond = [position - 3 for position in points if position > 3]
    assert beyond[:2] == [1, 3]
    assert max(beyond) <= REACH


def test_the_effort_reaches_a_best_price_far_beyond_the_values() -> None:
    """Separable data want a hard margin: what is spent on other widths must not end the way there."""
    machines = Axis("width", (None, 0.0625, 0.25, 1.0, 4.0), (0, 1, 2, 3))  # None: the linear kernel
    C, width = best([machines, PRICE], EFFORT, lambda width, C: np.log10(C) - (0.0 if width is None else 9.0))[::-1]
    assert width is None
    assert C >= 1e6


def test_on_a_plateau_it_does_not_go_beyond_the_values() -> None:
    for level in (lambda C: 1.0, lambda C: float(C <= 10.0), lambda C: float(C >= 1.0)):
        assert all(0 <= position < len(PRICE.values) for (position,) in tried([PRICE], 40, level))


def test_a_list_and_legal_values_have_ends() -> None:
    shares = Axis("theta", (0.2, 0.5, 0.8), (1,))
    assert {position for (position,) in tried([shares], 40, lambda theta: theta)} <= {0, 1, 2}
    rates = Axis("rate", (0.1, 0.3), (0,), 3.0, lambda value: 0.0 < value <= 1.0)
    assert max(rates.value(position) for (position,) in tried([rates], 40, lambda rate: rate)) <= 1.0


def test_of_equally_good_points_the_simplest_leads() -> None:
    assert ranked({(1, 0): 0.5, (0, 2): 0.5, (0, 1): 0.5, (2, 2): 0.4}) == [(0, 1), (0, 2), (1, 0), (2, 2)]


def test_what_is_impossible_is_not_tried() -> None:
    scores = dict.fromkeys(following([PRICE, WIDTH], {}, 16, lambda point: point[0] != 2), 0.0)
    assert {point[0] for point in scores} == {1}
    assert all(point[0] != 2 for point in following([PRICE, WIDTH], scores, 16, lambda point: point[0] != 2))


# The records


@pytest.mark.parametrize("key", LEARNERS)
def test_a_search_begins_with_legal_values_and_every_method_has_the_same_effort(key: str) -> None:
    method = LEARNERS[key]
    for setting in method.params:
        if setting.search is None:
            continue
        assert isinstance(setting.search, Search)
        assert set(setting.search.first) <= set(setting.search.values)
        for value in setting.search.values:
            setting.check(value * 100 if setting.search.per_row and isinstance(setting, Param) else value, key)
    candidate = Candidate.searched(key)
    plan = searched(key)
    assert candidate.effort == EFFORT
    assert 0 < len(plan.lattice(candidate).points) <= 2 * EFFORT // 3  # the rest follows the best of them
    assert plan.alternatives(candidate) in (1, EFFORT)


def test_the_kernel_machines_may_choose_the_linear_kernel_and_price_it_too() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 6))
    y = (X[:, 0] + 0.3 * rng.normal(size=90) > 0).astype(int)
    found = compare(X, y, StandardScaler(), searched("svm", kernel=replace(RBF, gamma=50.0)))
    (result,) = found.of("svm")
    assert result.params["kernel"] == "linear"
    assert result.tried <= EFFORT


# What it may see


def test_nothing_outside_of_the_training_part_has_an_influence() -> None:
    plan = searched(*CHEAP)
    train, test = plan.split(MOONS.y, 0)
    labels = MOONS.y.copy()
    labels[test] = np.random.default_rng(0).permutation(labels[test])
    X = MOONS.X.copy()
    X[test] += 3.0
    plain = {key: compare(MOONS.X, MOONS.y, StandardScaler(), plan).of(key)[0] for key in CHEAP}
    for key in CHEAP:
        other = evaluate_split(
            Data(X, labels, StandardScaler()), _fixed_split(plan, train, test), plan.candidate(key), 0, _nothing
        )
        assert (other.params, other.tried) == (plain[key].params, plain[key].tried)
        np.testing.assert_array_equal(other.train, plain[key].train)


def _nothing() -> None:
    pass


def _fixed_split(plan: Plan, train, test) -> Plan:
    """Return the plan with this very split, whatever the labels."""

    class Fixed(Plan):
        def split(self, y, number, along=None):
            return train, test

    return Fixed(**{name: getattr(plan, name) for name in plan.__dataclass_fields__})


def test_the_order_of_the_rows_has_no_influence_where_the_folds_do_not_depend_on_it() -> None:
    """Splits and folds in time follow the times of the rows, wherever these stand."""
    keys = (*CHEAP, "ldm")
    rng = np.random.default_rng(0)
    times, order = rng.permutation(len(MOONS.y)), rng.permutation(len(MOONS.y))
    plan = searched(*keys, scheme="time")
    straight = compare(MOONS.X, MOONS.y, StandardScaler(), plan, along=times)
    mixed = compare(MOONS.X[order], MOONS.y[order], StandardScaler(), plan, along=times[order])
    for key in keys:
        (one,), (other,) = straight.of(key), mixed.of(key)
        assert other.tried == one.tried > 1
        assert other.params == pytest.approx(one.params)
        assert other.scores == pytest.approx(one.scores, abs=1e-6)
    with_other_folds = compare(MOONS.X, MOONS.y, StandardScaler(), plan, along=times[order])
    assert any(with_other_folds.of(key)[0].params != straight.of(key)[0].params for key in keys)


def test_a_candidate_is_chosen_alike_alone_and_among_others() -> None:
    together = compare(MOONS.X, MOONS.y, StandardScaler(), searched("svm", "odm", "neighbours", repeats=2), jobs=2)
    for key in ("svm", "odm"):
        alone = compare(MOONS.X, MOONS.y, StandardScaler(), searched(key, repeats=2))
        assert [r.params for r in alone.of(key)] == [r.params for r in together.of(key)]
        assert [r.scores for r in alone.of(key)] == [r.scores for r in together.of(key)]


def test_what_is_there_is_kept_when_one_candidate_changes() -> None:
    part = compare(MOONS.X, MOONS.y, StandardScaler(), searched("svm", "logistic"))
    made: list[int] = []
    plan = searched("svm", "neighbours")
    whole = compare(MOONS.X, MOONS.y, StandardScaler(), plan, earlier=part, progress=lambda n, of: made.append(n))
    assert made[-1] == plan.fits(plan.candidate("neighbours"))
    assert _same(whole, compare(MOONS.X, MOONS.y, StandardScaler(), plan))


def _same(one: Comparison, other: Comparison) -> bool:
    return numbers(one) == numbers(other)


@pytest.mark.parametrize("key", FAST)
def test_a_shared_gram_matrix_gives_the_decisions_of_a_fit_alone(key: str) -> None:
    plan, candidate = searched(key), Candidate.searched(key)
    data = (
        Data(SEVERAL.X, SEVERAL.y, StandardScaler())
        if METHODS[key].multiclass
        else Data(MOONS.X, MOONS.y, StandardScaler())
    )
    rows = np.arange(len(data.y))
    lattice = plan.lattice(candidate, len(np.unique(data.y)))
    shared = Folds(data, plan).of(candidate, rows, 0)[0]
    own = Fold.alone(prepare_rows(data, plan, candidate, shared.prepared.fit, shared.prepared.new))
    for point in (lattice.points[0], lattice.points[-1]):
        option = lattice.option(point)
        inner_fitter(plan, candidate, shared, option)(option)
        f, _ = inner_fitter(plan, candidate, shared, option)(option)
        np.testing.assert_array_equal(f, inner_fitter(plan, candidate, own, option)(option)[0])
        settings = option.settings(len(own.prepared.y_fit))
        if METHODS[key].kernels:
            settings |= {"kernel": "linear"} if option.width is None else {"gamma": option.width}
        model = METHODS[key].estimator(**settings)
        if METHODS[key].certificate == "none" and "tol" in METHODS[key].known:
            model.tol *= INNER_TIMES
        model.fit(own.prepared.X_fit, own.prepared.y_fit)
        scale = np.abs(model.decision_function(own.prepared.X_new)).max()
        np.testing.assert_allclose(f, model.decision_function(own.prepared.X_new), atol=0.02 * scale)


def test_many_rows_are_searched_on_a_stratified_sample_and_fitted_whole() -> None:
    data = load_dataset("moons", n=300, noise=0.3, seed=0)
    plan = searched("svm", "logistic", tuning_rows=60)
    train, _ = plan.split(data.y, 0)
    part = plan.tuning_part(data.y, train, 0)
    assert len(part) == 60
    assert set(part) < set(train)
    assert abs(data.y[part].mean() - data.y[train].mean()) < 0.02
    found = compare(data.X, data.y, StandardScaler(), plan)
    assert [result.n_fit for result in found.outcomes] == [len(train)] * 2
    alone = compare(data.X[np.sort(part)], data.y[np.sort(part)], StandardScaler(), searched("svm", test=0.3))
    assert alone.complete


def test_thresholds_need_no_further_fits_where_parameters_are_chosen() -> None:
    plan = searched("svm", held_out=True)
    assert plan.fits(plan.candidate("svm")) == searched("svm").fits(Candidate.searched("svm"))
    (result,) = compare(MOONS.X, MOONS.y, StandardScaler(), plan).of("svm")
    assert np.isfinite(result.inner).all()
    assert len(result.inner) == result.n_fit


def test_a_fit_that_fails_is_not_chosen_and_if_all_fail_the_reason_is_given() -> None:
    grid = Candidate("svm", grid=(("C", (1.0, np.inf)),))
    found = compare(
        MOONS.X, MOONS.y, StandardScaler(), Plan((grid,), repeats=1, folds=3, kernel=replace(RBF, name="linear"))
    )
    assert found.of("svm")[0].params["C"] == 1.0
    hard = Candidate("svm", params=(("C", np.inf),), grid=(("C", (np.inf,)),))
    found = compare(MOONS.X, MOONS.y, StandardScaler(), Plan((hard,), repeats=1, kernel=replace(RBF, name="linear")))
    assert "hyperplane separates" in found.failures[0].reason


# Several classes


def test_pairs_or_the_rest_are_chosen_and_the_choice_can_be_fitted_again() -> None:
    data = Data(SEVERAL.X, SEVERAL.y, StandardScaler())
    plan = searched("svm", several=CHOSEN, repeats=2)
    found = compare(data.X, data.y, data.preparation, plan)
    assert not found.failures
    ways = [result.params["several"] for result in found.of("svm")]
    assert set(ways) <= {"one-versus-one", "one-versus-rest"}
    assert plan.lattice(plan.candidate("svm"), 3).axes[0].name == "several"
    for result in found.of("svm"):
        fitted = refit(data, plan, result)
        part = fitted.prepared
        assert result.scores["accuracy"] == pytest.approx(np.mean(fitted.model.predict(part.X_new) == part.y_new))
    assert found.mixed == (() if len(set(ways)) == 1 else ("SVM",))


def test_linear_pairs_have_no_single_weight_of_a_column() -> None:
    data = Data(SEVERAL.X, SEVERAL.y, StandardScaler(), SEVERAL.features)
    for way in ("one-versus-one", "one-versus-rest"):
        plan = Plan((Candidate.fixed("svm"),), repeats=1, kernel=LINEAR, several=way)
        found = compare(data.X, data.y, data.preparation, plan)
        assert weights(data, found, found.of("svm")[0]) == []


def test_the_first_plan_tunes_everything_with_the_same_effort() -> None:
    plan = first_plan(MOONS.y)
    assert plan.tuning == "equal"
    assert {candidate.effort for candidate in plan.candidates} == {EFFORT}
    assert {"svm", "ldm", "odm", "logistic", "boosting", "forest", "neighbours"} <= {c.key for c in plan.candidates}
    assert first_plan(MOONS.y, tuning="none").tuning == "none"
    assert first_plan(MOONS.y, tuning="papers").tuning == "papers"
    assert seed_of(plan.seed, 0) == plan.seed
