"""An experiment is a value with one text form and one meaning; a moved slider refits one method only."""

from __future__ import annotations

from fractions import Fraction
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdcore import LDM, METHODS, Experiment, load_dataset
from mdcore.data import SOURCES, split
from mdcore.experiment.query import OPENING, BadKey
from mdcore.experiment.result_caches import clear_caches
from mdcore.spaces.kernels import GAMMA_WORDS

SMALL = "data=moons&n=60&noise=0.3&seed=0&gamma=1&svm.C=10&ldm.lambda1=4"


@st.composite
def queries(draw: st.DrawFn) -> str:
    """Draw legal query strings over sources, kernels, methods and parameters."""
    parts = [f"data={draw(st.sampled_from(sorted(SOURCES)))}", f"seed={draw(st.integers(0, 99))}"]
    parts.append(f"kernel={draw(st.sampled_from(['rbf', 'linear', 'poly', 'laplacian']))}")
    parts.append(f"gamma={draw(st.one_of(st.sampled_from(GAMMA_WORDS), st.floats(1e-6, 1e6)))}")
    methods = draw(st.lists(st.sampled_from(sorted(METHODS)), min_size=1, max_size=4, unique=True))
    parts.append("methods=" + ",".join(methods))
    parts.append(f"ldm.lambda1={draw(st.one_of(st.just(0.0), st.floats(1e-99, 1e9)))}")
    parts.append(f"several={draw(st.sampled_from(['own', 'one-versus-rest']))}")
    parts.append(f"svm.C={draw(st.one_of(st.just('inf'), st.floats(1e-9, 1e9)))}")
    return "&".join(parts)


@settings(max_examples=200)
@given(queries())
def test_to_query_inverts_from_query(query: str) -> None:
    experiment = Experiment.from_query(query)
    assert Experiment.from_query(experiment.to_query()) == experiment
    assert Experiment.from_query("?" + experiment.to_query()) == experiment


def test_an_empty_query_is_the_opening_and_given_keys_override_it() -> None:
    assert Experiment.from_query("") == Experiment.from_query(OPENING)
    assert Experiment.from_query("n=80").data.options != Experiment.from_query("").data.options
    assert dict(Experiment.from_query("n=80").data.options)["outliers"] == 6


def points_of(X: np.ndarray, y: np.ndarray) -> set[tuple[float, ...]]:
    return set(map(tuple, np.column_stack([X, y])))


@pytest.mark.parametrize("source", ["moons", "one-outlier", "imbalanced", "label-noise"])
@pytest.mark.parametrize("test", [0.1, 0.3, 0.6])
def test_outliers_are_training_examples_and_change_no_other_part(source: str, test: float) -> None:
    for seed in range(8):
        without, *more = (
            Experiment.from_query(f"data={source}&n=100&seed={seed}&test={test}&outliers={count}").prepare()
            for count in (0, 1, 4)
        )
        for prepared, count in zip(more, (1, 4), strict=True):
            outliers = prepared.dataset.for_training
            assert len(outliers) == count
            assert np.isin(outliers, prepared.train).all()
            expected = split(prepared.dataset.y, test, seed)
            outward, inward = np.setdiff1d(expected[0], prepared.train), np.setdiff1d(expected[1], prepared.test)
            assert set(inward) == set(outliers) & set(expected[1])
            assert sorted(prepared.dataset.y[outward]) == sorted(prepared.dataset.y[inward])
            assert points_of(prepared.X_train, prepared.y_train) - points_of(without.dataset.X, without.dataset.y)


def test_the_outlier_that_a_slider_asks_for_is_fitted() -> None:
    """With this seed, the split at random has the outlier in its test part, where it would change nothing."""
    query = "data=one-outlier&n=200&seed=0&kernel=linear&methods=svm&svm.C=1&outliers="
    lines = [Experiment.from_query(f"{query}{count}").run()["svm"].model.coef_[0] for count in (0, 1)]
    assert np.degrees(np.arccos(lines[0] @ lines[1] / np.prod(np.linalg.norm(lines, axis=1)))) > 5


def test_a_class_of_outliers_alone_is_still_split() -> None:
    prepared = Experiment.from_query("data=moons&n=20&outliers=9&test=0.5&seed=1").prepare()
    assert len(prepared.train) == len(prepared.test) == 10
    negative = prepared.train[prepared.y_train == -1]
    assert set(negative) < set(prepared.dataset.for_training)


def test_a_url_names_the_same_data_as_load_dataset() -> None:
    data = load_dataset("moons", n=300, noise=0.3, seed=0)
    prepared = Experiment.from_query("data=moons&n=300&noise=0.3&seed=0").prepare()
    rows = np.concatenate([prepared.train, prepared.test])
    assert np.array_equal(np.sort(rows), np.arange(300))
    assert np.array_equal(np.vstack([prepared.X_train, prepared.X_test]), data.X[rows])


def test_the_defaults_are_a_stratified_split_of_70_to_30_and_the_geometric_scale() -> None:
    experiment = Experiment.from_query("data=moons&n=300")
    prepared = experiment.prepare()
    assert (len(prepared.train), len(prepared.test), experiment.scale) == (210, 90, "geometric")
    assert np.sum(prepared.y_train == 1) == 105


@pytest.mark.parametrize("method", METHODS)
def test_a_run_is_the_estimator_fitted_by_hand(method: str) -> None:
    experiment = Experiment.from_query(f"{SMALL}&methods={method}&kernel=linear&scale=functional")
    run, prepared = experiment.run()[method], experiment.prepare()
    record = METHODS[method]
    by_hand = record.estimator(**experiment.settings(method))
    if record.kernels:
        by_hand.set_params(kernel="linear")
    by_hand.fit(prepared.X_train, prepared.y_train)
    np.testing.assert_allclose(run.train.values, by_hand.margins(prepared.X_train, prepared.y_train), rtol=1e-9)
    np.testing.assert_allclose(run.test.values, by_hand.margins(prepared.X_test, prepared.y_test), rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_scales_differ_by_the_norm_alone(method: str) -> None:
    functional = Experiment.from_query(f"{SMALL}&methods={method}&scale=functional").run()[method]
    geometric = Experiment.from_query(f"{SMALL}&methods={method}").run()[method]
    np.testing.assert_allclose(geometric.train.values * functional.fit.norm, functional.train.values, rtol=1e-12)
    for mark, scaled in zip(functional.marks(), geometric.marks(), strict=True):
        assert scaled.low * functional.fit.norm == pytest.approx(mark.low)
        assert scaled.high * functional.fit.norm == pytest.approx(mark.high)


def test_a_moved_parameter_refits_its_own_method_only(monkeypatch: pytest.MonkeyPatch) -> None:
    clear_caches()
    fitted = []
    for record in METHODS.values():
        if record.kernels:
            original = record.estimator.fit_space

            def spy(self, space, y, original=original):  # type: ignore[no-untyped-def]
                fitted.append(type(self).__name__)
                return original(self, space, y)

            monkeypatch.setattr(record.estimator, "fit_space", spy)
    experiment = Experiment.from_query(SMALL + "&methods=svm,ldm,odm")
    before = experiment.run()
    moved = experiment.with_param("ldm", "lambda1", 8.0)
    after = moved.run()
    assert sorted(fitted) == ["LDM", "LDM", "ODM", "SVM"]
    assert after["svm"].model is before["svm"].model
    assert after["svm"].fit.space is after["ldm"].fit.space is before["odm"].fit.space
    clear_caches()


@pytest.mark.parametrize("number", [np.float64(0.3), np.float32(0.3), Fraction(1, 3), np.int64(5)], ids=repr)
def test_a_number_of_any_library_is_a_plain_one_in_the_address(number):
    moved = Experiment.from_query("methods=ldm").with_param("ldm", "lambda1", number)
    assert Experiment.from_query(moved.to_query()) == moved
    assert moved.settings("ldm")["lambda1"] == float(number)


def test_the_same_experiment_gives_the_same_numbers_again() -> None:
    first = Experiment.from_query(SMALL).run()
    clear_caches()
    second = Experiment.from_query(SMALL).run()
    for key, run in first.items():
        assert np.array_equal(run.train.values, second[key].train.values)


@pytest.mark.parametrize(
    ("query", "key", "words"),
    [
        ("data=nowhere", "data", "unknown dataset 'nowhere'"),
        ("data=moons&n=three", "n", "integer in \\[4, 20000\\]"),
        ("data=moons&n=3", "n", "integer in \\[4, 20000\\]"),
        ("data=moons&seed=-1", "seed", "seed must be an integer"),
        ("data=moons&banana=1", "banana", "Unknown key 'banana'"),
        ("data=moons&test=1", "test", "test must be a number in \\[0, 1\\)"),
        ("data=moons&scaling=log", "scaling", "one of none, unit, standard"),
        ("kernel=cosine", "kernel", "one of rbf, linear"),
        ("gamma=0", "gamma", "gamma must be a number in \\(0, ∞\\)"),
        ("gamma=wide", "gamma", "gamma"),
        ("methods=", "methods", "one to 4"),
        ("methods=svm,svm", "methods", "different"),
        ("methods=svm,tree", "methods", "unknown method 'tree'"),
        ("ldm.lambda1=-1", "ldm.lambda1", "lambda1 must be a number in \\[0, ∞\\)"),
        ("ldm.lambda1=nan", "ldm.lambda1", "lambda1 must be a number in \\[0, ∞\\)"),
        ("ldm.lambda3=1", "ldm.lambda3", "LDM has no parameter 'lambda3'"),
        ("tree.depth=1", "tree.depth", "unknown method 'tree'"),
        ("several=both", "several", "one of own, one-versus-rest"),
        ("scale=metric", "scale", "one of geometric, functional"),
        ("seed=1&seed=2", "seed", "given twice"),
        ("edits=m_1", "edits", "cannot read 'm_1'"),
    ],
)
def test_a_bad_value_is_refused_with_its_key_and_the_legal_range(query: str, key: str, words: str) -> None:
    with pytest.raises(BadKey, match=words) as caught:
        Experiment.from_query(query)
    assert caught.value.key == key


def test_an_edit_of_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadKey, match="row must be in"):
        Experiment.from_query("data=moons&n=60&edits=d_60").prepare()


@pytest.mark.parametrize("value", [1e101, 1e308, 1e-101, 5e-324])
def test_a_number_whose_powers_are_none_is_refused(value: float) -> None:
    with pytest.raises(ValueError, match=r"ldm: lambda1 must be .* between 1e-100 and 1e\+100 in size; got"):
        Experiment.from_query(urlencode({"ldm.lambda1": value}))
    with pytest.raises(ValueError, match="LDM: lambda1 must be"):
        LDM(lambda1=value).fit([[0.0], [1.0]], [0, 1])


def test_keys_of_the_view_change_nothing() -> None:
    assert Experiment.from_query(SMALL + "&view.t=0.3&view.pin1=data%3Dxor") == Experiment.from_query(SMALL)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian"])
def test_the_field_is_the_decision_function_on_the_grid(method: str, kernel: str) -> None:
    run = Experiment.from_query(f"{SMALL}&kernel={kernel}&methods={method}").run()[method]
    xs, ys = np.linspace(-1, 2, 7), np.linspace(-1, 1, 5)
    grid = np.array([(x, y) for y in ys for x in xs])
    expected = run.model.decision_function(grid).reshape(5, 7)
    np.testing.assert_allclose(run.field(xs, ys), expected, rtol=1e-8, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_no_fit_depends_on_those_before_it(kernel):
    """A method gives identical results alone and after all others in the same space."""
    alone = {}
    for key in METHODS:
        clear_caches()
        alone[key] = fitted(key, kernel)
    for key in reversed(METHODS):
        np.testing.assert_array_equal(fitted(key, kernel), alone[key], key)


def fitted(key, kernel):
    return Experiment.from_query(f"data=moons&n=40&gamma=1&kernel={kernel}&methods={key}").run()[key].fit.train
