"""The default number of landmarks, from the kernel, the rows, and the available time and memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore.kernels import Kernel
from mdcore.landmarks import LandmarkSpace
from mdcore.query import KernelKey
from mdcore.study import Candidate, Data, Plan, advise, landmark_count
from mdcore.study.landmark_count import (
    FIRST,
    KERNEL,
    LIMIT,
    MAX_UNCOVERED,
    MOST,
    ROOM,
    TIME,
    landmarks_for,
    uncovered_share,
)


def rows(m=6000, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, d))
    return Data(X, np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] > 0.0, 1, -1), StandardScaler())


def plan(*keys, gamma, **given):
    return Plan(tuple(Candidate.fixed(key) for key in keys), kernel=KernelKey("rbf", gamma, 3, 1.0, True), **given)


def rbf(gamma):
    return Kernel("rbf", gamma, 3, 1.0, True)


def nothing_against(count):
    return ""


@pytest.mark.parametrize("gamma", [0.01, 0.1, 0.3])
def test_what_is_left_is_that_of_the_projection(gamma):
    X = rows(800).X
    space, kernel = LandmarkSpace(X, rbf(gamma), 50), replace(rbf(gamma), bias=False)
    others = np.setdiff1d(np.arange(800), space.landmarks)
    across = kernel(X[others], space.span)
    spanned = np.einsum("ij,ij->i", across, np.linalg.solve(kernel(space.span, space.span), across.T).T)
    assert uncovered_share(space) == pytest.approx(float((1.0 - spanned).mean()), rel=1e-6, abs=1e-9)


def test_a_rough_kernel_takes_more_and_a_smooth_one_does_not():
    X = rows(4096).X
    smooth, rough = (landmarks_for(X, rbf(gamma), nothing_against) for gamma in (0.01, 0.3))
    assert (smooth.count, smooth.end) == (FIRST, KERNEL)
    assert rough.count > FIRST
    assert rough.end == KERNEL
    assert rough.uncovered <= MAX_UNCOVERED < rough.uncovered_first
    assert rough.text.endswith("The aim is at most 5 %; the gap of a fit is measured apart.")


def test_what_speaks_against_more_ends_it_and_is_said():
    X = rows(4096).X
    for end in (TIME, ROOM, LIMIT):
        advice = landmarks_for(X, rbf(3.0), lambda count, end=end: end if count > 2 * FIRST else "")
        assert (advice.count, advice.end) == (2 * FIRST, end)
        assert advice.uncovered > MAX_UNCOVERED
        assert advice.text.startswith(f"{2 * FIRST} landmarks miss ")
    assert "2 min" in landmarks_for(X, rbf(3.0), lambda count: TIME).text


def test_a_few_rows_many_times_are_all_that_is_taken():
    X = rows(4096).X[np.arange(4096) % 7]
    assert landmarks_for(X, rbf(3.0), nothing_against).count == FIRST


def test_a_plan_is_advised_by_its_roughest_kernel_and_by_its_fits(monkeypatch):
    data = rows()
    assert advise(data, plan("svm", gamma=0.01)).count == FIRST
    rough = advise(data, plan("svm", gamma=0.3))
    assert FIRST < rough.count <= MOST
    assert advise(data, plan("svm", gamma=0.08, widths=(0.25, 1.0, 4.0))).count == rough.count
    monkeypatch.setattr(landmark_count, "SECONDS", 4200 * (2 * FIRST) ** 2 / landmark_count.PACE)
    assert advise(data, plan("svm", gamma=3.0)).count == 2 * FIRST
    two = advise(data, plan("svm", "ldm", gamma=3.0))
    assert (two.count, two.end) == (FIRST, TIME)


def test_memory_that_is_not_there_is_not_taken(monkeypatch):
    monkeypatch.setattr(landmark_count, "free_memory", lambda: 0)
    advice = advise(rows(), plan("svm", gamma=3.0))
    assert (advice.count, advice.end) == (FIRST, ROOM)


def test_where_all_rows_are_seen_without_landmarks_there_is_no_advice():
    assert advise(rows(500), plan("svm", gamma=0.3)) is None
    assert advise(rows(), plan("fmm", gamma=0.3)) is None
    assert advise(rows(), replace(plan("svm", gamma=0.3), kernel=KernelKey("linear", 1.0, 3, 1.0, True))) is None
