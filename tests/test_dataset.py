"""From examples to training data: the dataset, edits, the split, scaling, and their error messages."""

from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mdcore.data import (
    Add,
    Dataset,
    Drop,
    Edit,
    Flip,
    Move,
    edits,
    fit_scaling,
    load_dataset,
    prepare,
    split,
)
from mdcore.data.preparation import scaler


def table(y, d=2, **fields) -> Dataset:
    X = np.arange(len(y) * d, dtype=float).reshape(len(y), d)
    return Dataset(name="small", X=X, y=np.array(y), features=tuple(f"x{j}" for j in range(d)), **fields)


# Dataset


def test_a_dataset_copies_what_it_is_given():
    X, y = np.zeros((2, 1)), np.array(["b", "a"], dtype=object)
    dataset = Dataset(name="small", X=X, y=y, features=("x",))
    X[0], y[0] = 5, "c"
    assert dataset.X[0, 0] == 0
    assert dataset.y.tolist() == ["b", "a"]
    assert dataset.classes == ("a", "b")
    assert dataset.codes.tolist() == [1, 0]


def test_classes_can_be_more_than_the_labels_present():
    dataset = table([3, 3], classes=(5, 3))
    assert dataset.classes == (3, 5)
    assert dataset.codes.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"X": [1.0, 2.0]}, r"at least one row and one column; got an array of shape \(2,\)"),
        ({"X": np.empty((0, 2))}, r"at least one row and one column; got an array of shape \(0, 2\)"),
        ({"features": ("width",)}, "1 feature names for 2 columns"),
        ({"X": [[1, 2], [3, np.nan]]}, "feature 'height' is nan in row 1"),
        ({"X": [[np.inf, 2], [3, np.nan]]}, r"feature 'width' is inf in row 0 .* the 2 such value"),
        ({"y": [0]}, "X has 2 rows and y 1 labels"),
        ({"y": [[0], [1]]}, r"one label per row; got an array of shape \(2, 1\)"),
        ({"y": [0.5, 1]}, "labels must be integers or strings; got float64"),
        ({"y": np.array([None, "a"], dtype=object)}, "labels must be integers or strings; got object"),
        ({"classes": (0, 0, 1)}, "0 is listed twice"),
        ({"classes": (0, 2)}, "1 of y is not listed"),
    ],
)
def test_a_bad_dataset_is_refused(fields, message):
    good = {"name": "mine", "X": [[1, 2], [3, 4]], "y": [0, 1], "features": ("width", "height")}
    with pytest.raises(ValueError, match=f"mine: .*{message}"):
        Dataset(**(good | fields))


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("moon", {}, r"unknown dataset 'moon'. Did you mean 'moons'\? The datasets are moons, circles, .*digits"),
        ("moons", {"sigma": 1}, "moons has no option 'sigma'; its options are n, noise, outliers, balance"),
        ("breast-cancer", {"keep": "all"}, "breast-cancer has no option 'keep'; it has none"),
        ("moons", {"n": 3}, r"moons: n must be an integer in \[4, 20000\]; got 3"),
        ("moons", {"n": "many"}, r"moons: n must be an integer in \[4, 20000\]; got 'many'"),
        ("moons", {"n": 10.5}, r"moons: n must be an integer"),
        ("moons", {"noise": "nan"}, r"moons: noise must be a number in \[0, 10\]; got nan"),
        ("moons", {"label_noise": "0.6"}, r"label_noise must be a number in \[0, 0.5\]"),
        ("moons", {"balance": 0}, r"balance must be a number in \[0.01, 0.99\]"),
        ("moons", {"seed": -1}, r"seed must be an integer in \[0, 2\^32\)"),
        ("moons", {"n": 20, "outliers": 10}, "outliers must be fewer than the 10 points of the larger class"),
        ("threshold", {"r": 17}, "r <= k <= features must hold; got r = 17, k = 16, features = 100"),
        ("threshold", {"features": 10}, "r <= k <= features must hold; got r = 4, k = 16, features = 10"),
        ("iris", {"keep": "setosa"}, "iris: keep must be one of all, setosa,versicolor, .*; got 'setosa'"),
        ("digits", {"keep": 3}, "digits: keep must be one of all, 3,8"),
    ],
)
def test_a_bad_recipe_is_refused(name, options, message):
    with pytest.raises(ValueError, match=message):
        load_dataset(name, **options)


# Edits

coordinates = st.floats(-edits.COORDINATE_LIMIT, edits.COORDINATE_LIMIT)
row_ids = st.integers(0, 10**9 - 1)
any_edit = st.one_of(
    st.builds(Add, coordinates, coordinates, row_ids),
    st.builds(Move, row_ids, coordinates, coordinates),
    st.builds(Flip, row_ids),
    st.builds(Drop, row_ids),
)


@settings(derandomize=True, deadline=None)
@given(st.lists(any_edit).map(tuple))
def test_edits_survive_a_url(written):
    text = edits.format(written)
    assert edits.parse(text) == written
    assert dict(parse_qsl(f"edits={text}", keep_blank_values=True)) == {"edits": text}
    assert urlencode({"edits": text}) == f"edits={text}"


def test_the_grammar_reads_as_documented():
    text = "a_0.12_-0.5_1~m_12_0.5_0.3~f_4~d_7"
    parsed = (Add(0.12, -0.5, 1), Move(12, 0.5, 0.3), Flip(4), Drop(7))
    assert edits.parse(text) == parsed
    assert edits.format(parsed) == text
    assert edits.parse("m_1_1e-05_-2") == (Move(1, 1e-05, -2.0),)
    assert edits.parse("") == ()


def test_edits_apply_in_order_and_keep_row_ids():
    before = table(["no", "no", "yes"])
    after, dropped = edits.apply(before, edits.parse("a_9_8_1~m_3_7_6~f_3~d_0~m_1_-1_-2~f_2"))
    assert after.X.tolist() == [[0, 1], [-1, -2], [4, 5], [7, 6]]
    assert after.y.tolist() == ["no", "no", "no", "no"]
    assert after.classes == ("no", "yes")
    assert dropped == {0}
    assert before.X.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_no_edits_leave_the_dataset_as_it_is():
    dataset = table([0, 1])
    assert edits.apply(dataset, ()) == (dataset, frozenset())


def test_labels_can_be_flipped_and_rows_dropped_in_any_dimension():
    after, dropped = edits.apply(table([0, 1, 1], d=5), [Flip(1), Drop(2)])
    assert after.y.tolist() == [0, 0, 1]
    assert dropped == {2}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x_1", "cannot read 'x_1'; an edit is a_<x>_<y>_<label>, .*joined by ~"),
        ("f_1~", "cannot read ''"),
        ("f_1~a_1_2", "cannot read 'a_1_2'"),
        ("a_1_2_3_4", "cannot read 'a_1_2_3_4'"),
        ("f_1~m_1_nan_0", r"in 'm_1_nan_0', a coordinate must be a number in \[-1e\+12, 1e\+12\]; got 'nan'"),
        ("a_inf_0_1", "a coordinate must be a number"),
        ("a_1e13_0_1", "a coordinate must be a number"),
        ("a_0_1e999_1", "a coordinate must be a number"),
        ("a_ 1_0_1", "got ' 1'"),
        ("f_-1", "in 'f_-1', the row must be an integer, 0 or more; got '-1'"),
        ("d_1.5", "in 'd_1.5', the row must be an integer"),
        ("d_9999999999", "the row must be an integer"),
        ("a_0_0_b", "in 'a_0_0_b', the label must be an integer, 0 or more; got 'b'"),
    ],
)
def test_unreadable_edits_name_the_piece(text, message):
    with pytest.raises(ValueError, match=message):
        edits.parse(text)


@pytest.mark.parametrize(
    ("dataset", "edit", "message"),
    [
        (table([0, 1]), Flip(2), r"edit f_2: row must be in \[0, 1\] at this point; got 2"),
        (table([0, 1]), Drop(-1), r"edit d_-1: row must be in \[0, 1\]"),
        (table([0, 1]), Move(5, 0, 0), r"edit m_5_0.0_0.0: row must be in \[0, 1\]"),
        (
            table([0, 1]),
            Add(0, 0, 2),
            "edit a_0.0_0.0_2: the label must be the index of a class, 0 to 1 in small; got 2",
        ),
        (table([0, 1]), Add(0, np.nan, 1), "edit a_0.0_nan_1: coordinates must be numbers"),
        (table([0, 1]), Move(0, np.inf, 0), "edit m_0_inf_0.0: coordinates must be numbers"),
        (table([0, 1], d=3), Add(0, 0, 0), "two dimensions only; small has 3 features"),
        (table([0, 1], d=3), Move(0, 0, 0), "two dimensions only; small has 3 features"),
        (table([0, 1, 2]), Flip(0), "between two classes only; small has 3"),
    ],
)
def test_edits_that_do_not_fit_are_refused(dataset, edit, message):
    with pytest.raises(ValueError, match=message):
        edits.apply(dataset, [edit])


def test_an_edit_cannot_address_a_row_added_later():
    with pytest.raises(ValueError, match=r"edit f_2: row must be in \[0, 1\]"):
        edits.apply(table([0, 1]), [Flip(2), Add(0, 0, 1)])


# Splits


@pytest.mark.parametrize("test", [0.1, 0.3, 0.5])
def test_a_split_is_disjoint_covering_ascending_and_stratified(test):
    y = load_dataset("imbalanced", n=200).y
    train, held_out = split(y, test, seed=1)
    assert np.array_equal(np.sort(np.concatenate([train, held_out])), np.arange(200))
    for part, share in ((train, 1 - test), (held_out, test)):
        assert (np.diff(part) > 0).all()
        assert np.sum(y[part] == 1) == pytest.approx(20 * share, abs=1)
        assert np.sum(y[part] == -1) == pytest.approx(180 * share, abs=1)
    assert np.array_equal(split(y, test, seed=1)[0], train)
    assert not np.array_equal(split(y, test, seed=2)[0], train)


def test_test_0_keeps_everything_for_training():
    train, held_out = split(["a", "b", "b"], 0, seed=0)
    assert (train.tolist(), held_out.tolist()) == ([0, 1, 2], [])


@pytest.mark.parametrize(
    ("y", "test", "seed", "message"),
    [
        (["a", "b", "b"], 0.5, 0, r"class a has 1 example; .* at least 2 .*leave that class out"),
        ([0, 0, 1, 1] * 2, 0.1, 0, "test = 0.1 of 8 examples makes a test part of 1, fewer than the 2 classes. Raise"),
        ([0, 0, 1, 1], 0.7, 0, "test = 0.7 of 4 examples makes a training part of 1, fewer than the 2 classes. Lower"),
        ([0] * 98 + [1] * 2, 0.9, 0, "test = 0.9 leaves no training example of class 1. Lower"),
        ([0, 1], 1.0, 0, r"split: test must be a number in \[0, 1\); got 1.0"),
        ([0, 1], 0.5, 0.5, r"split: seed must be an integer in \[0, 2\^32\); got 0.5"),
    ],
)
def test_an_impossible_split_is_refused(y, test, seed, message):
    with pytest.raises(ValueError, match=message):
        split(y, test, seed)


# Scaling


def test_unit_scaling_maps_the_training_part_to_the_unit_interval():
    X = np.array([[1.0, 5.0], [3.0, 5.0], [2.0, 5.0]])
    scaling = fit_scaling("unit", X)
    assert scaling.apply(X).tolist() == [[0, 0], [1, 0], [0.5, 0]]
    assert scaling.apply([[5.0, 6.0]]).tolist() == [[2, 1]]


@pytest.mark.parametrize("name", ["none", "unit", "standard"])
def test_the_stage_scales_as_a_comparison_does(name):
    rng = np.random.default_rng(0)
    X = rng.normal(10.0, [1.0, 50.0, 0.0, 1e-17], size=(40, 4))
    fitted = scaler(name).fit(X[:30])
    np.testing.assert_allclose(fit_scaling(name, X[:30]).apply(X[30:]), fitted.transform(X[30:]), rtol=1e-9, atol=1e-9)


def test_standard_scaling_has_mean_0_and_variance_1_and_only_centres_constants():
    X = np.column_stack([np.arange(10.0), np.full(10, 0.1)])
    scaled = fit_scaling("standard", X).apply(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-15)
    assert scaled[:, 0].std() == pytest.approx(1)
    assert fit_scaling("standard", X).scale[1] == 1


@pytest.mark.parametrize("name", ["none", "unit", "standard"])
def test_scaling_subtracts_a_shift_and_divides_by_a_scale(name):
    X = np.random.default_rng(0).normal(3, 5, (20, 3))
    scaling = fit_scaling(name, X)
    assert scaling.name == name
    np.testing.assert_allclose(scaling.apply(X) * scaling.scale + scaling.shift, X, atol=1e-13)


def test_an_unknown_scaling_is_refused():
    with pytest.raises(ValueError, match="scaling must be one of none, unit, standard; got 'robust'"):
        fit_scaling("robust", np.zeros((2, 2)))  # type: ignore[arg-type]


# Preparation


def test_prepare_scales_by_the_training_part_alone():
    wine = load_dataset("wine")
    ready = prepare(wine, scaling="unit", test=0.3, seed=0)
    assert ready.X_train.min(axis=0).tolist() == [0] * 13
    np.testing.assert_allclose(ready.X_train.max(axis=0), 1)
    assert ready.X_test.max() > 1
    raw = wine.X[ready.train]
    low, width = raw.min(axis=0), np.ptp(raw, axis=0)
    np.testing.assert_allclose(ready.X_test, (wine.X[ready.test] - low) / width)
    assert np.array_equal(ready.y_train, wine.y[ready.train])
    assert np.array_equal(ready.y_test, wine.y[ready.test])
    assert ready.dataset is wine


def test_prepared_arrays_are_contiguous_and_read_only():
    ready = prepare(load_dataset("moons"), scaling="standard", test=0.3, seed=0, edits=[Drop(3)])
    for array in (ready.X_train, ready.y_train, ready.X_test, ready.y_test, ready.train, ready.test):
        assert array.flags.c_contiguous
        assert not array.flags.writeable


def test_test_0_prepares_an_empty_test_part():
    ready = prepare(load_dataset("moons"), scaling="none", test=0, seed=0)
    assert (ready.X_train.shape, ready.X_test.shape, ready.y_test.shape) == ((300, 2), (0, 2), (0,))


@pytest.mark.parametrize("scaling", ["none", "unit"])
def test_edits_never_reshuffle_the_split(scaling):
    moons = load_dataset("moons", n=40)
    plain = prepare(moons, scaling=scaling, test=0.3, seed=0)
    trained, tested = int(plain.train[0]), int(plain.test[0])
    changes: list[Edit] = [
        Add(9, 9, 1),
        Move(tested, 5, 5),
        Flip(trained),
        Flip(tested),
        Drop(int(plain.train[1])),
        Drop(40),
    ]
    changes += [Add(-9, -9, 0), Drop(int(plain.test[1]))]
    ready = prepare(moons, scaling=scaling, test=0.3, seed=0, edits=changes)
    assert set(ready.train) == set(plain.train) - {plain.train[1]} | {41}
    assert set(ready.test) == set(plain.test) - {plain.test[1]}
    assert ready.dataset.n == 42
    assert ready.y_test[0] != plain.y_test[0]
    np.testing.assert_allclose(ready.X_test[0] * ready.scaling.scale + ready.scaling.shift, [5, 5])
    np.testing.assert_allclose(ready.X_train[-1] * ready.scaling.scale + ready.scaling.shift, [-9, -9])
    assert ready.y_train[-1] == -1


@pytest.mark.parametrize(
    ("changes", "message"),
    [([Drop(2), Drop(3)], "holds only class 0; at least two"), ([Drop(row) for row in range(4)], "holds no examples")],
)
def test_a_training_part_needs_two_classes(changes, message):
    with pytest.raises(ValueError, match=f"small: the training part {message}"):
        prepare(table([0, 0, 1, 1]), scaling="unit", test=0, seed=0, edits=changes)
