"""Solutions of SVM, LDM and ODM compared with a conic solver, over the whole ranges of the sliders."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from mdcore import LDM, METHODS, ODM, SVM
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from tests.oracles import LDMProblem, ODMProblem, Problem, sample, square_root

RELATIVE = 1e-6
ZERO = 1e-12
NORM = 1e-5  # at lam = 2^20 the last bit of an rbf matrix, by which two square roots differ, moves ||w|| by 4e-6

KERNELS = {
    "linear": Kernel("linear"),
    "rbf": Kernel("rbf", gamma=1.0),
    "rbf wide": Kernel("rbf", gamma=2.0**-10),
    "rbf narrow": Kernel("rbf", gamma=2.0**10),
    "rbf without bias": Kernel("rbf", gamma=1.0, bias=False),
    "poly": Kernel("poly", gamma=1.0, degree=3, coef0=1.0),
    "laplacian": Kernel("laplacian", gamma=0.5),
}
SPACES = [
    *product(
        ("moons", "two rows", "separable", "duplicated rows", "unbalanced", "one feature", "overlapping"),
        ("linear", "rbf", "rbf wide", "rbf narrow"),
    ),
    *product(("moons", "overlapping"), ("rbf without bias", "poly", "laplacian")),
    *product(("unscaled", "larger"), ("linear", "rbf")),
]

SETTINGS = {
    SVM: [{"C": C} for C in (2.0**-10, 10.0, 2.0**10)],
    LDM: [
        {"lambda1": lambda1, "lambda2": lambda2, "C": C}
        for lambda1, lambda2, C in [
            *product((0.0, 2.0**10), (0.0, 2.0**10), (2.0**-10, 2.0**10)),
            (2.0**-8, 2.0**-2, 10.0),
            (16.0, 16.0, 10.0),
            (16.0, 16.0, 0.0),
            (16.0, 0.0, 0.0),
        ]
    ],
    ODM: [
        {"lam": lam, "mu": mu, "theta": theta}
        for lam, mu, theta in [*product((2.0**-10, 256.0, 2.0**20), (0.01, 1.0), (0.0, 0.9, 0.95)), (256.0, 0.4, 0.4)]
    ],
}

over_spaces = pytest.mark.parametrize(("name", "kernel"), SPACES)
over_estimators = pytest.mark.parametrize("estimator", SETTINGS)
over_weighted = pytest.mark.parametrize("method", [m for m in METHODS.values() if m.weights], ids=lambda m: m.key)
over_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])


class Case(NamedTuple):
    """A fitted model, its problem as the paper states it, and our w in the same coordinates."""

    params: dict[str, float]
    model: object
    problem: Problem
    w: np.ndarray


def features(name: str, kernel: str) -> np.ndarray:
    X, y = sample(name)
    return np.column_stack([X, np.ones(len(y))]) if kernel == "linear" else square_root(KERNELS[kernel](X, X))


def problems(name: str, kernel: str, estimator: type) -> list[Problem]:
    F, (_, y) = features(name, kernel), sample(name)
    stated = ODMProblem if estimator is ODM else LDMProblem
    return [stated(F, y, **params) for params in SETTINGS[estimator]]


@cache
def cases(name: str, kernel: str, estimator: type) -> list[Case]:
    X, y = sample(name)
    k = KERNELS[kernel]
    solved = []
    for params, problem in zip(SETTINGS[estimator], problems(name, kernel, estimator), strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # `converged_` is checked below
            model = estimator(
                **params, kernel=k.name, gamma=k.gamma, degree=k.degree, coef0=k.coef0, fit_intercept=k.bias
            ).fit(X, y)
        w = np.r_[model.coef_[0], model.intercept_] if kernel == "linear" else problem.F.T @ model.dual_coef_
        solved.append(Case(params, model, problem, w))
    return solved


def failing(cases: list[Case], fact: Callable[[Case], bool]) -> list[dict[str, float]]:
    return [case.params for case in cases if not fact(case)]


def below(first: float, second: float, relative: float = RELATIVE) -> bool:
    return first <= second + relative * abs(second) + ZERO


def near(first: float, second: float, relative: float = RELATIVE) -> bool:
    return below(first, second, relative) and below(second, first, relative)


# The optimum


@over_spaces
@over_estimators
def test_no_conic_solution_is_better(optima, name, kernel, estimator):
    solved = cases(name, kernel, estimator)
    bounds = {id(case): optima(case.problem) for case in solved}
    assert failing(solved, lambda case: below(case.problem.value(case.w), bounds[id(case)][1])) == []
    assert failing(solved, lambda case: below(bounds[id(case)][0], case.problem.value(case.w))) == []


@over_spaces
@over_estimators
def test_the_dual_variables_prove_the_optimum(name, kernel, estimator):
    solved = cases(name, kernel, estimator)
    assert (
        failing(solved, lambda case: near(case.problem.value(case.w), case.problem.lower_bound(case.model.beta_))) == []
    )


@over_spaces
@over_estimators
def test_every_problem_of_the_sliders_converges(name, kernel, estimator):
    assert failing(cases(name, kernel, estimator), lambda case: case.model.converged_) == []
    assert failing(cases(name, kernel, estimator), lambda case: 0.0 <= case.model.gap_ <= RELATIVE) == []


@pytest.mark.parametrize("gamma", [1.0, 100.0])
@pytest.mark.parametrize("lambda1", [2.0**-8, 0.05, 0.1, 1.0])
def test_repeated_rows_converge_however_light_the_variance(lambda1, gamma):
    """H is singular, C is large, and the small part of H above rounding that lambda1 leaves decides the active set."""
    X, y = (np.repeat(part, 4, axis=0) for part in sample("moons"))
    model = LDM(lambda1, lambda1, 2.0**10, gamma=gamma).fit(X, y)
    assert model.converged_
    assert model.gap_ <= 1e-8


def test_more_features_than_rows_converge_however_heavy_the_variance():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(20) % 2, 1, -1)
    X = rng.normal(size=(20, 300)) + 0.15 * y[:, None]
    for lambda2 in (0.0, 2.0**10):
        assert LDM(2.0**10, lambda2, 10.0, kernel="linear").fit(X, y).converged_


@pytest.mark.parametrize("size", [1.0, 1e3, 1e5])
@pytest.mark.parametrize("params", SETTINGS[LDM], ids=str)
def test_a_gap_holds_whatever_the_rounding(params, size):
    """For rows of any size, H may lose all its digits, and the gap must reflect the actual model."""
    X, y = sample("overlapping")
    X = size * X
    problem = LDMProblem(np.column_stack([X, np.ones(len(y))]), y, **params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LDM(**params, kernel="linear").fit(X, y)
    w, g = np.r_[model.coef_[0], model.intercept_], model.margins(X, y)
    mean = params["lambda2"] * abs(g.mean())
    hinge = params["C"] * np.maximum(1.0 - g, 0.0).sum()
    scale = 0.5 * model.norm_**2 + 2.0 * params["lambda1"] * g.var() + mean + hinge
    assert problem.value(w) - problem.lower_bound(model.beta_) <= (model.gap_ + 1e-6) * scale
    assert model.gap_ <= RELATIVE or not model.converged_


@over_spaces
@over_estimators
def test_the_reported_objective_is_that_of_the_solution(name, kernel, estimator):
    solved = cases(name, kernel, estimator)
    assert failing(solved, lambda case: near(case.model.objective_, case.problem.value(case.w))) == []


@over_spaces
@over_estimators
def test_the_reported_norm_is_that_of_the_solution(name, kernel, estimator):
    relative = RELATIVE if kernel == "linear" else NORM
    solved = cases(name, kernel, estimator)
    assert failing(solved, lambda case: near(case.model.norm_, np.linalg.norm(case.w), relative)) == []


@pytest.mark.parametrize(("name", "kernel"), [space for space in SPACES if space[0] != "unscaled"])
@over_estimators
def test_the_oracle_is_accurate_enough_to_judge(optima, name, kernel, estimator):
    """For scaled rows, the certificate of the conic solver is a hundred times tighter than our tolerance."""
    for problem in problems(name, kernel, estimator):
        lower, upper = optima(problem)
        assert upper - lower <= 1e-2 * (RELATIVE * abs(upper) + ZERO), problem


@pytest.mark.parametrize("estimator", [SVM, LDM])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_the_hard_margin_is_the_conic_solvers(optima, estimator, kernel):
    F, (X, y) = features("separable", kernel), sample("separable")
    rewarded = {"lambda1": 16.0, "lambda2": 2.0**10}  # every margin ends up above one
    for params in (
        [{}] if estimator is SVM else [{"lambda1": 0.0, "lambda2": 2.0}, {"lambda1": 2.0**10, "lambda2": 0.0}, rewarded]
    ):
        model = estimator(**params, C=np.inf, kernel=kernel, gamma=1.0).fit(X, y)
        lower, upper = optima(LDMProblem(F, y, C=np.inf, **params))
        assert near(lower, upper)
        assert near(model.objective_, upper)
        assert model.converged_


# Weights


@pytest.fixture(scope="module")
def weighted():
    """Return rows, labels, and the weight of each row: 0, 1, 2 or 3."""
    X, y = sample("moons")
    return X, y, np.random.default_rng(1).integers(0, 4, size=len(y))


def weighted_fits(method, kernel, X, y, rows, counts):
    """Return two models, fitted with `counts` as weights and to the repeated `rows`, and their decision values."""
    if kernel == "precomputed":
        G = KERNELS["rbf"](X, X) - 1.0
        whole, part, to_part = G, G[np.ix_(rows, rows)], G[:, rows]
    else:
        whole, part, to_part = X, X[rows], X
    make = partial(method.estimator, kernel=kernel, gamma=1.0)
    first, second = make().fit(whole, y, sample_weight=counts), make().fit(part, y[rows])
    return first, second, first.decision_function(whole), second.decision_function(to_part)


@over_weighted
@over_kernels
def test_an_integer_weight_is_a_repetition(method, kernel, weighted):
    X, y, counts = weighted
    counts = counts + 1
    first, second, f, g = weighted_fits(method, kernel, X, y, np.repeat(np.arange(len(y)), counts), counts)
    assert near(first.objective_, second.objective_)
    assert near(first.norm_, second.norm_)
    np.testing.assert_allclose(f, g, atol=1e-5 * np.abs(g).max())


@over_weighted
@over_kernels
def test_weight_zero_removes_a_row(method, kernel, weighted):
    X, y, counts = weighted
    kept = np.flatnonzero(counts)
    first, second, f, g = weighted_fits(method, kernel, X, y, kept, (counts > 0).astype(float))
    assert near(first.objective_, second.objective_)
    np.testing.assert_allclose(f, g, atol=1e-5 * np.abs(g).max())
    np.testing.assert_array_equal(first.dual_coef_[counts == 0], 0.0)
    np.testing.assert_array_equal(first.support_, kept[second.support_])


@over_weighted
@over_kernels
def test_weights_of_one_change_nothing(method, kernel, weighted):
    X, y, _ = weighted
    _, _, f, g = weighted_fits(method, kernel, X, y, np.arange(len(y)), np.ones(len(y)))
    np.testing.assert_array_equal(f, g)


@pytest.mark.parametrize("method", [m for m in METHODS.values() if "class_weight" in m.estimator().get_params()])
def test_a_class_weight_is_the_weight_of_each_of_its_examples(method, weighted):
    X, y, _ = weighted
    y = np.where(np.arange(len(y)) < 60, y, 1)  # one class larger than the other
    labels, counts = np.unique(y, return_counts=True)
    make = partial(method.estimator, gamma=1.0)
    for given, each in (("balanced", len(y) / (2.0 * counts)), ({labels[0]: 1e-3}, (1e-3, 1.0))):
        model = make(class_weight=given).fit(X, y)
        f = model.decision_function(X)
        weights = make().fit(X, y, sample_weight=np.where(y == labels[0], *each))
        shared = make(class_weight=given).fit_space(KernelSpace(X, model.kernel_), y)
        for same in (weights, shared):
            np.testing.assert_allclose(same.decision_function(X), f, atol=1e-9 * np.abs(f).max())
    plain = make().fit(X, y).decision_function(X)
    assert np.abs(plain - f).max() > 1e-3 * np.abs(plain).max()
    for wrong in ("equal", {labels[0]: 0.0}, {labels[0]: np.nan}):
        with pytest.raises(ValueError, match="class_weight must"):
            make(class_weight=wrong).fit(X, y)
