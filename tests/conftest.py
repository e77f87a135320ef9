"""What holds for every test. Loaded before numpy, which reads its number of threads once."""

import os
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import settings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

BROWSER = Path(__file__).parent / "browser"

# No deadline: the first call of a numba kernel compiles it. The same examples in every run of CI.
settings.register_profile("margin-lab", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("margin-lab")


def pytest_configure(config: pytest.Config) -> None:
    # Here, as pytest imports the category at once: in pyproject.toml that would be before the lines above.
    config.addinivalue_line("filterwarnings", "default::sklearn.exceptions.ConvergenceWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread the modules that drive a browser evenly among the others.

    They wait much where the others compute: side by side they keep the processors of a parallel run busy.
    """
    modules = [list(tests) for _, tests in groupby(items, lambda item: item.path)]
    in_browser = [tests for tests in modules if tests[0].path.parent == BROWSER]
    others = [tests for tests in modules if tests[0].path.parent != BROWSER]
    shares = [((at + 0.5) / len(kind), tests) for kind in (in_browser, others) for at, tests in enumerate(kind)]
    items[:] = [test for _, tests in sorted(shares, key=lambda share: share[0]) for test in tests]


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
    """Rows that no model was trained on."""
    import numpy as np

    return np.random.default_rng(3).normal(size=(50, 2))


@pytest.fixture(autouse=True)
def no_job_left():  # type: ignore[no-untyped-def]
    """What a test leaves at work is nobody's any more: the next one finds every place free."""
    yield
    from mdcore.ui.shared.jobs import POOL

    POOL.cancel_all()
