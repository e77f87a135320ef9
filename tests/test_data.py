"""Data sources: the published generators, and what each option may change."""

import ast
from itertools import pairwise
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest

import mdcore.data
from mdcore.data import (
    SOURCES,
    Dataset,
    load_dataset,
    recipe,
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
    """scikit-learn takes a second to import, so functions import it when they need it."""
    imported = [node for node in ast.parse(module.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)]
    modules = {node.module if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imported}
    assert not {str(name).split(".")[0] for name in modules} & {"sklearn", "scipy", "pandas"}


# Effects of options


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


# Two-class toys in the plane


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


# Several classes in the plane


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
    # The paper's function has the bias k - 2r + 1, and its absolute value is at least 1.
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
        # Along first - second the mixture is uniform with variance 1/12; in other directions there is only unit noise.
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
