"""Facts about the data: the published generators, what an option may change, splits, edits and messages."""

import ast
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mdcore.data
from mdcore.data import (
    SOURCES,
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
    recipe,
    split,
)
from mdcore.spec import Choice

PLANAR = [key for key, source in SOURCES.items() if source.planar and "outliers" in recipe(key, {})]
SEVERAL = [key for key, source in SOURCES.items() if source.planar and "each" in recipe(key, {})]
SEEDED = [key for key, source in SOURCES.items() if any(option.name == "seed" for option in source.options)]
BALANCED = [key for key, source in SOURCES.items() if any(option.name == "balance" for option in source.options)]


def same_data(first: Dataset, second: Dataset) -> bool:
    return np.array_equal(first.X, second.X) and np.array_equal(first.y, second.y)


def changed_points(first: Dataset, second: Dataset) -> np.ndarray:
    return np.flatnonzero((first.X != second.X).any(axis=1))


def table(y, d=2, **fields) -> Dataset:
    X = np.arange(len(y) * d, dtype=float).reshape(len(y), d)
    return Dataset(name="small", X=X, y=np.array(y), features=tuple(f"x{j}" for j in range(d)), **fields)


# Every source


@pytest.mark.parametrize("key", SOURCES)
def test_a_source_makes_a_complete_read_only_dataset(key):
    source, dataset = SOURCES[key], load_dataset(key)
    assert (dataset.name, dataset.title, dataset.note) == (key, source.title, source.summary)
    assert dataset.X.shape == (dataset.n, dataset.d)
    assert dataset.X.dtype == np.float64
    assert source.planar == (dataset.d == 2)
    assert source.scaling == ("none" if source.planar else "standard")
    assert dataset.classes == tuple(np.unique(dataset.y).tolist())
    assert np.array_equal(np.array(dataset.classes)[dataset.codes], dataset.y)
    for array in (dataset.X, dataset.y):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]


@pytest.mark.parametrize("key", SOURCES)
def test_defaults_are_legal_and_sliders_stay_inside_the_domain(key):
    for option in SOURCES[key].options:
        option.check(option.default, key)
        if isinstance(option, Choice):
            continue
        option.check(type(option.default)(option.slider.low), key)
        option.check(type(option.default)(option.slider.high), key)
        assert option.slider.low <= option.default <= option.slider.high


@pytest.mark.parametrize("key", SOURCES)
def test_every_choice_can_be_loaded_through_a_url(key):
    for option in SOURCES[key].options:
        for value in option.options if isinstance(option, Choice) else (option.default,):
            query = dict(parse_qsl(urlencode({option.name: value})))
            assert recipe(key, query) == recipe(key, {option.name: value})
            assert load_dataset(key, **query).n > 0


@pytest.mark.parametrize("key", SEEDED)
def test_a_seed_means_one_dataset(key):
    source = SOURCES[key]
    assert same_data(source.make(**recipe(key, {"seed": 3})), source.make(**recipe(key, {"seed": 3})))
    assert not same_data(load_dataset(key, seed=3), load_dataset(key, seed=4))


@pytest.mark.parametrize("key", SEEDED)
def test_rows_are_not_sorted_by_class(key):
    labels = load_dataset(key).y
    assert sum(a != b for a, b in pairwise(labels)) > 20


def test_a_recipe_is_the_same_in_numbers_text_and_defaults():
    canonical = load_dataset("moons", n=300, noise=0.3, seed=0)
    assert load_dataset("moons", **dict(parse_qsl("n=300&noise=0.3&seed=0"))) is canonical
    assert load_dataset("moons") is canonical
    assert load_dataset("moons", n=np.int64(300), noise=np.float64(0.3)) is canonical
    resolved = recipe("moons", {"noise": 1, "n": "50"})
    assert (resolved["n"], resolved["noise"]) == (50, 1.0)
    assert [type(resolved[name]) for name in ("n", "noise", "seed")] == [int, float, int]


@pytest.mark.parametrize("module", sorted(Path(mdcore.data.__file__).parent.glob("*.py")), ids=lambda path: path.stem)
def test_importing_a_module_imports_nothing_heavy(module):
    """scikit-learn takes a second to import: it waits inside the functions that need it."""
    imported = [node for node in ast.parse(module.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imported}
    assert not {str(name).split(".")[0] for name in modules} & {"sklearn", "scipy", "pandas"}


# What an option may change


@pytest.mark.parametrize("key", BALANCED)
@pytest.mark.parametrize(("n", "balance", "positives"), [(101, 0.1, 10), (200, 0.5, 100), (4, 0.01, 1), (4, 0.99, 3)])
def test_class_counts_are_exact(key, n, balance, positives):
    quiet = {"label_noise": 0, "outliers": 0}
    quiet = {name: value for name, value in quiet.items() if name in recipe(key, {})}
    labels = load_dataset(key, n=n, balance=balance, **quiet).y
    assert [np.sum(labels == -1), np.sum(labels == 1)] == [n - positives, positives]


@pytest.mark.parametrize("key", PLANAR)
def test_an_outlier_changes_one_point_and_no_label(key):
    sets = [load_dataset(key, n=100, outliers=count) for count in range(6)]
    for before, after in pairwise(sets):
        (row,) = changed_points(before, after)
        assert after.y[row] == -1
        assert np.array_equal(before.y, after.y)


@pytest.mark.parametrize("key", PLANAR)
@pytest.mark.parametrize(("balance", "astray"), [(0.3, -1), (0.5, -1), (0.7, 1)])
def test_outliers_are_of_the_larger_class_and_lie_among_the_other(key, balance, astray):
    settings = {"n": 400, "balance": balance, "noise": 0.1, "label_noise": 0}
    clean, spoilt = (load_dataset(key, outliers=count, **settings) for count in (0, 5))
    rows = changed_points(clean, spoilt)
    assert (spoilt.y[rows] == astray).all()
    for point in spoilt.X[rows]:
        distances = np.linalg.norm(clean.X - point, axis=1)
        assert distances[clean.y != astray].min() < distances[clean.y == astray].min()


@pytest.mark.parametrize("key", [key for key in BALANCED if key != "label-noise"])
def test_label_noise_flips_its_share_and_moves_nothing(key):
    before, some, more = (load_dataset(key, n=150, label_noise=share) for share in (0, 0.1, 0.2))
    assert np.array_equal(before.X, more.X)
    flipped, flipped_more = (set(np.flatnonzero(after.y != before.y)) for after in (some, more))
    assert (len(flipped), len(flipped_more)) == (15, 30)
    assert flipped < flipped_more


def test_the_label_noise_toy_flips_a_tenth_by_default():
    assert np.sum(load_dataset("label-noise").y != load_dataset("label-noise", label_noise=0).y) == 30


@pytest.mark.parametrize("key", PLANAR)
def test_noise_scales_one_displacement_per_point(key):
    still, moved, moved_twice = (load_dataset(key, outliers=2, noise=noise) for noise in (0, 0.1, 0.2))
    np.testing.assert_allclose(moved_twice.X - still.X, 2 * (moved.X - still.X), atol=1e-12)
    assert len(changed_points(still, moved)) == still.n - 2
    assert np.array_equal(still.y, moved.y)


# Toys of the plane


def test_moons_without_noise_lie_on_two_half_circles():
    moons = load_dataset("moons", noise=0)
    upper, lower = moons.X[moons.y == -1], moons.X[moons.y == 1]
    np.testing.assert_allclose(np.hypot(upper[:, 0], upper[:, 1]), 1)
    np.testing.assert_allclose(np.hypot(lower[:, 0] - 1, lower[:, 1] - 0.5), 1)
    assert upper[:, 1].min() > -1e-12
    assert lower[:, 1].max() < 0.5 + 1e-12


def test_noise_is_the_standard_deviation():
    noisy, still = (load_dataset("moons", n=20000, noise=noise).X for noise in (0.3, 0))
    np.testing.assert_allclose((noisy - still).std(axis=0), 0.3, rtol=0.03)


def test_circles_without_noise_have_their_radii():
    circles = load_dataset("circles", noise=0)
    np.testing.assert_allclose(np.linalg.norm(circles.X, axis=1), np.where(circles.y == 1, 0.5, 1))


def test_xor_without_noise_has_the_sign_of_the_product():
    xor = load_dataset("xor", noise=0)
    assert np.array_equal(np.sign(xor.X[:, 0] * xor.X[:, 1]), xor.y)
    quadrants = np.unique(np.sign(xor.X), axis=0, return_counts=True)[1]
    assert quadrants.tolist() == [75, 75, 75, 75]


def test_the_arms_of_the_spirals_are_opposite_and_evenly_filled():
    spirals = load_dataset("spirals", noise=0)
    arm = spirals.X[spirals.y == 1]
    order = np.argsort(np.linalg.norm(arm, axis=1))
    mirrored = -spirals.X[spirals.y == -1]
    np.testing.assert_allclose(arm[order], mirrored[np.argsort(np.linalg.norm(mirrored, axis=1))], atol=1e-12)
    steps = np.linalg.norm(np.diff(arm[order], axis=0), axis=1)
    assert steps[len(steps) // 4 :].max() < 1.25 * steps[len(steps) // 4 :].min()


def test_the_blobs_are_those_of_their_classes():
    blobs = load_dataset("blobs", n=20000, noise=0.5)
    for label in (-1, 1):
        cloud = blobs.X[blobs.y == label]
        np.testing.assert_allclose(cloud.mean(axis=0), [label, 0.5 * label], atol=0.02)
        np.testing.assert_allclose(np.cov(cloud.T), 0.25 * np.eye(2), atol=0.02)


def test_the_imbalanced_toy_has_a_tenth_of_positives():
    assert np.mean(load_dataset("imbalanced").y == 1) == 0.1


@pytest.mark.parametrize("distance", [0.5, 4])
def test_one_outlier_is_one_point_at_its_distance_on_the_wrong_side(distance):
    toy = load_dataset("one-outlier", noise=1.4, distance=distance)
    (astray,) = np.flatnonzero(toy.y * toy.X[:, 0] <= 0)
    assert (toy.y[astray], toy.X[astray, 0]) == (-1, distance)
    discs = load_dataset("one-outlier", noise=1.4, distance=distance, outliers=0)
    assert (discs.y * discs.X[:, 0]).min() > 0.1 - 1e-12


# Several classes of the plane


@pytest.mark.parametrize("key", SEVERAL)
@pytest.mark.parametrize("label_noise", [0, 0.1])
def test_one_more_class_leaves_the_others_as_they_are(key, label_noise):
    sets = [load_dataset(key, classes=k, each=40, label_noise=label_noise) for k in range(2, 9)]
    for k, (fewer, more) in enumerate(pairwise(sets), start=2):
        kept = (more.X[:, None] == fewer.X[None]).all(axis=2).any(axis=1)
        assert (fewer.n, more.n, kept.sum()) == (40 * k, 40 * (k + 1), 40 * k)
        assert np.array_equal(more.X[kept], fewer.X)
        assert np.array_equal(more.y[kept], fewer.y)
        assert more.classes == tuple(range(k + 1))


@pytest.mark.parametrize("key", SEVERAL)
def test_label_noise_among_several_classes_flips_its_share_of_each(key):
    clean, spoilt = (load_dataset(key, classes=5, each=50, label_noise=share) for share in (0, 0.1))
    assert np.array_equal(clean.X, spoilt.X)
    flipped = clean.y != spoilt.y
    assert np.bincount(clean.y[flipped]).tolist() == [5] * 5
    assert np.array_equal(spoilt.y[flipped], np.abs(clean.y[flipped] - 1))


def test_sectors_without_noise_lie_in_their_eighths_of_the_ring():
    toy = load_dataset("sectors", classes=8, noise=0)
    radius, angle = np.hypot(*toy.X.T), np.arctan2(toy.X[:, 1], toy.X[:, 0]) % (2 * np.pi)
    assert 0.5 <= radius.min() <= radius.max() <= 2.0
    eighths = [np.unique(np.floor(angle[toy.y == c] / (np.pi / 4))) for c in range(8)]
    assert sorted(int(eighth) for (eighth,) in eighths) == list(range(8))


def test_the_centres_of_several_blobs_are_apart():
    toy = load_dataset("blobs-k", classes=8, noise=0)
    centres = np.array([toy.X[toy.y == c][0] for c in range(8)])
    distances = np.linalg.norm(centres[:, None] - centres[None], axis=2) + 9 * np.eye(8)
    assert 1.7 < distances.min(axis=1).min() <= distances.min(axis=1).max() < 2.5


# Published generators


@pytest.mark.parametrize("r", [1, 4, 8, 16])
def test_threshold_labels_obey_the_rule(r):
    data = load_dataset("threshold", n=1000, features=100, k=16, r=r)
    assert set(np.unique(data.X)) == {-1.0, 1.0}
    relevant = data.X[:, :16]
    assert np.array_equal(np.where((relevant == 1).sum(axis=1) >= r, 1, -1), data.y)
    # The paper's function has the bias k - 2r + 1 and never comes closer to 0 than 1.
    f = relevant.sum(axis=1) + 16 - 2 * r + 1
    assert (data.y * f).min() >= 1
    assert np.sum(data.y == 1) == 500


def test_threshold_is_uniform_within_a_class():
    data = load_dataset("threshold", n=20000, features=8, k=3, r=2, seed=5)
    positives = data.X[data.y == 1]
    patterns, counts = np.unique(positives[:, :3], axis=0, return_counts=True)
    assert len(patterns) == 4
    np.testing.assert_allclose(counts / len(positives), 1 / 4, atol=0.025)
    np.testing.assert_allclose(data.X[:, 3:].mean(axis=0), 0, atol=0.035)


def test_twonorm_has_its_means_covariance_and_bayes_error():
    data = load_dataset("twonorm", n=20000)
    for label in (-1, 1):
        cloud = data.X[data.y == label]
        np.testing.assert_allclose(cloud.mean(axis=0), label * 2 / np.sqrt(20), atol=0.05)
        np.testing.assert_allclose(np.cov(cloud.T), np.eye(20), atol=0.07)
    error = np.mean(np.sign(data.X.sum(axis=1)) != data.y)
    assert error == pytest.approx(0.02275, abs=0.005)


def test_ringnorm_has_its_means_covariances_and_bayes_error():
    data = load_dataset("ringnorm", n=20000)
    a = 2 / np.sqrt(20)
    outer, inner = data.X[data.y == -1], data.X[data.y == 1]
    np.testing.assert_allclose(outer.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(np.cov(outer.T), 4 * np.eye(20), atol=0.28)
    np.testing.assert_allclose(inner.mean(axis=0), a, atol=0.05)
    np.testing.assert_allclose(np.cov(inner.T), np.eye(20), atol=0.07)
    log_ratio = np.sum(data.X**2, axis=1) / 8 + 20 * np.log(2) - np.sum((data.X - a) ** 2, axis=1) / 2
    assert np.mean(np.sign(log_ratio) != data.y) == pytest.approx(0.0124, abs=0.004)


def test_waveform_mixes_the_published_triangles():
    data = load_dataset("waveform", n=20000, classes="all")
    triangle = [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    at_7, at_11, at_15 = (np.pad(triangle, (zeros, 10 - zeros)).astype(float) for zeros in (1, 5, 9))
    assert [int(wave.argmax()) + 1 for wave in (at_7, at_11, at_15)] == [7, 11, 15]
    for label, (first, second) in enumerate([(at_7, at_15), (at_7, at_11), (at_15, at_11)]):
        examples = data.X[data.y == label]
        np.testing.assert_allclose(examples.mean(axis=0), (first + second) / 2, atol=0.12)
        # Along first - second the proportion is uniform, of variance 1/12; elsewhere there is only unit noise.
        direction = first - second
        expected = np.eye(21) + np.outer(direction, direction) / 12
        np.testing.assert_allclose(np.cov(examples.T), expected, atol=0.25)


def test_waveform_classes_are_equally_frequent_and_class_0_is_positive():
    every, binary = (load_dataset("waveform", n=100, classes=classes) for classes in ("all", "0 vs rest"))
    assert np.bincount(every.y).tolist() == [34, 33, 33]
    assert np.array_equal(every.X, binary.X)
    assert np.array_equal(binary.y, np.where(every.y == 0, 1, -1))


# Bundled sets


def test_keep_selects_two_classes_in_the_order_of_the_source():
    every, kept = load_dataset("iris"), load_dataset("iris", keep="versicolor,virginica")
    assert every.classes == ("setosa", "versicolor", "virginica")
    assert kept.classes == ("versicolor", "virginica")
    assert np.array_equal(kept.X, every.X[every.y != "setosa"])


def test_bundled_labels_are_those_of_the_source():
    assert load_dataset("breast-cancer").classes == ("benign", "malignant")
    assert np.sum(load_dataset("breast-cancer").y == "malignant") == 212
    assert load_dataset("digits", keep="3,8").classes == (3, 8)
    assert load_dataset("wine").features[0] == "alcohol"


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
        ("moon", {}, "unknown dataset 'moon'; the datasets are moons, circles, .*digits"),
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
        (["a", "b", "b"], 0.5, 0, r"class a has 1 example; .* at least 2 .*test = 0"),
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


def test_standard_scaling_has_mean_0_and_variance_1_and_only_centres_constants():
    X = np.column_stack([np.arange(10.0), np.full(10, 0.1)])
    scaled = fit_scaling("standard", X).apply(X)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-15)
    assert scaled[:, 0].std() == pytest.approx(1)
    assert fit_scaling("standard", X).scale[1] == 1


@pytest.mark.parametrize("name", ["none", "unit", "standard"])
def test_scaling_can_be_inverted(name):
    X = np.random.default_rng(0).normal(3, 5, (20, 3))
    scaling = fit_scaling(name, X)
    assert scaling.name == name
    np.testing.assert_allclose(scaling.invert(scaling.apply(X)), X, atol=1e-13)


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
    np.testing.assert_allclose(ready.scaling.invert(ready.X_test[0]), [5, 5])
    np.testing.assert_allclose(ready.scaling.invert(ready.X_train[-1]), [-9, -9])
    assert ready.y_train[-1] == -1


@pytest.mark.parametrize(
    ("changes", "message"),
    [([Drop(2), Drop(3)], "holds class 0 only; at least two"), ([Drop(row) for row in range(4)], "holds nothing")],
)
def test_a_training_part_needs_two_classes(changes, message):
    with pytest.raises(ValueError, match=f"small: the training part {message}"):
        prepare(table([0, 0, 1, 1]), scaling="unit", test=0, seed=0, edits=changes)
