"""The state of a learner after any number of examples equals that of partial_fit."""

from __future__ import annotations

import time
import warnings
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from mdcore import PUMMA
from mdcore.methods.online import trace as trace_module
from mdcore.solvers.budget import time_budget
from mdcore.solvers.learner import Learner
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from tests.oracles import sample
from tests.streams import KERNELS, SEPARABLE, moons, over_all, over_learners, settled

RADIUS = 3.0


def with_radius(model):
    """Return a copy with a given R, because a stream does not know its largest row beforehand."""
    model = clone(model)
    return model if isinstance(model, PUMMA) else model.set_params(radius=RADIUS)


@over_learners
def test_a_state_is_that_of_a_stream_of_so_many_examples(model):
    X, y = SEPARABLE["plain"]
    model = with_radius(model).set_params(max_iter=3)
    trace = model.trace(X, y)
    stream, m = clone(model), len(y)
    for step in range(1, trace.end + 1):
        row = (step - 1) % m
        assert trace.row_at(step) == row
        stream.partial_fit(X[row : row + 1], y[row : row + 1], classes=[-1.0, 1.0])
        if step % 7 == 0 or step < 20:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                state = trace.model(step)
            np.testing.assert_array_equal(state.coef_, stream.coef_)
            np.testing.assert_array_equal(state.intercept_, stream.intercept_)
            assert (state.n_updates_, state.n_mistakes_) == (stream.n_updates_, stream.n_mistakes_)


@over_all
@pytest.mark.parametrize("name", ["separable", "moons"])
def test_the_last_state_is_the_fit(model, name):
    X, y = sample(name)
    with warnings.catch_warnings(record=True) as from_fit:
        warnings.simplefilter("always", ConvergenceWarning)
        fitted = clone(model).set_params(max_iter=50).fit(X, y)
    trace = clone(model).set_params(max_iter=50).trace(X, y)
    with warnings.catch_warnings(record=True) as from_trace:
        warnings.simplefilter("always", ConvergenceWarning)
        last = trace.model(trace.end + 1000)
    assert [str(w.message) for w in from_trace] == [str(w.message) for w in from_fit]
    assert (trace.settled, trace.end) == (fitted.converged_, fitted.n_iter_ * len(y))
    for name in ("n_updates_", "n_mistakes_", "n_iter_", "margin_", "norm_", "objective_", "converged_", "status_"):
        assert getattr(last, name) == getattr(fitted, name)
    np.testing.assert_array_equal(last.support_, fitted.support_)
    np.testing.assert_array_equal(last.decision_function(X), fitted.decision_function(X))


@over_all
def test_updates_are_found_by_number_and_are_those_of_updates(model):
    X, y = SEPARABLE["plain"]
    model = clone(model).set_params(max_iter=20)
    trace = model.trace(X, y)
    records = list(model.updates(X, y))
    assert trace.updates == len(records)
    assert trace.step_of(0) == 0
    for record in records[::7]:
        step = trace.step_of(record.step)
        assert trace.state(step).updates == record.step
        assert trace.state(step - 1).updates == record.step - 1
        again = trace.update(record.step)
        assert (again.step, again.example, again.margin) == (record.step, record.example, record.margin)
        np.testing.assert_array_equal(again.w, record.w)
        assert again.b == record.b
    with pytest.raises(ValueError, match=f"the run has {len(records)} updates; got {len(records) + 1}"):
        trace.update(len(records) + 1)


def test_the_moments_are_every_example_at_first_and_the_end():
    X, y = SEPARABLE["many features"]
    trace = PUMMA(2.0, 0.01).trace(X, y)
    steps = [moment.step for moment in trace.moments]
    assert steps[:50] == list(range(50))
    assert steps[-1] == trace.end
    assert max(later / earlier for earlier, later in pairwise(steps[50:])) < 1.03
    for moment in trace.moments[::40]:
        state = trace.model(moment.step) if moment.step < trace.end else settled(PUMMA(2.0, 0.01), X, y)
        assert (moment.updates, moment.mistakes, moment.margin) == (state.n_updates_, state.n_mistakes_, state.margin_)


def test_little_memory_keeps_fewer_states_and_the_same_run(monkeypatch):
    X, y = SEPARABLE["many features"]
    rich = PUMMA(3.0).trace(X, y)
    monkeypatch.setattr(trace_module, "STATES", 2 * rich.state(0).nbytes)
    poor = PUMMA(3.0).trace(X, y)
    assert poor.nbytes < 0.2 * rich.nbytes
    for step in (0, 1, 77, 500, 499, rich.end):
        np.testing.assert_array_equal(poor.state(step).w, rich.state(step).w)
    assert poor.step_of(33) == rich.step_of(33)


@pytest.mark.parametrize("model", KERNELS, ids=str)
def test_a_shared_space_gives_the_same_run(model):
    X, y = moons()
    space = KernelSpace(X, Kernel(model.kernel, 1.0, bias=True))
    own, shared = clone(model).trace(X, y), clone(model).trace_space(space, y)
    assert shared.end == own.end
    np.testing.assert_array_equal(shared.state(99).w, own.state(99).w)
    fitted = clone(model).fit_space(space, y)
    np.testing.assert_array_equal(shared.model(shared.end).decision_function(X), fitted.decision_function(X))


def test_a_model_of_the_trace_is_independent_of_the_next_one():
    X, y = SEPARABLE["plain"]
    trace = PUMMA().trace(X, y)
    early, kept = trace.model(5), trace.model(5).coef_.copy()
    trace.model(40).partial_fit(X, y)
    np.testing.assert_array_equal(early.coef_, kept)
    np.testing.assert_array_equal(trace.model(5).coef_, kept)


def test_the_time_of_a_budget_begins_after_the_first_example(monkeypatch):
    """The very first example takes as long as the compiler."""
    X, y = SEPARABLE["plain"]
    go, slow = Learner.go, []

    def compiled_first(self, *arguments):
        if not slow:
            slow.append(time.thread_time() + 0.5)
            while time.thread_time() < slow[0]:
                pass
        return go(self, *arguments)

    whole = PUMMA().trace(X, y)
    monkeypatch.setattr(Learner, "go", compiled_first)
    with time_budget(0.4):
        trace = PUMMA().trace(X, y)
    assert (trace.end, trace.cut) == (whole.end, False)
