"""Settings for all tests. Loaded before numpy, which reads the number of threads only once."""

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# The marker of a test that uses one of the fixtures; pyproject.toml says what the markers mean.
MARKED = {"browser": {"browser", "server"}, "oracle": {"conic"}, "process": {"cluster", "in_peace"}}

# No deadline, because the first call of a numba kernel compiles it. CI always uses the same examples.
settings.register_profile("margin-lab", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("margin-lab")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--write-optima", action="store_true", help="solve the tests' conic problems and keep the optima")


def pytest_configure(config: pytest.Config) -> None:
    # Not in pyproject.toml: pytest would import the category, and with it numpy, before the lines above.
    config.addinivalue_line("filterwarnings", "default::sklearn.exceptions.ConvergenceWarning")
    config.pluginmanager.import_plugin("tests.optima")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect tests without garbage collection, which would find next to nothing and take half of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before -m chooses among them
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures that they use."""
    for item in items:
        for marker, fixtures in MARKED.items():
            if fixtures & set(getattr(item, "fixturenames", ())):
                item.add_marker(marker)


@pytest.fixture(scope="module")
def moons():  # type: ignore[no-untyped-def]
    from tests.oracles import sample

    return sample("moons")


@pytest.fixture(scope="module")
def separable():  # type: ignore[no-untyped-def]
    from tests.oracles import sample

    return sample("separable")


@pytest.fixture(scope="module")
def fresh():  # type: ignore[no-untyped-def]
    """Return rows on which no model was trained."""
    import numpy as np

    return np.random.default_rng(3).normal(size=(50, 2))


@pytest.fixture
def few_trees(monkeypatch):  # type: ignore[no-untyped-def]
    """Let the references of a comparison have ten trees instead of a hundred: most of its time is theirs."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    from mdcore.experiment.result_caches import clear_caches
    from mdcore.study.references import ForestReference

    monkeypatch.setitem(ForestReference.__init__.__kwdefaults__, "trees", 10)
    monkeypatch.setitem(ForestReference.for_choice, "trees", 10)
    monkeypatch.setitem(HistGradientBoostingClassifier.__init__.__kwdefaults__, "max_iter", 10)
    yield
    clear_caches()


started: list[object] = []  # commands since the setup of the test


def note_command(event: str, given: tuple[object, ...]) -> None:
    if event == "subprocess.Popen":
        started.append(given[1])


sys.addaudithook(note_command)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    started.clear()


@pytest.fixture(autouse=True)
def processes_are_marked(request):  # type: ignore[no-untyped-def]
    """Fail a test that starts a process and has no marker by which it can be left out."""
    yield
    assert not started or any(map(request.node.get_closest_marker, ("browser", "process"))), (
        f"a test that starts a process is marked `process`: {started[0]}"
    )


@pytest.fixture(autouse=True)
def no_job_left():  # type: ignore[no-untyped-def]
    """Cancel the jobs that a test has left, so that the next test finds an empty pool."""
    yield
    from mdcore.serving.jobs.pool import POOL

    POOL.cancel_all()
