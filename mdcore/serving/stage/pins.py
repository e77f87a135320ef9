"""Pinned states and the outlier probe: additional runs compared with the runs of the picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np

from mdcore.basics.text import quoted, short
from mdcore.data import Move, OwnSource
from mdcore.experiment import Experiment
from mdcore.experiment.keys import Key, control_keys
from mdcore.experiment.projection import Projection
from mdcore.experiment.query import BadKey
from mdcore.experiment.run import Run
from mdcore.margins.distribution import PARTS
from mdcore.methods import METHODS
from mdcore.narrative import Pinned, Probe
from mdcore.serving.stage import header
from mdcore.serving.stage.arrays import Arrays, named
from mdcore.serving.stage.live import run_all
from mdcore.serving.stage.packed_field import GRID
from mdcore.serving.stage.picture import Array, has_several, is_planar, pack_run, ruler_words, split_statistics
from mdcore.serving.stage.values import earlier_state

PROBE = "view.probe"
PINS = ("view.pin1", "view.pin2", "view.pin3")


@dataclass(frozen=True, eq=False)
class Pin:
    """A pinned state with its runs, on the margin scale of the picture."""

    number: int
    slot: str
    experiment: Experiment
    runs: Mapping[str, Run]

    @property
    def name(self) -> str:
        return f"pin{self.number}"

    @property
    def pinned(self) -> Pinned:
        return Pinned(self.number, (self.experiment, self.runs))


def pinned_states(given: Mapping[str, str], experiment: Experiment, own: Collection[OwnSource]) -> list[Pin]:
    pins = []
    for number, slot in enumerate(PINS, start=1):
        if slot in given:
            try:
                pin = replace(earlier_state(given[slot], own), scale=experiment.scale)
            except ValueError as error:
                raise BadKey(slot, f"Pin {number} cannot be read: {error}") from None
            pins.append(Pin(number, slot, pin, run_all(pin)[0]))
    return pins


def pack_pin(pin: Pin, shared: Projection | None, experiment: Experiment, edges: Array, arrays: Arrays) -> header.Pin:
    """Return the ghost of a pinned state and add its arrays; contours are drawn only if it lies in the same plane."""
    name = pin.name
    planar = is_planar(experiment.prepare()) and is_planar(pin.experiment.prepare())
    same_plane = planar and pin.experiment.data.scaling == experiment.data.scaling
    panels: list[header.PinnedPanel] = []
    for key, run in pin.runs.items():
        field_scale = 0.0
        if same_plane and shared is not None and not has_several(run.prepared):
            arrays[named("field", key, pin=name)], field_scale = pack_run(run, shared, planar=True)
        for part in () if run.is_flat else PARTS:
            distribution = run.margins(part)
            arrays[named("curve", key, part, pin=name)] = distribution.ordered
            arrays[named("count", key, part, pin=name)] = distribution.counts(edges).astype(np.int32)
        panels.append(
            {
                "key": key,
                "name": run.name,
                "color": run.method.color,
                "ruler": ruler_words(run),
                "stats": split_statistics(run),
                "grid": GRID,
                "fieldScale": field_scale,
            }
        )
    label = _pin_label(pin.experiment, experiment)
    return {"slot": pin.slot, "label": label, "query": pin.experiment.to_query(), "panels": panels}


def _pin_label(pin: Experiment, now: Experiment) -> str:
    """Return the settings in which a pinned state differs from the state shown."""
    new = {key.name: key.get(now) for key in control_keys(now)}
    old = [(key, key.get(pin)) for key in control_keys(pin) if key.group not in METHODS or key.group in pin.methods]
    source = [pin.data.record.title] if pin.data.source != now.data.source else []
    shown = source + [f"{_symbol(key)} = {short(value)}" for key, value in old if value != new.get(key.name)]
    return ", ".join(shown[:3]) + (" …" if len(shown) > 3 else "") if shown else "as now"


def _symbol(key: Key) -> str:
    symbol = key.setting.symbol if key.setting else key.name
    return f"{METHODS[key.group].name} {symbol}" if key.group in METHODS else symbol


def probe_of(
    given: Mapping[str, str], experiment: Experiment, runs: Mapping[str, Run], shared: Projection | None
) -> Probe | None:
    """Return how far each boundary moved because one point was dragged from its original position, or None without a
    probe."""
    if PROBE not in given or shared is None or not is_planar(experiment.prepare()):
        return None
    text = given[PROBE]
    if not text.isdecimal():
        raise BadKey(PROBE, f"{PROBE} must be the number of a row; got {quoted(text)}.")
    row = int(text)
    kept = tuple(edit for edit in experiment.data.edits if not (isinstance(edit, Move) and edit.row == row))
    unmoved, _ = run_all(replace(experiment, data=replace(experiment.data, edits=kept)))
    xs, ys = shared.window.grid(GRID)
    both = {key: (unmoved[key], run) for key, run in runs.items() if key in unmoved}
    turned = {
        key: float(np.mean(now.regions(xs, ys)[0] != before.regions(xs, ys)[0])) for key, (before, now) in both.items()
    }
    straight = experiment.kernel.name == "linear" and not has_several(experiment.prepare())
    angles = {key: _angle(before, now, xs, ys) for key, (before, now) in both.items()} if straight else {}
    return Probe(row, turned, angles)


def _angle(before: Run, now: Run, xs: Array, ys: Array) -> float:
    """Return the angle between the normals of two straight boundaries, in degrees."""
    a, b = _slope(before, xs, ys), _slope(now, xs, ys)
    return float(np.degrees(np.arctan2(abs(a[0] * b[1] - a[1] * b[0]), a @ b)))


def _slope(run: Run, xs: Array, ys: Array) -> Array:
    """Return the gradient of a linear f, computed from three corners of the window."""
    ends_x, ends_y = xs[[0, -1]], ys[[0, -1]]
    f = run.field(ends_x, ends_y)
    return np.array([(f[0, 1] - f[0, 0]) / np.ptp(ends_x), (f[1, 0] - f[0, 0]) / np.ptp(ends_y)])
