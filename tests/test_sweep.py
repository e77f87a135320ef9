"""A sweep gives the same numbers as cold runs of the same experiments."""

from __future__ import annotations

import numpy as np
import pytest

from mdcore import METHODS, Experiment
from mdcore.experiment.result_caches import clear_caches
from mdcore.experiment.run import Run
from mdcore.figures import sweep_figure
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.sweep import (
    MEASURES,
    Axis,
    Sweep,
    SweepTable,
    axis_params,
    disagreements,
    points,
    ranks,
    run,
    spaced,
    with_axis_value,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

SMALL = "data=moons&n=70&noise=0.3&seed=3&gamma=1&methods=svm,ldm,odm,msvmav&svm.C=5&ldm.lambda1=4"
TIMELESS = [key for key in MEASURES if key != "seconds"]


def axis(experiment: Experiment, key: str, count: int) -> Axis:
    return Axis(key, spaced(axis_params(experiment)[key], count))


def single(run: Run, threshold: float) -> dict[str, float]:
    """Return the statistics of a single fit, computed independently of the sweep."""
    found = {}
    for part, margins in (("train", run.train), ("test", run.test)):
        v = margins.values
        found |= {
            f"{part}.mean": np.mean(v),
            f"{part}.variance": np.mean(v**2) - np.mean(v) ** 2,
            f"{part}.semivariance": np.mean(np.where(v < v.mean(), (v - v.mean()) ** 2, 0.0)),
            f"{part}.min": v.min(),
            f"{part}.below": np.mean(v <= threshold),
            f"{part}.accuracy": np.mean(v > 0),
        }
    return found | {
        "support": len(run.model.support_),
        "objective": run.method.objective(run.fit.train, run.model.norm_, **run.params),
        "loo_bound": getattr(run.model, "loo_bound_", np.nan),
    }


def check_against_single_fits(sweep: Sweep, table: SweepTable) -> None:
    assert table.complete
    clear_caches()
    for result in table.results:
        cold = sweep.experiment_at(result.place, result.repeat).run_method(result.method)
        expected = single(cold, sweep.threshold)
        shown = {key: result.statistics[key] for key in expected}
        assert shown == pytest.approx(expected, rel=1e-8, abs=1e-8, nan_ok=True), (result.method, result.place)
        margins = np.concatenate([cold.fit.train, cold.fit.test])
        assert np.array_equal(result.correct, margins > 0)
        assert sum(result.terms.values()) == pytest.approx(cold.model.objective_, rel=1e-9)


def test_one_versus_rest_is_swept_as_it_is_fitted() -> None:
    experiment = Experiment.from_query("data=iris&methods=ldm,linearldm,mcsvm&several=one-versus-rest&ldm.lambda1=4")
    sweep = Sweep(experiment, (Axis("C", (0.5, 2.0, 8.0)),))
    table = run(sweep)
    assert table.complete
    for result in table.results:
        cold = sweep.experiment_at(result.place).run_method(result.method)
        assert result.statistics["train.mean"] == pytest.approx(cold.train.mean, rel=1e-6)
        assert sum(result.terms.values()) == pytest.approx(cold.model.objective_, rel=1e-6)


@pytest.mark.parametrize(
    "key",
    ["ldm.lambda1", "ldm.lambda2", "C", "odm.lam", "odm.theta", "msvmav.beta", "gamma", "noise", "n", "label_noise"],
)
def test_every_point_is_a_single_cold_fit(key: str) -> None:
    experiment = Experiment.from_query(SMALL)
    sweep = Sweep(experiment, (axis(experiment, key, 7),), threshold=0.05)
    check_against_single_fits(sweep, run(sweep))


@pytest.mark.parametrize("keys", [("ldm.lambda1", "ldm.C"), ("odm.mu", "gamma"), ("outliers", "svm.C")])
def test_every_cell_of_a_heatmap_is_a_single_cold_fit(keys: tuple[str, str]) -> None:
    experiment = Experiment.from_query(SMALL + "&scale=functional")
    sweep = Sweep(experiment, tuple(axis(experiment, key, 4) for key in keys))
    table = run(sweep)
    check_against_single_fits(sweep, table)
    cell = table.values("ldm", "train.mean")[0, 2, 3]
    assert cell == pytest.approx(sweep.experiment_at((2, 3)).run_method("ldm").train.mean, rel=1e-9)


def test_linear_methods_and_given_data_are_swept_alike() -> None:
    experiment = Experiment.from_query(
        "data=breast-cancer&kernel=linear&scaling=standard&methods=ldm,linearldm&test=0.5"
    )
    sweep = Sweep(experiment, (axis(experiment, "lambda1", 3),))
    check_against_single_fits(sweep, run(sweep))


def test_warm_starts_give_what_cold_starts_give(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = Experiment.from_query(SMALL)
    sweep = Sweep(experiment, (axis(experiment, "ldm.lambda2", 9),))
    warm = run(sweep)
    monkeypatch.setattr(KernelMachine, "_previous", lambda self, name, m: None)
    cold = run(sweep)
    for method in experiment.methods:
        for key in TIMELESS:
            np.testing.assert_allclose(warm.values(method, key), cold.values(method, key), rtol=1e-8, atol=1e-8)


def test_parameters_of_one_name_and_other_domains_are_not_moved_together() -> None:
    assert "C" in axis_params(Experiment.from_query("data=moons&methods=svm,ldm,lssvm"))
    found = axis_params(Experiment.from_query("data=moons&methods=odm,mcodm,komd"))
    assert {"odm.lam", "mcodm.lam", "komd.lam"} <= found.keys()
    assert "lam" not in found
    assert "lam" in axis_params(Experiment.from_query("data=moons&methods=odm,mcodm"))


def test_a_problem_that_is_not_convex_does_not_depend_on_the_way_to_a_point() -> None:
    experiment = Experiment.from_query("data=wine&seed=4&kernel=linear&methods=mcodm&scale=functional")
    sweep = Sweep(experiment, (Axis("mcodm.mu", (0.01, 0.34, 1.0)),))
    check_against_single_fits(sweep, run(sweep))


def test_a_method_that_the_parameter_does_not_concern_is_fitted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[str] = []
    for name in ("svm", "odm"):
        record = METHODS[name]
        original = record.estimator.fit_space

        def spy(self, space, y, original=original):  # type: ignore[no-untyped-def]
            fitted.append(type(self).__name__)
            return original(self, space, y)

        monkeypatch.setattr(record.estimator, "fit_space", spy)
    experiment = Experiment.from_query(SMALL.replace("svm,ldm,odm,msvmav", "svm,odm"))
    table = run(Sweep(experiment, (axis(experiment, "odm.lam", 5), axis(experiment, "odm.mu", 4))))
    assert (fitted.count("SVM"), fitted.count("ODM")) == (1, 20)
    assert np.ptp(table.values("svm", "train.mean")) == 0.0


def test_neighbours_follow_each_other_and_new_rows_come_least_often() -> None:
    experiment = Experiment.from_query(SMALL)
    sweep = Sweep(experiment, (axis(experiment, "ldm.C", 5), axis(experiment, "gamma", 4)))
    path = list(sweep.path())
    assert sorted(path) == sorted(np.ndindex(5, 4))
    steps = np.abs(np.diff(path, axis=0))
    assert (steps.sum(axis=1) == 1).all()
    assert steps[:, 1].sum() == 3, "every gamma is one KernelSpace"


def test_bands_are_the_quantiles_over_other_seeds() -> None:
    experiment = Experiment.from_query(SMALL.replace("svm,ldm,odm,msvmav", "ldm"))
    sweep = Sweep(experiment, (axis(experiment, "ldm.lambda1", 3),), repeats=5)
    table = run(sweep)
    check_against_single_fits(sweep, table)
    low, middle, high = table.band("ldm", "test.accuracy")
    for at in range(3):
        by_seed = [
            with_axis_value(with_axis_value(experiment, "seed", 3 + repeat), "ldm.lambda1", sweep.axes[0].values[at])
            .run_method("ldm")
            .test.accuracy
            for repeat in range(5)
        ]
        assert (low[at], middle[at], high[at]) == pytest.approx(np.quantile(by_seed, (0.1, 0.5, 0.9)))


def test_a_first_look_has_the_ends_of_every_axis_and_one_repeat() -> None:
    experiment = Experiment.from_query(SMALL)
    sweep = Sweep(experiment, (axis(experiment, "ldm.C", 41), axis(experiment, "gamma", 5)), repeats=5)
    look = sweep.preview(81)
    assert (look.shape, look.repeats) == ((9, 5), 1)
    for thin, full in zip(look.axes, sweep.axes, strict=True):
        assert (thin.values[0], thin.values[-1]) == (full.values[0], full.values[-1])
        assert set(thin.values) <= set(full.values)


def test_a_sweep_that_is_ended_keeps_what_it_has() -> None:
    experiment = Experiment.from_query(SMALL)
    sweep = Sweep(experiment, (axis(experiment, "ldm.lambda1", 5),))
    table = run(sweep, proceed=lambda done: done < 8)
    assert (len(table.results), sweep.size, table.complete) == (8, 20, False)
    assert np.isnan(table.values("ldm", "train.mean")).tolist() == [[False, False, True, True, True]]
    assert np.isnan(table.band("ldm", "train.mean")).sum() == 9
    assert [result.method for result in points(sweep)][:4] == ["svm", "ldm", "odm", "msvmav"]


def test_a_point_that_cannot_be_fitted_says_why_and_the_others_stand() -> None:
    experiment = Experiment.from_query(SMALL.replace("svm.C=5", "svm.C=inf") + "&kernel=linear")
    table = run(Sweep(experiment, (axis(experiment, "ldm.lambda1", 3),)))
    ((reason, count),) = table.problems().items()
    assert "no hyperplane separates" in reason
    assert count == 3
    assert np.isnan(table.values("svm", "train.mean")).all()
    assert not np.isnan(table.values("ldm", "train.mean")).any()


def test_rows_of_the_table_are_tidy() -> None:
    experiment = Experiment.from_query(SMALL)
    sweep = Sweep(experiment, (axis(experiment, "gamma", 2),), statistics=("train.mean",), repeats=2)
    rows = list(run(sweep).records())
    assert len(rows) == sweep.size
    assert list(rows[0]) == ["gamma", "method", "seed", "train.mean", "converged"]
    assert {row["seed"] for row in rows} == {3, 4}


def test_examples_that_change_side_are_those_whose_margin_changes_sign() -> None:
    experiment = Experiment.from_query(SMALL)
    sweep = Sweep(experiment, (axis(experiment, "gamma", 9),))
    sides = run(sweep).sides("ldm")
    prepared = experiment.prepare()
    for at in range(9):
        model = sweep.experiment_at((at,)).run_method("ldm").model
        margins = np.concatenate(
            [model.margins(prepared.X_train, prepared.y_train), model.margins(prepared.X_test, prepared.y_test)]
        )
        assert np.array_equal(sides.correct[:, at], margins > 0)
    changing = sides.changing()
    assert 0 < len(changing.rows) < len(sides.rows)
    still = np.setdiff1d(sides.rows, changing.rows)
    assert all(len(np.unique(sides.correct[sides.rows == row])) == 1 for row in still)
    first = changing.changes.argmax(axis=1)
    assert (np.diff(first) >= 0).all()


def test_where_the_sample_changes_there_are_no_examples_to_follow() -> None:
    experiment = Experiment.from_query(SMALL)
    with pytest.raises(ValueError, match="n changes the sample"):
        run(Sweep(experiment, (axis(experiment, "n", 3),))).sides("ldm")


def test_rankings_disagree_where_the_numbers_say_so() -> None:
    experiment = Experiment.from_query(SMALL)
    table = run(Sweep(experiment, (axis(experiment, "C", 7),), repeats=3))
    found = disagreements(table, ("train.mean", "test.accuracy"))
    median = {
        (method, key): np.median(table.values(method, key), axis=0)
        for method in experiment.methods
        for key in ("train.mean", "test.accuracy")
    }
    expected = {
        (at, a, b)
        for at in range(7)
        for a in experiment.methods
        for b in experiment.methods
        if median[a, "train.mean"][at] - median[b, "train.mean"][at] > 1e-6
        and median[b, "test.accuracy"][at] - median[a, "test.accuracy"][at] > 1e-6
    }
    assert expected, "the test needs another case"
    assert {(item.place[0], item.winner, item.loser) for item in found} == expected
    accuracy = ranks(table, "test.accuracy")
    for at in range(7):
        order = [median[method, "test.accuracy"][at] for method in experiment.methods]
        assert [accuracy[m][at] for m in experiment.methods] == [1 + sum(o > v for o in order) for v in order]


@pytest.mark.parametrize("method", [m for m in METHODS if METHODS[m].terms is not None])
def test_the_terms_sum_to_the_objective(method: str) -> None:
    record = METHODS[method]
    params = record.settings({})
    margins = np.random.default_rng(0).normal(size=50)
    terms = record.split_objective(margins, 1.7, params, whole=np.nan)
    assert sum(terms.values()) == pytest.approx(record.objective(margins, 1.7, **params), rel=1e-12)


def test_an_objective_that_is_no_sum_stays_whole() -> None:
    assert METHODS["msvmav"].split_objective(np.ones(3), 1.0, {}, whole=0.25) == {"objective": 0.25}


def test_values_are_spaced_as_the_slider_is() -> None:
    params = axis_params(Experiment.from_query(SMALL))
    lambda1 = spaced(params["ldm.lambda1"], 19)
    assert lambda1[0] == 0
    np.testing.assert_allclose(np.diff(np.log2(lambda1[1:])), 18 / 17)
    assert spaced(params["svm.C"], 3, 1.0, 4.0) == pytest.approx((1.0, 2.0, 4.0))
    assert spaced(params["outliers"], 30) == tuple(range(9))
    np.testing.assert_allclose(np.diff(spaced(params["odm.theta"], 5)), 0.95 / 4)


@pytest.mark.parametrize(
    ("key", "values", "words"),
    [
        ("ldm.lambda3", (1.0, 2.0), "cannot sweep 'ldm.lambda3'; choose from: svm.C"),
        ("ldm.lambda1", (-1.0, 2.0), "lambda1 must be a number in \\[0, ∞\\)"),
        ("n", (30.5, 40.0), "n must be an integer in \\[4, 20000\\]"),
        ("gamma", (1.0,), "at least two different values"),
        ("degree", (1, 2), "cannot sweep 'degree'"),
        ("seed", (1, 2), "cannot sweep 'seed'"),
    ],
)
def test_an_axis_that_makes_no_sense_is_refused(key: str, values: tuple[float, ...], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Sweep(Experiment.from_query(SMALL), (Axis(key, values),))


def test_a_sweep_that_makes_no_sense_is_refused() -> None:
    experiment = Experiment.from_query(SMALL)
    own = axis(experiment, "gamma", 2)
    with pytest.raises(ValueError, match="one axis or two different ones"):
        Sweep(experiment, (own, own))
    with pytest.raises(ValueError, match="unknown statistic 'mean'"):
        Sweep(experiment, (own,), statistics=("mean",))
    with pytest.raises(ValueError, match="repeats must be an integer in \\[1, ∞\\)"):
        Sweep(experiment, (own,), repeats=0)
    edited = Experiment.from_query(SMALL + "&edits=d_3")
    with pytest.raises(ValueError, match="a sweep over noise draws new points"):
        Sweep(edited, (axis(edited, "noise", 2),))
    with pytest.raises(ValueError, match="each repeat draws new points"):
        Sweep(edited, (own,), repeats=2)
    with pytest.raises(ValueError, match="from a number to a larger one"):
        spaced(axis_params(experiment)["svm.C"], 5, 4.0, 1.0)
    with pytest.raises(ValueError, match="both finite"):
        spaced(axis_params(experiment)["svm.C"], 5, 4.0, np.inf)


@pytest.mark.parametrize("method", [m for m in METHODS if METHODS[m].family == "online"])
def test_an_online_learner_is_swept_like_any_other(method: str) -> None:
    start = Experiment.from_query(f"data=blobs&n=60&noise=0.3&seed=0&kernel=linear&methods={method}")
    sweep = Sweep(start, (axis(start, f"{method}.{METHODS[method].params[0].name}", 3),), tuple(TIMELESS))
    check_against_single_fits(sweep, run(sweep))


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_swept_to_the_margins_of_its_own_fit(method: str) -> None:
    """This includes multi-class methods and methods with their own bias."""
    experiment = Experiment.from_query(f"data=moons&n=50&noise=0.3&seed=3&gamma=1&methods={method}")
    first = next(key for key in axis_params(experiment) if key.startswith(f"{method}."))
    sweep = Sweep(experiment, (axis(experiment, first, 3),))
    table = run(sweep)
    assert table.complete
    clear_caches()
    for result in table.results:
        at = sweep.experiment_at(result.place, result.repeat)
        refused = METHODS[method].conflict(at.settings(method), at.kernel.name)
        assert bool(result.problem) == bool(refused)
        if refused:
            continue
        cold = at.run_method(method)
        for part, margins in (("train", cold.train), ("test", cold.test)):
            for name in ("mean", "variance", "min"):
                shown = result.statistics[f"{part}.{name}"]
                assert shown == pytest.approx(getattr(margins, name), rel=1e-4, abs=1e-6)


def test_exact_points_and_those_through_landmarks_are_told_apart_in_one_curve() -> None:
    query = "data=moons&n=300&methods=svm,linearldm&kernel=rbf&gamma=1&test=0.3&within=4200,svm-landmarks-256"
    experiment = Experiment.from_query(query)
    table = run(Sweep(experiment, (Axis("n", (300, 6000)),)))
    assert table.mixed
    assert table.spanned("svm").tolist() == [False, True]
    assert table.spanned("linearldm").tolist() == [False, False]
    curve = next(trace for trace in sweep_figure(table, "test.accuracy").data if trace.name == "SVM")
    assert list(curve.marker.symbol) == ["circle", "diamond"]
    assert curve.marker.opacity == 1.0  # otherwise different sizes permit the line
    assert ["through landmarks" in words for _, _, words in curve.customdata] == [False, True]
    alone = run(Sweep(experiment, (Axis("svm.C", (1.0, 2.0)),)))
    assert not alone.mixed
    curve = next(trace for trace in sweep_figure(alone, "test.accuracy").data if trace.name == "SVM")
    assert list(curve.marker.symbol) == ["circle", "circle"]


def test_many_rows_are_swept_through_landmarks_with_both_gaps() -> None:
    query = "data=moons&n=6000&noise=0.3&methods=svm,komd,linearldm&kernel=rbf&gamma=1"
    experiment = Experiment.from_query(f"{query}&within=4200,svm-landmarks-256,komd-landmarks-256")
    table = run(Sweep(experiment, (Axis("svm.C", (1.0, 4.0)),), statistics=("test.accuracy",)))
    assert table.problems() == {}
    assert table.through_landmarks("linearldm") == ()
    for method in ("svm", "komd"):
        for result in table.through_landmarks(method):
            assert 0 < result.landmarks <= 256
            assert result.gap <= 1e-6
            assert np.isnan(result.exact_gap) or 0.0 <= result.exact_gap <= 1.0
    spanned = table.through_landmarks("svm")
    assert len(spanned) == 2
    alone = experiment.with_value("svm.C", 4.0).run()["svm"]
    assert spanned[1].statistics["test.accuracy"] == pytest.approx(alone.test.accuracy, abs=1e-3)
