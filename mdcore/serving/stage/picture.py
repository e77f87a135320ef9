"""The arrays and header entries that the stage draws for a set of runs: points, panels, histogram."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.text import short
from mdcore.data import Prepared
from mdcore.experiment import Experiment
from mdcore.experiment.keys import EDITS_KEY
from mdcore.experiment.majority import beats_majority, majority_of
from mdcore.experiment.projection import Projection, plane, several_plane, signed_distance
from mdcore.experiment.run import Run
from mdcore.margins.distribution import PARTS, MarginDistribution
from mdcore.methods import METHODS
from mdcore.methods.online.base import OnlineLearner
from mdcore.serving.stage.arrays import Arrays, named
from mdcore.serving.stage.header import (
    Axis,
    Badge,
    DrawnPanel,
    FailedPanel,
    MajorityClass,
    PanelWindow,
    Plane,
    RawScale,
    Runs,
    SplitStats,
    Stats,
)
from mdcore.serving.stage.last_picture import FRESH, PLANE, Axes, axes_of
from mdcore.serving.stage.message import finite
from mdcore.serving.stage.packed_field import GRID, pack_field
from mdcore.serving.stage.terms import pack_terms
from mdcore.spaces.kernels import COEF0, DEGREE, GAMMA

Array = NDArray[np.float64]

NO_STATS: Stats = {"mean": None, "variance": None, "semivariance": None, "min": None, "accuracy": None}
LARGEST = 1e9  # cap on the relative gap: larger values, and an infinite bound, are equally vacuous


def shared_plane(experiment: Experiment, axes: Axes = FRESH) -> Projection | None:
    """Return the plane in which all methods are drawn: the two features, or the principal components of data with
    several classes.

    Return None for two classes with more than two features: each method then has its own view by signed distance.
    """
    prepared = experiment.prepare()
    if is_planar(prepared):
        return plane(prepared, axes.windows.get(PLANE))
    return several_plane(prepared) if has_several(prepared) else None


def picture(
    experiment: Experiment,
    runs: Mapping[str, Run],
    failures: Mapping[str, str],
    shared: Projection | None,
    axes: Axes = FRESH,
    ghosts: Sequence[Run] = (),
) -> tuple[Runs, Arrays, Axes]:
    """Return the header, the arrays and the axes of a picture of these runs.

    The axes are the given ones, extended where the data exceed them. The margin axis also covers the margins of
    `ghosts`.
    """
    prepared = experiment.prepare()
    edges = axes.edges_for([*runs.values(), *ghosts])
    drawn = {key: shared or signed_distance(run, axes.windows.get(key)) for key, run in runs.items()}
    made = {key: _panel(run, drawn[key], shared is None, edges, experiment) for key, run in runs.items()}
    points = _points(experiment, shared)
    arrays = dict(points)
    for _, own in made.values():
        arrays |= own
    header: Runs = {
        "content": _name_of(points),
        "methods": list(experiment.methods),
        "classes": [str(label) for label in prepared.dataset.classes],
        "edits": EDITS_KEY.text(experiment.data.edits),
        "canEdit": is_planar(prepared) and not has_several(prepared),
        "plane": _plane(experiment, shared),
        "majority": _majority(prepared),
        "split": {"train": len(prepared.train), "test": len(prepared.test)},
        "rows": {"shown": len(prepared.train), "of": experiment.training_rows},
        "histogram": {"edges": edges.tolist(), "held": axes.edges is not None},
        "panels": [made[key][0] if key in made else _failed(key, failures[key]) for key in experiment.methods],
    }
    return header, arrays, axes_of(experiment, edges, drawn if shared is None else {PLANE: shared})


def _points(experiment: Experiment, shared: Projection | None) -> Arrays:
    prepared = experiment.prepare()
    rows = np.concatenate([prepared.train, prepared.test])
    labels = np.searchsorted(prepared.dataset.classes, np.concatenate([prepared.y_train, prepared.y_test]))
    part = np.repeat([0, 1], [len(prepared.train), len(prepared.test)])
    points = shared.points if shared else np.zeros((len(rows), 2))
    return {
        "x": points[:, 0].astype(np.float32),
        "y": points[:, 1].astype(np.float32),
        "label": labels.astype(np.uint8),
        "part": part.astype(np.uint8),
        "row": rows.astype(np.int32),
    }


def _panel(run: Run, own: Projection, apart: bool, edges: Array, experiment: Experiment) -> tuple[DrawnPanel, Arrays]:
    """Return the header and the arrays of a panel, which has its own plane if `apart`.

    They are derived once from a fit: while the slider of one method moves, the panels of the others stay the same.
    """
    each, note = experiment.row_weight, _fit_note(run, experiment)
    key = run.asked, own.window, own.slope, apart, edges.tobytes(), each, note
    panel: tuple[DrawnPanel, Arrays] = run.fit.derived.get(key, lambda: _made_panel(run, own, apart, edges, each, note))
    return panel


def _made_panel(
    run: Run, own: Projection, apart: bool, edges: Array, each: float, note: str
) -> tuple[DrawnPanel, Arrays]:
    several, key = has_several(run.prepared), run.method.key
    flags = np.zeros(len(run.prepared.train) + len(run.prepared.test), dtype=np.uint8)
    flags[run.model.support_] = 1
    arrays: Arrays = {named("flag", key): flags}
    field_scale = 0.0
    if several or run.is_flat:  # without margins, errors are seen by the predictions
        arrays[named("predicted", key)] = _predicted(run)
    if not several:
        arrays[named("field", key)], field_scale = pack_run(run, own, planar=not apart)
    elif is_planar(run.prepared):
        arrays[named("region", key)], arrays[named("certainty", key)] = _regions(run, own)
    if apart:
        arrays[named("x", key)], arrays[named("y", key)] = (own.points[:, axis].astype(np.float32) for axis in (0, 1))
    if not run.is_flat:
        _add_margins(run, edges, arrays, each)
    header: DrawnPanel = {
        "key": key,
        "content": _name_of(arrays),
        "name": run.name,
        "color": run.method.color,
        "status": _status(run),
        "message": _honest_note(run),
        "badge": _badge(run, note, preview=each > 1.0),
        "terms": pack_terms(run),
        "ruler": ruler_words(run),
        "window": _window(own) if apart else None,
        "note": own.note if apart else "",
        "levels": [-run.unit, 0, run.unit],
        "fieldScale": field_scale,
        "grid": GRID,
        "regions": several,
        "votes": run.votes,
        "marks": [
            {"low": mark.low, "high": mark.high, "label": mark.label, "stated": mark.stated, "strength": mark.strength}
            for mark in run.marks()
        ],
        "stats": split_statistics(run),
    }
    return header, arrays


def _name_of(arrays: Arrays) -> str:
    """Return a name for the content of arrays, the same in every process."""
    digest = hashlib.blake2b(digest_size=8)
    for name, array in arrays.items():
        digest.update(name.encode() + np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _add_margins(run: Run, edges: Array, arrays: Arrays, each: float) -> None:
    """Add the margins of all rows, with the counts and the cumulative curve of each part."""
    key = run.method.key
    arrays[named("margin", key)] = np.concatenate([run.train.values, run.test.values])
    for part, distribution in (("train", run.train), ("test", run.test)):
        arrays[named("count", key, part)] = np.rint(each * distribution.counts(edges)).astype(np.int32)
        arrays[named("curve", key, part)] = distribution.ordered


def _majority(prepared: Prepared) -> MajorityClass:
    majority = majority_of(prepared)
    return {"label": str(majority.label), "train": finite(majority.train), "test": finite(majority.test)}


def _failed(key: str, reason: str) -> FailedPanel:
    method = METHODS[key]
    return {
        "key": key,
        "name": method.name,
        "color": method.color,
        "content": "",
        "status": "failed",
        "message": reason,
        "terms": [],
        "marks": [],
        "stats": {"train": NO_STATS, "test": NO_STATS},
    }


def _status(run: Run) -> Literal["ok", "underway", "unconverged", "overbudget"]:
    if run.fit.mid_stream:
        return "underway"
    return "ok" if run.model.converged_ else "overbudget" if run.fit.cut else "unconverged"


def _badge(run: Run, note: str, *, preview: bool) -> Badge:
    """Return the solver's status and certificate, and the counts of an online learner."""
    model = run.model
    badge: Badge = {
        "converged": bool(model.converged_),
        "gap": finite(model.gap_),
        "iterations": int(model.n_iter_),
        "seconds": run.fit.seconds,
        "support": len(model.support_),
        "supportLabel": run.method.support,
        "objective": finite(model.objective_),
        "fit": note,
    }
    if isinstance(model, OnlineLearner):
        badge["updates"], badge["mistakes"] = model.n_updates_, model.n_mistakes_
    if run.landmarks:
        badge["landmarks"] = run.landmarks
    if run.landmarks and not preview:  # its distance to the exact kernel problem
        bound, sure = run.exact_gap
        badge["exactGap"], badge["exactSure"] = finite(min(bound, LARGEST)), sure
    return badge


def _fit_note(run: Run, experiment: Experiment) -> str:
    """Return whether the kernel is exact and why; "" in a preview, which always has landmarks."""
    if experiment.sample is not None:
        return ""
    return experiment.case.note(run.method, experiment.within(run.method.key))


def _honest_note(run: Run) -> str:
    """Return the caveat that a reader must see with the picture, or the solver's status."""
    if run.is_flat:
        return f"For {run.name} {run.why_flat}, to working precision. Its margins have the functional scale only."
    if not beats_majority(run):
        return f"{run.name} is no better than always predicting ‘{majority_of(run.prepared).label}’."
    if not run.method.kernels and run.fit.space.kernel.name != "linear":
        return f"{run.name} is linear: the kernel does not apply to it."
    return str(run.model.status_)


def pack_run(run: Run, own: Projection, *, planar: bool) -> tuple[NDArray[np.int16], float]:
    xs, ys = own.window.grid(GRID)
    field = run.field(xs, ys) if planar else np.broadcast_to(xs * own.slope, (GRID, GRID))
    return pack_field(field, run.unit)


def has_several(prepared: Prepared) -> bool:
    return len(prepared.dataset.classes) > 2


def is_planar(prepared: Prepared) -> bool:
    return prepared.dataset.d == 2


def _predicted(run: Run) -> NDArray[np.uint8]:
    """Return the predicted class of every training and test row, as an index into the data's classes."""
    rows = [part for part in (run.prepared.X_train, run.prepared.X_test) if len(part)]
    predicted = np.concatenate([run.model.predict(part) for part in rows])
    return np.searchsorted(run.prepared.dataset.classes, predicted).astype(np.uint8)


def _regions(run: Run, own: Projection) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the predicted class at each node, and the lead of its score over the second, where 255 is one unit of
    margin or more."""
    predicted, scores = run.regions(*own.window.grid(GRID))
    second, first = np.sort(scores, axis=0)[-2:]
    known = np.searchsorted(run.prepared.dataset.classes, run.model.classes_)
    certainty = np.rint(np.clip((first - second) / run.unit, 0.0, 1.0) * 255)
    return known[predicted].astype(np.uint8), certainty.astype(np.uint8)


def _plane(experiment: Experiment, shared: Projection | None) -> Plane:
    if shared is None:
        return {"kind": "distance", "note": "", "x": None, "y": None, "raw": None}
    if not is_planar(experiment.prepare()):
        return {"kind": "components", "note": shared.note, **_window(shared), "raw": None}
    scaling = experiment.prepare().scaling
    x, y = ([float(scaling.shift[i]), float(scaling.scale[i])] for i in (0, 1))
    notes = {"none": "", "unit": "scaled to [0, 1]", "standard": "standardised"}
    raw: RawScale = {"x": x, "y": y, "note": notes[scaling.name]}
    return {"kind": "plane", "note": shared.note, **_window(shared), "raw": raw}


def _window(projection: Projection) -> PanelWindow:
    (across, up), window = projection.labels, projection.window
    x: Axis = {"label": across, "low": window.x[0], "high": window.x[1]}
    return {"x": x, "y": {"label": up, "low": window.y[0], "high": window.y[1]}}


def ruler_words(run: Run) -> str:
    """Return the unit of a run's margins in words, equal for all margins that can be compared; "" without margins."""
    if run.is_flat:
        return ""
    if run.votes:
        return "share of votes"
    if run.scale == "functional":
        return f"y f(x) of {run.name}"
    name, *settings = run.kernel.ruler
    symbols = (GAMMA.symbol, DEGREE.symbol, COEF0.symbol)
    told = [f"{symbol} = {short(value)}" for symbol, value in zip(symbols, settings, strict=False)]
    told += [f"p = {short(run.p)}"] if run.p != 2.0 else []
    return f"distance in the space of {', '.join([f'the {name} kernel', *told])}"


def statistics(distribution: MarginDistribution, *, flat: bool = False) -> Stats:
    """Return the statistics of margins; only the accuracy of a `flat` run, which has no margins on the scale asked
    for."""
    accuracy = finite(distribution.accuracy)
    if flat:
        return {**NO_STATS, "accuracy": accuracy}
    mean, variance, least = map(finite, (distribution.mean, distribution.variance, distribution.min))
    semivariance = finite(distribution.semivariance)
    return {"mean": mean, "variance": variance, "semivariance": semivariance, "min": least, "accuracy": accuracy}


def split_statistics(run: Run) -> SplitStats:
    train, test = (statistics(run.margins(part), flat=run.is_flat) for part in PARTS)
    return {"train": train, "test": test}
