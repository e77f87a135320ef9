"""The path of LDM's dual solution in C and in lambda2 is exact between its kinks, and bends only at the kinks."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

import numpy as np
import pytest

from mdcore import LDM, SVM, Experiment
from mdcore.solvers import box_qp
from mdcore.solvers.path import Degenerate, follow
from mdcore.sweep import Axis, Sweep, kinks, run

Along = Literal["C", "lambda2"]
CASES: list[tuple[Along, float]] = [("C", 0.0), ("C", 8.0), ("lambda2", 0.0), ("lambda2", 8.0)]


def ground():  # type: ignore[no-untyped-def]
    experiment = Experiment.from_query("data=moons&n=80&noise=0.4&seed=2&gamma=1")
    return experiment.space(), experiment.prepare().y_train


@pytest.mark.parametrize(("along", "lambda1"), CASES)
def test_every_point_of_the_path_is_a_cold_solution(along: Along, lambda1: float) -> None:
    space, y = ground()
    values = np.geomspace(2**-6, 2**8, 30)
    path = LDM(lambda1=lambda1, lambda2=2.0, C=3.0).follow(space, y, along, values)
    for value, b in zip(values, path.b, strict=True):
        cold = LDM(**{"lambda1": lambda1, "lambda2": 2.0, "C": 3.0, along: value}, tol=1e-12).fit_space(space, y)
        np.testing.assert_allclose(b, cold.beta_, atol=1e-8 * max(1.0, cold.beta_.max()))


@pytest.mark.parametrize(("along", "lambda1"), CASES)
def test_between_two_kinks_the_solution_is_a_line_and_at_a_kink_it_bends(along: Along, lambda1: float) -> None:
    space, y = ground()
    model = LDM(lambda1=lambda1, lambda2=2.0, C=3.0)
    found = model.follow(space, y, along, [0.5, 20.0]).kinks
    assert len(found) >= 5
    assert (np.diff(found) >= 0).all()
    edges = np.concatenate([[0.5], found, [20.0]])
    wide = np.flatnonzero(np.diff(edges) > 1e-3)
    for at in wide[:: max(1, len(wide) // 8)]:
        low, high = edges[at], edges[at + 1]
        inside = low + (high - low) * np.array([0.0, 0.25, 0.5, 0.75, 1.0])
        b = model.follow(space, y, along, inside[1:-1]).b if at == 0 else model.follow(space, y, along, inside).b[1:-1]
        np.testing.assert_allclose(b[1], (b[0] + b[2]) / 2, atol=1e-9)
    sets = [
        tuple(np.sign(b) + (b >= (value if along == "C" else 3.0)))
        for value, b in zip(
            (edges[:-1] + edges[1:])[wide] / 2,
            model.follow(space, y, along, np.concatenate([[0.5], (edges[:-1] + edges[1:])[wide] / 2])).b[1:],
            strict=True,
        )
    ]
    assert all(one != other for one, other in pairwise(sets))


def test_svm_is_followed_too() -> None:
    space, y = ground()
    path = SVM().follow(space, y, "C", [0.1, 1.0, 10.0])
    for value, b in zip(path.values, path.b, strict=True):
        np.testing.assert_allclose(b, SVM(C=value, tol=1e-12).fit_space(space, y).beta_, atol=1e-8)


def test_equal_rows_cannot_be_followed_and_say_so() -> None:
    G = np.array([[1.0, 1.0], [1.0, 1.0]]) + 1.0
    with pytest.raises(Degenerate):
        follow(G, np.full(2, 0.5), np.array([0.2, 0.3]), lambda2=0.0, C=1.0, along="C", values=np.array([1.0, 2.0]))
    with pytest.raises(ValueError, match="ascending"):
        follow(G, np.full(2, 0.5), np.zeros(2), lambda2=0.0, C=1.0, along="C", values=np.array([2.0, 1.0]))


def test_a_sweep_knows_the_kinks_of_the_method_whose_path_it_can_follow() -> None:
    experiment = Experiment.from_query("data=moons&n=80&noise=0.4&seed=2&gamma=1&methods=svm,ldm,odm")
    sweep = Sweep(experiment, (Axis("ldm.lambda2", (0.0, 4.0, 64.0)),))
    space, y = experiment.space(), experiment.prepare().y_train
    expected = LDM(**experiment.settings("ldm")).follow(space, y, "lambda2", [0.0, 4.0, 64.0]).kinks
    assert len(expected) > 0
    np.testing.assert_allclose(kinks(sweep, "ldm"), expected)
    assert len(kinks(sweep, "odm")) == len(kinks(sweep, "svm")) == 0


def test_of_several_classes_no_path_is_followed() -> None:
    for several in ("own", "one-versus-rest"):
        experiment = Experiment.from_query(f"data=iris&methods=ldm&several={several}")
        assert len(kinks(Sweep(experiment, (Axis("ldm.lambda2", (0.0, 4.0, 64.0)),)), "ldm")) == 0


def test_a_followed_sweep_solves_once_and_only_certifies_after(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[int] = []
    original = box_qp.coordinate_sweeps

    def spy(*given: object) -> None:
        solved.append(1)
        original(*given)

    monkeypatch.setattr(box_qp, "coordinate_sweeps", spy)
    experiment = Experiment.from_query("data=moons&n=80&noise=0.4&seed=2&gamma=1&methods=ldm")
    prices = tuple(np.geomspace(0.01, 100, 9))
    table = run(Sweep(experiment, (Axis("ldm.lambda1", (1.0, 8.0)), Axis("ldm.C", prices))))
    assert len(solved) == 1, "the second lambda1 begins at the solution of the first"
    assert all(result.converged for result in table.results)


@pytest.mark.parametrize(
    "rows", ["data=xor&n=60&seed=1&kernel=linear", "data=breast-cancer&kernel=linear&scaling=unit"]
)
def test_few_features_fall_back_on_warm_starts(rows: str) -> None:
    experiment = Experiment.from_query(f"{rows}&methods=svm")
    sweep = Sweep(experiment, (Axis("svm.C", (0.1, 1.0, 10.0)),))
    table = run(sweep)
    assert table.complete
    for result in table.results:
        cold = sweep.experiment_at(result.place).run_method("svm")
        assert result.statistics["train.mean"] == pytest.approx(cold.train.mean, rel=1e-6)
