"""Sharing work changes nothing: walking a grid gives the same results as separate cold fits."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest

from mdcore.methods import METHODS
from mdcore.papers.evaluation import Task, compute, prepare_split, unpack
from mdcore.papers.links import experiment_of
from mdcore.papers.protocol import TableMethod, protocol
from mdcore.papers.selection import boustrophedon, constant_feature, correct_counts, folds_of, select, widths
from mdcore.papers.sets import rows_of
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.4 * RNG.normal(size=60) > 0.3).astype(np.intp)


def small(method: TableMethod) -> TableMethod:
    """Reduce the grid to its ends and two widths, which is enough to cover every branch of the walk."""
    grid = {name: (values[0], values[-1]) for name, values in method.grid.items()}
    return replace(method, grid=grid, widths=(method.widths[0], method.widths[-1])[: len(method.widths)])


CASES = [("ldm-2014", 3, key) for key in ("svm", "ldm", "komd", "mamc")]
CASES += [("ldm-2014", 2, key) for key in ("svm", "ldm", "mdo")]
CASES += [("msvmav-2022", 1, key) for key in ("msvmav", "odm", "lssvm")] + [("mamc-2016", 2, "emamc")]


@pytest.mark.parametrize(("paper", "table", "key"), CASES)
def test_the_walk_answers_as_fits_from_scratch_do(paper: str, table: int, key: str) -> None:
    made = protocol(paper, table)
    method = small(made.method(key))
    gammas, folds = widths(made, method, X), folds_of(Y, 3, seed=0)
    walked = correct_counts(made, method, X, Y, folds, gammas, method.choices)
    expected = np.zeros_like(walked)
    settings = constant_feature(made, method)
    for (i, gamma), (j, params), (a, b) in product(enumerate(gammas), enumerate(method.choices), folds):
        record = METHODS[method.estimator]
        kernel = {"kernel": made.kernel} | ({} if gamma is None else {"gamma": gamma}) if record.kernels else {}
        model = record.estimator(**params, **settings, **kernel).fit(X[a], Y[a])
        expected[i, j] += (model.predict(X[b]) == Y[b]).sum()
    np.testing.assert_array_equal(walked, expected)


def test_several_classes_are_answered_alike() -> None:
    made = protocol("mcodm-2017", 2)
    y = (Y + (X[:, 2] > 0.8)).astype(np.intp)
    method = small(made.method("mcsvm"))
    folds = folds_of(y, 3, seed=0)
    walked = correct_counts(made, method, X, y, folds, (None,), method.choices)
    for j, params in enumerate(method.choices):
        spaces = [(KernelSpace(X[a], Kernel("linear", bias=False)), a, b) for a, b in folds]
        fits = [(METHODS["mcsvm"].estimator(**params, kernel="linear").fit_space(s, y[a]), b) for s, a, b in spaces]
        assert walked[0, j] == sum(int((model.predict(X[b]) == y[b]).sum()) for model, b in fits)


def test_each_combination_is_visited_once_and_next_to_the_one_before() -> None:
    grid = {"a": range(3), "b": range(4), "c": range(2)}
    order = list(boustrophedon(grid))
    assert sorted(order) == list(range(24))
    places = np.array(np.unravel_index(order, (3, 4, 2))).T
    assert all(np.abs(p - q).sum() == 1 for p, q in pairwise(places))


def test_a_line_search_chooses_the_width_before_the_slope() -> None:
    made = protocol("mamc-2016", 2)
    line = made.method("mamc_bs")
    chosen = select(made, line, X, Y, seed=0)
    alone = select(made, replace(line, grid={}, search="grid"), X, Y, seed=0)
    assert chosen.gamma == alone.gamma
    assert chosen.fits == 5 * (16 + 21)


def test_of_equally_good_choices_the_first_is_taken() -> None:
    made = protocol("ldm-2014", 3)
    far = np.vstack([X[:20] * 1e-3, X[:20] * 1e-3 + 9.0])
    chosen = select(made, made.method("ldm"), far, np.repeat([0, 1], 20), seed=0)
    assert chosen.params == {name: values[0] for name, values in made.method("ldm").grid.items()}
    assert chosen.gamma == widths(made, made.method("ldm"), far)[0]


@pytest.mark.parametrize(("name", "rows"), [("Heart", 170), ("Titanic", 150), ("Waveform", 400)])
def test_a_training_part_has_the_printed_number_of_rows(name: str, rows: int) -> None:
    entry = replace(protocol("mamc-2016", 2).set(name))
    iris = rows_of(protocol("mcodm-2017", 2).set("iris"))
    n = entry.printed.rows
    y = np.tile(["a", "b"], n)[:n]
    data = type(iris.dataset)(name, np.random.default_rng(0).normal(size=(n, 2)), y, ("u", "v"))
    prepared = prepare_split(entry, replace(iris, dataset=data), 3)
    assert len(prepared.y_train) == rows


def test_a_cell_is_the_same_each_time_and_survives_the_way_to_another_machine() -> None:
    task = Task("mcodm-2017", 2, "iris", "ova", 1)
    rows = rows_of(task.protocol.set("iris"))
    first, second = compute(task, rows), compute(Task.from_json(task.to_json()), rows)
    assert first.digest == second.digest
    again = pickle.loads(pickle.dumps(first))
    assert again == first
    assert len(unpack(again.test)) == first.n_test == 30
    assert first.value == pytest.approx(np.mean(unpack(first.test) > 0), abs=1e-9)


@pytest.mark.parametrize(
    ("paper", "table", "dataset", "method"),
    [("mcodm-2017", 2, "iris", "ova"), ("ldm-2014", 3, "wdbc", "mamc"), ("msvmav-2022", 1, "wdbc", "mamc")],
)
def test_a_cell_and_its_live_picture_show_the_same_margins(paper: str, table: int, dataset: str, method: str) -> None:
    task = Task(paper, table, dataset, method, 1)
    outcome = compute(task, rows_of(task.protocol.set(dataset)))
    experiment = experiment_of(task.protocol, dataset, method, task.split, outcome.params)
    assert experiment is not None
    (run,) = experiment.run().values()
    prepared = experiment.prepare()
    shown = run.model.margins(prepared.X_test, prepared.y_test)
    np.testing.assert_allclose(unpack(outcome.test), shown, rtol=1e-5, atol=1e-6)


def test_a_column_that_is_no_method_has_no_live_picture() -> None:
    assert experiment_of(protocol("pumma-2009", 1), "adult-1k", "largest", 0, {}) is None
