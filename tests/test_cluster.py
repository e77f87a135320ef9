"""Comparisons and sweeps on a cluster: the same numbers, cancellation, and messages if there is no cluster."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import psutil
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore import Experiment
from mdcore.basics.source_code import code_digest
from mdcore.cluster import _CLIENTS, NoCluster, run_tasks
from mdcore.experiment.result_caches import clear_caches
from mdcore.serving.comparisons.job import ComparisonJob
from mdcore.serving.comparisons.sample import sample_of_experiment
from mdcore.solvers.budget import Stopped, raise_if_stopped, stoppable
from mdcore.study import Comparison, Data, begin
from mdcore.study.on_cluster import results_on
from mdcore.sweep import Axis, Sweep, SweepTable, run
from mdcore.sweep.on_cluster import points_on, tasks_of
from tests.comparisons import MOONS, plan
from tests.comparisons import run as compared
from tests.local_cluster import local_cluster
from tests.waiting import until

DATA = Data(MOONS.X, MOONS.y, StandardScaler())
SWEEP = Sweep(
    Experiment.from_query("data=moons&n=80&noise=0.3&seed=0&methods=svm,ldm,mamc&kernel=rbf&gamma=1"),
    (Axis("C", (0.1, 1.0, 10.0)),),
    repeats=2,
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, list[psutil.Popen]]]:
    with local_cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made
        _CLIENTS.pop(made[0]).close()


def comparison_on(address: str, repeats: int, seen: list[tuple[int, int]]) -> Comparison:
    asked = plan("svm", "odm", repeats=repeats)
    empty = begin(DATA, asked)
    return empty.with_outcomes(results_on(address, DATA, asked, empty, lambda *made: seen.append(made)))


def test_a_comparison_is_the_same_and_its_meter_reaches_the_end(cluster: tuple[str, list[psutil.Popen]]) -> None:
    here = compared(plan("svm", "odm", repeats=3))
    seen: list[tuple[int, int]] = []
    there = comparison_on(cluster[0], 3, seen)
    assert there.complete
    assert there.fingerprint == here.fingerprint
    for key in here.keys:
        for mine, other in zip(here.of(key), there.of(key), strict=True):
            assert np.array_equal(mine.test, other.test)
            assert mine.scores == other.scores
    assert seen[-1] == (6, 6)


HEATMAP = replace(SWEEP, axes=(Axis("C", (0.1, 1.0, 10.0)), Axis("ldm.lambda1", (0.0, 1.0))), repeats=1)


@pytest.mark.parametrize("asked", [SWEEP, HEATMAP], ids=["curve", "heatmap"])
def test_a_sweep_is_the_same(cluster: tuple[str, list[psutil.Popen]], asked: Sweep) -> None:
    here, there = run(asked), SweepTable(asked, tuple(points_on(cluster[0], asked)))
    assert there.complete
    for method in here.methods:
        np.testing.assert_allclose(there.values(method, "test.mean"), here.values(method, "test.mean"), rtol=1e-5)


def test_a_heatmap_is_shared_out_row_by_row_but_to_a_method_that_has_the_same_in_each() -> None:
    rows = {method: [places for _, key, places in tasks_of(HEATMAP) if key == method] for method in ("ldm", "mamc")}
    assert [len(places) for places in rows["ldm"]] == [2, 2, 2]
    assert [len(places) for places in rows["mamc"]] == [6]
    assert sorted(place for places in rows["ldm"] for place in places) == sorted(rows["mamc"][0])


class Endless:
    """A task that ends only when it is cancelled, and then writes a file."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __call__(self, task: int) -> None:
        try:
            with open(f"{self.place}/begun-{task}", "w", encoding="utf-8"):
                while True:
                    raise_if_stopped()
        except Stopped:
            with open(f"{self.place}/ended-{task}", "w", encoding="utf-8"):
                raise


def test_what_is_called_off_ends_on_the_workers_too(cluster: tuple[str, list[psutil.Popen]], tmp_path: Path) -> None:
    begun = threading.Event()

    def stop() -> bool:
        if len(list(tmp_path.glob("begun-*"))) == 2:
            begun.set()
        return begun.is_set()

    with stoppable(stop), pytest.raises(Stopped):
        list(run_tasks(cluster[0], Endless(str(tmp_path)), range(6)))
    until(lambda: len(list(tmp_path.glob("ended-*"))) == 2)
    assert len(list(tmp_path.glob("begun-*"))) == 2


def test_other_data_under_the_same_name_are_refused(
    cluster: tuple[str, list[psutil.Popen]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdcore.sweep.on_cluster.fingerprint", lambda experiment: "of others")
    with pytest.raises(ValueError, match="other data under the name moons"):
        list(points_on(cluster[0], SWEEP))


def test_workers_of_another_version_are_refused(
    cluster: tuple[str, list[psutil.Popen]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mdcore.basics.source_code.plain_code", lambda path: "another version")
    code_digest.cache_clear()
    try:
        with pytest.raises(NoCluster, match="has another version of mdcore than this process"):
            list(points_on(cluster[0], SWEEP))
    finally:
        code_digest.cache_clear()


def test_no_cluster_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdcore.cluster.CONNECT_TIMEOUT", 1)
    with pytest.raises(NoCluster, match=re.escape("No cluster answers at tcp://127.0.0.1:9")):
        list(points_on("tcp://127.0.0.1:9", replace(SWEEP, repeats=1)))


def test_the_pages_jobs_go_where_the_environment_says(
    cluster: tuple[str, list[psutil.Popen]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = sample_of_experiment(SWEEP.experiment)
    for address, ends in ((cluster[0], ""), ("tcp://127.0.0.1:9", "No cluster answers at tcp://127.0.0.1:9")):
        monkeypatch.setenv("MARGIN_LAB_DASK", address)
        monkeypatch.setattr("mdcore.cluster.CONNECT_TIMEOUT", 10 if not ends else 1)
        clear_caches()
        job = ComparisonJob(sample, plan("svm", repeats=2))
        job.wait()
        assert job.problem.startswith(ends)
        assert bool(job.problem) == bool(ends)
        assert job.comparison.complete is not bool(ends)


def test_a_killed_worker_costs_nothing_but_time(cluster: tuple[str, list[psutil.Popen]]) -> None:
    address, workers = cluster
    seen: list[tuple[int, int]] = []
    asked = plan("svm", "odm", repeats=8)
    found = []
    for outcome in results_on(address, DATA, asked, None, lambda *made: seen.append(made)):
        found.append(outcome)
        if len(found) == 2:
            workers[0].kill()
    assert sorted((o.key, o.split) for o in found) == sorted((key, i) for key in ("svm", "odm") for i in range(8))
