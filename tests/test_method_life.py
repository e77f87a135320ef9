"""The life of every estimator: copies, warm starts, other parameters, too few iterations, batches; none is named."""

from __future__ import annotations

import pickle
import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from threadpoolctl import OpenBLASController, threadpool_info, threadpool_limits

from mdcore.basics.threads import libraries, one_blas_thread
from mdcore.spaces.kernels import Kernel
from tests.oracles import sample
from tests.walk import ALL, KERNEL, close, corners, fit, fit_and_listen, having, others, over, signature


@over(ALL)
@pytest.mark.parametrize("warm", [False, True])
def test_a_pickle_decides_alike(method, warm, moons, fresh):
    model = fit(method, *moons, **({"warm_start": True} if warm and "warm_start" in signature(method) else {}))
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.decision_function(fresh), model.decision_function(fresh))
    close(copy.fit(*moons).decision_function(fresh), model.decision_function(fresh), 1e-7)


@over(ALL)
def test_a_clone_has_the_parameters_and_nothing_else(method, moons):
    model = fit(method, *moons)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(NotFittedError):
        copy.decision_function(moons[0])


@over(having("warm_start"))
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_warm_start_ends_where_a_cold_one_does(method, kernel, moons, fresh):
    model = fit(method, *moons, kernel, warm_start=True)
    for p in method.params:
        for value in [*others(p), p.default]:
            model.set_params(**{p.name: value}).fit(*moons)
            cold = clone(model).set_params(warm_start=False).fit(*moons)
            assert model.objective_ == pytest.approx(cold.objective_, rel=1e-6)
            close(model.decision_function(fresh), cold.decision_function(fresh))


@over(having("warm_start"))
def test_a_warm_start_forgets_other_rows_labels_and_kernels(method, moons, fresh):
    X, y = moons
    model = fit(method, X, y, warm_start=True)
    for changed, rows, labels in (({}, X + 1.0, y), ({}, X, -y), ({"gamma": 0.1}, X, y), ({}, X[:30], y[:30])):
        model.set_params(**changed).fit(rows, labels)
        cold = clone(model).set_params(warm_start=False).fit(rows, labels)
        close(model.decision_function(fresh), cold.decision_function(fresh))


@over(having("warm_start"))
def test_a_moved_parameter_reuses_the_kernel_matrix(method, moons, monkeypatch):
    model = fit(method, *moons, warm_start=True)
    monkeypatch.setattr(Kernel, "__call__", lambda *_: pytest.fail("the kernel matrix was computed again"))
    model.set_params(**{method.params[0].name: others(method.params[0])[0]}).fit(*moons)


@over(having("max_iter"))
def test_running_out_of_steps_is_said(method):
    X, y = sample("larger")
    unfinished = 0
    for params in corners(method, "linear"):
        strict = {"max_iter": 1} | ({"tol": 1e-15} if "tol" in signature(method) else {})
        model, warned = fit_and_listen(method, X, y, kernel="linear", **(params | strict))
        assert model.n_iter_ <= 1
        assert warned == (not model.converged_)
        assert np.isfinite(model.decision_function(X)).all()
        unfinished += not model.converged_
    assert unfinished


@over(ALL)
@pytest.mark.parametrize("name", ["moons", "separable", "overlapping"])
def test_a_warning_and_converged_never_disagree(method, name):
    model, warned = fit_and_listen(method, *sample(name))
    assert warned == (not model.converged_)


@over([method for method in ALL if hasattr(method.estimator, "partial_fit")])
def test_batches_are_learned_one_by_one(method, fresh):
    X, y = sample("larger")
    model = method.estimator()
    with pytest.raises(ValueError, match="one class"):
        model.partial_fit(X[y > 0], y[y > 0])
    model = method.estimator()
    for part in np.array_split(np.arange(len(y)), 5):
        model.partial_fit(X[part], y[part], classes=[-1, 1])
        assert np.isfinite(model.decision_function(X)).all()
    with pytest.raises(ValueError, match=r"y has labels not seen before: \[2"):
        model.partial_fit(X, np.where(y > 0, 2, -1))


@over(KERNEL)
def test_a_refit_with_another_kernel_leaves_nothing_of_the_first(method):
    X, y = sample("moons")
    model = method.estimator(kernel="linear", gamma=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        refitted = model.fit(X, y).set_params(kernel="rbf").fit(X, y)
        fresh = method.estimator(kernel="rbf", gamma=1.0).fit(X, y)
        assert sorted(vars(refitted)) == sorted(vars(fresh))
        back = refitted.set_params(kernel="linear").fit(X, y)
        fresh = method.estimator(kernel="linear", gamma=1.0).fit(X, y)
        assert sorted(vars(back)) == sorted(vars(fresh))


@over(ALL)
def test_a_model_keeps_its_rows_whatever_becomes_of_the_callers(method, moons, fresh):
    X, y = moons
    X = X.copy()
    model = fit(method, X, y)
    before = model.decision_function(fresh)
    X[:] = 0.0
    np.testing.assert_array_equal(model.decision_function(fresh), before)


def test_limits_are_for_blas_and_for_openmp():
    assert {library["user_api"] for library in libraries().info()} == {"blas", "openmp"}


def test_fits_side_by_side_leave_the_threads_of_blas_as_they_were():
    def threads():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    first_in, second_in, first_out = Event(), Event(), Event()

    def first():
        with one_blas_thread(10):
            first_in.set()
            second_in.wait()

    def second():
        first_in.wait()
        with one_blas_thread(10):
            second_in.set()
            first_out.wait()

    OpenBLASController.clear_controlling_thread(force=True)  # threads of earlier tests
    with threadpool_limits(limits=2, user_api="blas"), ThreadPoolExecutor(2) as pool:
        OpenBLASController.clear_controlling_thread()  # otherwise others could not limit it
        before = threads()
        running = [pool.submit(first), pool.submit(second)]
        running[0].result()
        assert set(threads()) == {1}  # the first to enter left first
        first_out.set()
        running[1].result()
        assert threads() == before
