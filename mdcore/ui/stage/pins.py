"""States kept for comparison, and the outlier probe: other runs beside those of the picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mdcore.data import Move, OwnSource
from mdcore.experiment import Experiment
from mdcore.methods import METHODS
from mdcore.projection import Projection
from mdcore.query import BadKey
from mdcore.run import Run
from mdcore.text import short
from mdcore.ui.stage.arrays import Arrays, named
from mdcore.ui.stage.live import run_all
from mdcore.ui.stage.packed_field import GRID
from mdcore.ui.stage.picture import has_several, is_planar, pack_run, statistics
from mdcore.ui.stage.values import values_of

PINS = ("view.pin1", "view.pin2", "view.pin3")


def pinned_states(
    given: Mapping[str, str], experiment: Experiment, own: Collection[OwnSource]
) -> list[tuple[str, str, Experiment]]:
    """(name, slot, experiment) of every pin, on the margin scale now shown."""
    pins = []
    for number, slot in enumerate(PINS, start=1):
        if slot in given:
            try:
                pin = replace(Experiment.from_query(given[slot], own), scale=experiment.scale)
            except ValueError as error:
                raise BadKey(slot, f"Pin {number} cannot be read: {error}") from None
            pins.append((f"pin{number}", slot, pin))
    return pins


def pack_pin(
    slot: str, name: str, pin: Experiment, shared: Projection | None, experiment: Experiment, arrays: Arrays
) -> dict[str, Any]:
    """The ghost of a pinned state; its contours are drawn where they live in the same plane."""
    runs, _ = run_all(pin)
    planar = is_planar(experiment.prepare()) and is_planar(pin.prepare())
    same_plane = planar and pin.data.scaling == experiment.data.scaling
    panels = []
    for key, run in runs.items():
        field_scale = 0.0
        if same_plane and shared is not None and not has_several(run.prepared):
            arrays[named("field", key, pin=name)], field_scale = pack_run(run, shared, planar=True)
        for part, distribution in (("train", run.train), ("test", run.test)):
            arrays[named("curve", key, part, pin=name)] = distribution.ordered
        panels.append(
            {
                "key": key,
                "name": run.name,
                "color": run.method.color,
                "stats": {"train": statistics(run.train), "test": statistics(run.test)},
                "grid": GRID,
                "fieldScale": field_scale,
            }
        )
    return {"slot": slot, "label": _pin_label(pin, experiment), "query": pin.to_query(), "panels": panels}


def _pin_label(pin: Experiment, now: Experiment) -> str:
    """The settings by which a pin differs from what is shown."""
    old, new = values_of(pin), values_of(now)
    symbols = {
        f"{method.key}.{param.name}": f"{method.name} {param.symbol}"
        for method in METHODS.values()
        for param in method.params
    }
    shown = [
        f"{symbols.get(key, key)} = {value if isinstance(value, str) else short(value)}"
        for key, value in old.items()
        if new.get(key) != value and (key.split(".")[0] in pin.methods or "." not in key)
    ]
    return ", ".join(shown[:3]) + (" …" if len(shown) > 3 else "") if shown else "as now"


def pack_probe(
    given: Mapping[str, str], experiment: Experiment, runs: Mapping[str, Run], shared: Projection | None
) -> dict[str, Any] | None:
    """How much of the picture changes side because one point was moved away from where it was."""
    if "view.probe" not in given or shared is None or not is_planar(experiment.prepare()):
        return None
    text = given["view.probe"]
    if not text.isdecimal():
        raise BadKey("view.probe", f"view.probe must be the number of a row; got {text!r}.")
    row = int(text)
    kept = tuple(edit for edit in experiment.data.edits if not (isinstance(edit, Move) and edit.row == row))
    unmoved, _ = run_all(replace(experiment, data=replace(experiment.data, edits=kept)))
    xs, ys = shared.window.grid(GRID)
    turned = {
        key: float(np.mean(run.regions(xs, ys)[0] != unmoved[key].regions(xs, ys)[0]))
        for key, run in runs.items()
        if key in unmoved
    }
    return {"row": row, "turned": turned}
