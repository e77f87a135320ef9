"""The stored optima of conic problems: their keys, and what is said where one is missing or differs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.optima import COMMAND, key_of, solved_again, stored
from tests.oracles import LDMProblem, gram, sample, square_root


@pytest.fixture
def problem():
    X, y = sample("moons")
    return LDMProblem(square_root(gram(X, "rbf")), y, C=10.0, lambda1=16.0, lambda2=16.0)


def test_a_problem_has_the_same_key_in_other_coordinates_and_another_for_other_data(problem):
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=2 * [problem.F.shape[1]]))[0]
    assert key_of(replace(problem, F=problem.F @ rotation)) == key_of(problem)
    assert key_of(replace(problem, F=(1.0 + 1e-12) * problem.F)) == key_of(problem), "rounding of another processor"
    others = [replace(problem, F=1.01 * problem.F), replace(problem, y=-problem.y), replace(problem, C=10.1)]
    assert len({key_of(one) for one in [problem, *others]}) == 4


def test_a_problem_without_a_stored_optimum_fails_with_the_command(problem):
    lower, upper = stored(problem)
    assert lower <= upper
    with pytest.raises(pytest.fail.Exception, match=COMMAND):
        stored(replace(problem, C=10.1))


def test_a_stored_optimum_that_is_another_problems_is_noticed(problem, monkeypatch):
    monkeypatch.setattr("tests.optima.solved", lambda same: stored(same) * (1.0 + 1e-5))
    solved_again(problem)
    monkeypatch.setattr("tests.optima.solved", lambda same: stored(same) * (1.0 + 1e-3))
    with pytest.raises(AssertionError, match=COMMAND):
        solved_again(problem)
