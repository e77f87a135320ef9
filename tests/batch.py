"""Common parts of the tests of further two-class methods."""

import numpy as np
import pytest

from mdcore.spaces.kernels import Kernel

SAMPLES = ["moons", "separable", "unbalanced", "duplicated rows", "one feature", "overlapping"]
over_kernels = pytest.mark.parametrize("kernel", ["linear", "rbf"])
over_samples = pytest.mark.parametrize("name", SAMPLES)
over_costs = pytest.mark.parametrize("C", [2.0**-6, 1.0, 100.0, 2000.0])


def gram(X, kernel):
    return Kernel(kernel, gamma=1.0, bias=False)(X, X)


def close(f, g, share=1e-7):
    np.testing.assert_allclose(f, g, rtol=0.0, atol=share * np.abs(g).max())


def unit(v):
    return v / np.linalg.norm(v)
