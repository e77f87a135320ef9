"""The axes of a sweep: a parameter of one method, a parameter that several methods share, or one of the data or
kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mdcore.data import SEED, TEST
from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.spaces.kernels import COEF0, DEGREE, GAMMA
from mdcore.spec import Param

KERNEL_PARAMS = {"rbf": (GAMMA,), "laplacian": (GAMMA,), "poly": (GAMMA, DEGREE, COEF0)}


@dataclass(frozen=True)
class Axis:
    """A parameter and its values, in the order of the path.

    `key` is a key of an experiment's query, such as `ldm.lambda1`, `gamma` or `n`, or the bare name of a parameter,
    such as `C`, which stands for that parameter in all selected methods that have it.
    """

    key: str
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.values) < 2 or len(set(self.values)) < len(self.values):
            raise ValueError(f"{self.key}: an axis needs at least two different values; got {self.values!r}.")

    def thinned(self, most: int) -> Axis:
        """Return the axis with at most `most` of its values, evenly spread and with both ends."""
        kept = np.linspace(0, len(self.values) - 1, min(most, len(self.values))).round().astype(int)
        return Axis(self.key, tuple(self.values[at] for at in kept))


def axis_params(experiment: Experiment) -> dict[str, Param]:
    """Return every key that can be swept, with its parameter: of a single method, shared by several, of the kernel, of
    the data."""
    own = {f"{key}.{p.name}": p for key in experiment.methods for p in _params(key)}
    by_name: dict[str, list[Param]] = {}
    for key in experiment.methods:
        for param in _params(key):
            by_name.setdefault(param.name, []).append(param)
    common = {name: found[0] for name, found in by_name.items() if len(found) > 1 and _agree(found)}
    options = experiment.data.record.options
    data = {p.name: p for p in (*options, TEST) if isinstance(p, Param) and p.name != SEED.name}
    kernel = {p.name: p for p in KERNEL_PARAMS.get(experiment.kernel.name, ())}
    return {**own, **common, **kernel, **data}


def _agree(params: list[Param]) -> bool:
    """Return whether the slider range of each parameter is legal for all of them.

    Equal names may differ in meaning: the `lam` of KOMD is not the `lam` of ODM.
    """
    return all(end in other.legal for own in params for end in (own.slider.low, own.slider.high) for other in params)


def affects(key: str, method: str) -> bool:
    """Return whether moving `key` changes what `method` computes; keys of data and kernel affect every method."""
    owner, dot, _ = key.rpartition(".")
    if dot:
        return owner == method
    return is_shared(key) or any(p.name == key for p in _params(method))


def is_shared(key: str) -> bool:
    """Return whether `key` belongs to the data or the kernel, so that moving it changes the rows or the Gram matrix."""
    return "." not in key and not any(p.name == key for method in METHODS for p in _params(method))


def with_axis_value(experiment: Experiment, key: str, value: float) -> Experiment:
    """Return the experiment with one parameter at another value."""
    if "." in key:
        method, name = key.split(".", 1)
        return experiment.with_param(method, name, value)
    if is_shared(key):
        return experiment.with_value(key, value)
    for method in experiment.methods:
        if affects(key, method):
            experiment = experiment.with_param(method, key, value)
    return experiment


def spaced(param: Param, count: int, low: float | None = None, high: float | None = None) -> tuple[float, ...]:
    """Return `count` values from `low` to `high`, by default the slider's range; a log slider spaces them in log2.

    A log axis that starts at 0 continues with the lower end of the slider. Integers are rounded, and duplicates
    dropped.
    """
    slider = param.slider
    low = (0.0 if slider.zero else slider.low) if low is None else low
    high = slider.high if high is None else high
    param.check(_typed(param, low), "sweep")
    param.check(_typed(param, high), "sweep")
    if not -np.inf < low < high < np.inf or count < 2:
        raise ValueError(
            f"sweep: {param.name} must run from a number to a larger one, both finite, in two points at least; got "
            f"{count} from {low:g} to {high:g}."
        )
    if not slider.log:
        values = np.linspace(low, high, count)
    elif low > 0.0:
        values = _in_log2(low, high, count)
    else:
        values = np.concatenate([[0.0], _in_log2(min(slider.low, high / 2), high, count - 1)])
    return tuple(dict.fromkeys(_typed(param, value) for value in values.tolist()))


def _typed(param: Param, value: float) -> float:
    """Return an integer, or the value rounded to twelve digits: enough for any manual input, and 2 ** log2(0.1) becomes
    0.1."""
    return round(value) if param.integer else float(f"{value:.12g}")


def _in_log2(low: float, high: float, count: int) -> NDArray[np.float64]:
    return np.exp2(np.linspace(np.log2(low), np.log2(high), count))


def _params(method: str) -> list[Param]:
    return [p for p in METHODS[method].params if isinstance(p, Param)]
