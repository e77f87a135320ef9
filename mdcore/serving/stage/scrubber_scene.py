"""All values along the path of one parameter in one message: one frame per value, with constant entries stored once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.class_marks import CLASS_MARKS
from mdcore.basics.text import short
from mdcore.experiment.run import Run
from mdcore.serving.stage.arrays import Arrays
from mdcore.serving.stage.last_picture import Axes
from mdcore.serving.stage.message import encode
from mdcore.serving.stage.picture import picture, shared_plane
from mdcore.serving.stage.values import settings_text
from mdcore.sweep import RunOrReason, Sweep, axis_params
from mdcore.sweep.plan import Place


def pack_path(sweep: Sweep, walked: Iterable[tuple[Place, str, RunOrReason]]) -> bytes:
    """Return the message for the runs that `mdcore.sweep.walk` yields.

    All frames share the margin axis and, if the methods share a plane, its window.
    """
    if len(sweep.axes) != 1:
        raise ValueError("a path is scrubbed along one parameter; this sweep has two.")
    runs, failures = _by_place(sweep, walked)
    edges = Axes().edges_for(run for own in runs for run in own.values())
    store = FrameStore()
    frames: list[dict[str, Any]] = []
    for at, (own, problems) in enumerate(zip(runs, failures, strict=True)):
        experiment = sweep.experiment_at((at,))
        shown, arrays, _ = picture(experiment, own, problems, shared_plane(experiment), Axes(edges=edges))
        (value,) = sweep.values_at((at,))
        frames.append(
            {
                **shown,
                "canEdit": False,
                "query": "" if experiment.data.own else experiment.to_query(),
                "drawn": {sweep.axes[0].key: value},
                "value": short(value),
                "arrays": {name: store.keep(array) for name, array in arrays.items()},
            }
        )
    common = {name: value for name, value in frames[0].items() if all(frame[name] == value for frame in frames)}
    own_parts = [{name: value for name, value in frame.items() if name not in common} for frame in frames]
    param = axis_params(sweep.experiment)[sweep.axes[0].key]
    marks = [asdict(mark) for mark in CLASS_MARKS]
    values = {"scale": sweep.experiment.scale}
    header = {
        "common": {**common, "pins": [], "probe": None, "values": values, "classMarks": marks},
        "frames": own_parts,
        "symbol": param.symbol,
        "settings": settings_text(sweep.experiment),
        "key": sweep.axes[0].key,
    }
    return encode(header, store.arrays)


def _by_place(
    sweep: Sweep, walked: Iterable[tuple[Place, str, RunOrReason]]
) -> tuple[list[dict[str, Run]], list[dict[str, str]]]:
    runs: list[dict[str, Run]] = [{} for _ in sweep.axes[0].values]
    failures: list[dict[str, str]] = [{} for _ in sweep.axes[0].values]
    for (at,), method, outcome in walked:
        if isinstance(outcome, Run):
            runs[at][method] = outcome
        else:
            failures[at][method] = str(outcome)
    return runs, failures


class FrameStore:
    """Arrays by number, with equal arrays stored once. Floats are stored in single precision, which is enough for
    drawing."""

    def __init__(self) -> None:
        self.arrays: Arrays = {}
        self._known: dict[tuple[str, bytes], str] = {}

    def keep(self, array: NDArray[Any]) -> str:
        if array.dtype == np.float64:
            array = array.astype(np.float32)
        content = array.dtype.name, array.tobytes()
        if content not in self._known:
            self._known[content] = str(len(self._known))
            self.arrays[self._known[content]] = array
        return self._known[content]
