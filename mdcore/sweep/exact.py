"""Parameters in which a method's solution is piecewise linear: its path is followed exactly, from kink to kink."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.experiment import Experiment
from mdcore.experiment.fits import new_model
from mdcore.experiment.shared_spaces import GRAM_ROWS
from mdcore.methods import METHODS
from mdcore.methods.base import MarginClassifier
from mdcore.methods.ldm import LDMMachine
from mdcore.solvers.path import Degenerate, DualPath
from mdcore.spaces.space import KernelSpace
from mdcore.sweep.axis import Axis, affects
from mdcore.sweep.plan import Sweep


def kinks(sweep: Sweep, method: str) -> NDArray[np.float64]:
    """Return the kinks of a method's solution path along a sweep over one parameter; empty if the path cannot be
    followed."""
    (axis,) = sweep.axes
    name = _followed(axis, method)
    experiment = sweep.experiment
    y = experiment.prepare().y_train
    if (
        name is None or len(y) > GRAM_ROWS or len(np.unique(y)) > 2
    ):  # with several classes there is a path for each class against the rest, or none
        return np.empty(0)
    model = new_model(experiment, method)
    assert isinstance(model, LDMMachine)
    path = _follow(model, experiment.space(), y, name, axis)
    return np.empty(0) if path is None else path.kinks


class ExactStarts:
    """Warm starts from exact paths: sets a model's dual variables to their values on the path at the next point."""

    def __init__(self, axes: tuple[Axis, ...]) -> None:
        self.axes = axes
        self.paths: dict[str, tuple[Any, DualPath | None]] = {}

    def prepare(
        self, experiment: Experiment, method: str, model: MarginClassifier, space: KernelSpace, y: NDArray[Any]
    ) -> None:
        axis = next((axis for axis in reversed(self.axes) if _followed(axis, method)), None)
        if axis is None or not isinstance(model, LDMMachine) or len(space) > GRAM_ROWS:
            return
        name = axis.key.rpartition(".")[2]
        others = experiment.settings(method)
        value = others.pop(name)
        situation = experiment.data, experiment.kernel, tuple(others.items())
        if method not in self.paths or self.paths[method][0] != situation:
            model.set_params(**others)
            self.paths[method] = situation, _follow(model, space, y, name, axis)
        path = self.paths[method][1]
        if path is not None:
            model.beta_ = path.b[int(np.searchsorted(path.values, value))]


def _followed(axis: Axis, method: str) -> str | None:
    """Return the parameter's name if the solution is piecewise linear in it over the whole axis, else None."""
    name = axis.key.rpartition(".")[2]
    linear = name in METHODS[method].followed and affects(axis.key, method)
    return name if linear and 0.0 < max(axis.values) < np.inf and (name != "C" or min(axis.values) > 0.0) else None


def _follow(model: LDMMachine, space: KernelSpace, y: NDArray[Any], name: str, axis: Axis) -> DualPath | None:
    try:
        return model.follow(space, y, "C" if name == "C" else "lambda2", sorted(axis.values))
    except Degenerate:
        return None
