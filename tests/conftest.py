"""What holds for every test. Loaded before numpy, which reads its number of threads once."""

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

# No deadline: the first call of a numba kernel compiles it. The same examples in every run of CI.
settings.register_profile("margin-lab", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("margin-lab")


def pytest_configure(config: pytest.Config) -> None:
    # Here, as pytest imports the category at once: in pyproject.toml that would be before the lines above.
    config.addinivalue_line("filterwarnings", "default::sklearn.exceptions.ConvergenceWarning")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect without searching for garbage: there is next to none, and the search takes half of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


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
