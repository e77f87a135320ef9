"""The picture on the audience's phones: the presenter's picture at lower resolution, in a few kilobytes."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data import Prepared
from mdcore.experiment import Experiment
from mdcore.experiment.run import Run
from mdcore.serving.room.room import event
from mdcore.serving.stage.picture import has_several, is_planar, shared_plane

GRID = 28  # nodes per side of the field
POINTS = 400  # drawn: more would only hide each other
LEVELS = 41  # quantiles per curve
FINE = 1e4  # margins are sent as integers: this many steps up to the largest |margin|


def pack_scene(experiment: Experiment, runs: dict[str, Run]) -> bytes:
    """Return the scene as an event for all followers."""
    prepared = experiment.prepare()
    planar = is_planar(prepared) and not has_several(prepared)
    content: dict[str, Any] = {
        "scale": experiment.scale,
        "classes": [str(label)[:40] for label in prepared.dataset.classes[:12]],
        "points": _points(experiment) if planar else None,
        "methods": [_method(experiment, run, planar=planar) for run in runs.values()],
    }
    return event("scene", json.dumps(content, separators=(",", ":")).encode())


def _points(experiment: Experiment) -> dict[str, Any]:
    plane = shared_plane(experiment)
    assert plane is not None  # two features always have a plane
    window = plane.window
    prepared = experiment.prepare()
    shown = slice(None, None, max(1, -(-len(plane.points) // POINTS)))
    points = plane.points[shown]
    low, high = (np.array([axis[end] for axis in (window.x, window.y)]) for end in (0, 1))
    inside = np.rint(255 * np.clip((points - low) / (high - low), 0.0, 1.0)).astype(np.uint8)
    return {
        "x": list(window.x),
        "y": list(window.y),
        "raw": _raw(prepared),
        "at": _text(inside.T.copy()),
        "label": _text(_labels(prepared)[shown]),
    }


def _raw(prepared: Prepared) -> list[list[float]]:
    """Return shift and scale of each axis, which convert plane coordinates to original feature values."""
    scaling = prepared.scaling
    return [[float(scaling.shift[axis]), float(scaling.scale[axis])] for axis in range(2)]


def _labels(prepared: Prepared) -> NDArray[np.uint8]:
    labels = np.concatenate([prepared.y_train, prepared.y_test])
    return np.searchsorted(prepared.dataset.classes, labels).astype(np.uint8)


def _method(experiment: Experiment, run: Run, *, planar: bool) -> dict[str, Any]:
    curve = np.asarray(run.train.quantile(np.linspace(0.0, 1.0, 0 if run.is_flat else LEVELS)))
    largest = max(float(np.abs(curve).max(initial=0.0)), 1e-300)
    packed: dict[str, Any] = {
        "key": run.method.key,
        "name": run.name,
        "color": run.method.color,
        "curve": np.rint(FINE * curve / largest).astype(int).tolist(),
        "unit": largest / FINE,
    }
    plane = shared_plane(experiment) if planar else None
    if plane is not None:
        field = run.field(*plane.window.grid(GRID))
        packed["field"] = _text(np.rint(127 * np.clip(field / (2.0 * run.unit), -1.0, 1.0)).astype(np.int8))
        packed["grid"] = GRID
    return packed


def _text(values: NDArray[Any]) -> str:
    return base64.b64encode(values.tobytes()).decode()
