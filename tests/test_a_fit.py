"""A fit is read in one sitting: it passes few classes and files of the estimators, and returns one kind of result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import numpy as np
import pytest

import mdcore
from mdcore import LDM
from mdcore.methods.base import OF_INPUT
from mdcore.methods.certified import TwoClasses, certified
from mdcore.methods.fit_result import FitResult, Sample
from mdcore.methods.ldm import fit_by_dual
from mdcore.solvers.certificate import Certificate, Solution
from mdcore.solvers.ldm import LDMProblem
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from tests.oracles import sample

METHODS = Path(mdcore.__file__).parent / "methods"


def passed(call: Callable[[], object]) -> set[tuple[str, str]]:
    """Return the file and the qualified name of every function of `mdcore.methods` that a call runs."""
    found = set()

    def look(frame: FrameType, event: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and METHODS in path.parents:
            found.add((path.name, frame.f_code.co_qualname))

    sys.setprofile(look)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def test_a_fit_runs_the_code_of_four_estimator_classes() -> None:
    X, y = sample("moons")
    found = passed(lambda: LDM().fit(X, y))
    classes = {name.rpartition(".")[0] for _, name in found} & {kind.__name__ for kind in LDM.__mro__}
    assert classes == {"LDMMachine", "WeightedMachine", "KernelMachine", "MarginClassifier"}
    assert {file for file, _ in found} <= {
        *("ldm.py", "kernel_machine.py", "base.py", "checks.py", "weights.py"),
        *("landmarks.py", "fit_result.py", "certified.py", "distances.py"),
    }


def test_a_failed_fit_leaves_the_last_model() -> None:
    """What a fit finds is set at its end, all at once."""
    X, y = sample("moons")
    model = LDM(kernel="linear").fit(X, y)
    before = {name: value for name, value in vars(model).items() if name not in ("C", *OF_INPUT)}
    with pytest.raises(ValueError, match="no hyperplane separates"):
        model.set_params(C=np.inf).fit(np.repeat(X, 2, axis=0), np.tile([-1, 1], len(X)))
    assert [name for name, value in before.items() if vars(model)[name] is not value] == []


def test_a_result_is_made_without_an_estimator() -> None:
    X, y = sample("moons")
    space = KernelSpace(X, Kernel("rbf", 1.0))
    problem = LDMProblem.of(np.ones(len(y)), C=10.0, lambda1=16.0, lambda2=16.0)
    result = fit_by_dual(Sample(space, y), problem, None, tol=1e-8, max_iter=100)
    model = LDM().fit_space(space, y)
    assert isinstance(result, FitResult)
    assert (result.certificate.primal, result.certificate.gap) == (model.objective_, model.gap_)
    np.testing.assert_array_equal(result.weights.dual_coef, model.dual_coef_)


def test_a_gap_is_that_of_the_two_values() -> None:
    """The optimum lies between them: the gap of a worse model is larger, and its dual value no better."""
    X, y = sample("moons")
    space = KernelSpace(X, Kernel("rbf", 1.0))
    problem = LDMProblem.of(np.ones(len(y)), C=10.0)
    best = fit_by_dual(Sample(space, y), problem, None, tol=1e-10, max_iter=100)
    forces = 0.9 * best.fitted["beta_"]
    rough = certified(TwoClasses(space, y, problem, Solution(y * forces, forces, y * (space.gram @ (y * forces)))))
    assert rough.certificate.dual < best.certificate.dual <= best.certificate.primal < rough.certificate.primal
    for found in (best.certificate, rough.certificate):
        assert found.gap == pytest.approx((found.primal - found.dual) / found.scale)


def test_a_value_without_a_bound_has_no_gap() -> None:
    assert np.isnan(Certificate(1.0).gap)
    assert Certificate(1.0, -np.inf, 1.0).gap == np.inf
    assert Certificate(1.0, 1.5, 1.0).gap == 0.0
