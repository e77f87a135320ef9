"""The memory that a job asks for is no less than Python and NumPy allocate for it."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore.experiment import Experiment
from mdcore.experiment.result_caches import clear_caches
from mdcore.study import Candidate, Data, Plan, Within, results
from mdcore.study.time_and_memory import memory_of

MEGABYTE = 2.0**20


def data(n: int) -> Data:
    rng = np.random.default_rng(0)
    y = np.where(np.arange(n) % 2, 1, -1)
    return Data(rng.normal(size=(n, 4)) + 0.5 * y[:, None], y, StandardScaler())


@pytest.mark.parametrize(("n", "landmarks"), [(1600, 0), (1600, 128), (6000, 128), (16_000, 64)])
def test_a_comparison_takes_no_more_than_it_asked_for(n: int, landmarks: int) -> None:
    sample = data(n)
    plan = Plan((Candidate("ldm", within=Within(landmarks=landmarks)),), repeats=1)
    small = data(40)
    list(results(small, plan))  # compiles
    asked = memory_of(sample, plan, len(sample.y))
    tracemalloc.start()
    list(results(sample, plan))
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken <= asked + 5 * MEGABYTE


def test_a_sweep_asks_for_a_kernel_matrix_where_it_makes_one_and_for_landmarks_where_not() -> None:
    small = Experiment.from_query("data=moons&n=1500&methods=svm,ldm&gamma=1")
    clear_caches()
    small.prepare()
    tracemalloc.start()
    small.run()
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert MEGABYTE < taken <= small.bytes + 5 * MEGABYTE
    decided = "within=9800,svm-landmarks-256,ldm-landmarks-256"
    large = Experiment.from_query(f"data=moons&n=14000&methods=svm,ldm&gamma=1&{decided}")
    assert large.bytes < 8.0 * large.training_rows**2
    assert replace(large, methods=("fmm",)).bytes > 8.0 * large.training_rows**2
