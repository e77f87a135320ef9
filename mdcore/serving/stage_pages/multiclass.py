"""The Multi-class page: its charts show the runs on screen, and the same methods on fewer and more classes."""

from __future__ import annotations

import time
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from mdcore.basics.memo import LRUCache
from mdcore.data import load_dataset
from mdcore.data.source import EVERY_CLASS, KEEP
from mdcore.experiment import Experiment
from mdcore.experiment.run import Run
from mdcore.margins.bounds import multiclass_bound
from mdcore.margins.distribution import PARTS, MarginDistribution, common_edges
from mdcore.methods.mcodm import MCODM
from mdcore.serving.stage import header
from mdcore.serving.stage.arrays import Arrays, named
from mdcore.serving.stage.header import MulticlassScene
from mdcore.serving.stage.live import LIVE
from mdcore.serving.stage.picture import Array, statistics
from mdcore.serving.stage.stage_page import StagePage
from mdcore.spec import Choice, Param

NUMBER = "classes"  # the option for the number of classes of a generated source
OURS = "mcodm"
MOMENT = 0.05  # s per answer for fits with other numbers of classes; the last of them may exceed it
SLOW = 1.0  # s of a fit from which no fit with more classes starts unrequested
BINS = 24


@dataclass(frozen=True, eq=False)
class GrowthStep:
    """The results of a method on data with one number of classes."""

    train: MarginDistribution
    test: MarginDistribution
    votes: bool
    flat: bool
    seconds: float


_STEPS: LRUCache[GrowthStep | None] = LRUCache(capacity=512)


def extra(experiment: Experiment, runs: Mapping[str, Run], edges: Array) -> tuple[MulticlassScene, Arrays]:
    arrays: Arrays = {}
    growth, unfinished = _growth(experiment, runs, arrays)
    shown: MulticlassScene = {
        "byClass": _by_class(runs, edges, arrays),
        "outer": _outer(runs.get(OURS)),
        "bound": _bound(runs.get(OURS)),
        "growth": growth,
        "unfinished": unfinished,
    }
    return shown, arrays


def fit_more(experiment: Experiment) -> None:
    """Fit the next missing number of classes, and further ones until MOMENT seconds have passed."""
    begun = time.perf_counter()
    for other, method in _missing_fits(experiment):
        _STEPS.get(_key(other, method), partial(_step, other, method))
        if time.perf_counter() - begun > MOMENT:
            return


# The runs on screen by class


def _by_class(runs: Mapping[str, Run], edges: Array, arrays: Arrays) -> dict[str, header.ClassStats]:
    found: dict[str, header.ClassStats] = {}
    for key, run in runs.items():
        found[key] = {"train": [], "test": []}
        for part in PARTS:
            classes = run.by_class(part)
            found[key][part] = [statistics(own, flat=run.is_flat) for own in classes]
            for number, own in enumerate(() if run.is_flat else classes):
                arrays[named("curve", key, part, number)] = own.ordered
                arrays[named("count", key, part, number)] = own.counts(edges).astype(np.int32)
    return found


def _outer(run: Run | None) -> header.OuterSteps | None:
    """Return objective (1) at the start and after every outer iteration."""
    if run is None:
        return None
    assert isinstance(run.model, MCODM)
    return {"path": run.model.path_.tolist(), "gap": run.model.gap_, "converged": bool(run.model.converged_)}


def _bound(run: Run | None) -> header.Bound | None:
    """Return the bound of Theorem 1 for the fitted model, term by term; it uses functional margins, whatever scale is
    shown."""
    if run is None:
        return None
    space = run.fit.space
    radius = float(np.sqrt(space.kernel.diagonal(space.rows).max()))
    margins, k = MarginDistribution(run.fit.train, "functional"), len(run.prepared.dataset.classes)
    bound = multiclass_bound(margins, run.model.norm_, radius, k, run.params["theta"])
    return {
        "terms": {
            "loss": bound.terms["loss"],
            "confidence": bound.terms["confidence"],
            "complexity": bound.terms["complexity"],
        },
        "value": bound.value,
        "vacuous": bound.vacuous,
        "norm": run.model.norm_,
        "radius": radius,
        "classes": k,
        "examples": len(margins),
    }


# Fewer and more classes


def numbers_of_classes(experiment: Experiment) -> dict[int, Experiment]:
    """Return the same experiment on the first 2, 3, ... classes of its source, by number; empty for edited data."""
    data = experiment.data
    if data.edits:
        return {}
    options = {option.name: option for option in data.record.options}
    moved: dict[int, tuple[str, Any]] = {}
    match options.get(NUMBER), options.get(KEEP):
        case Param(slider=slider), _:
            moved = {k: (NUMBER, k) for k in range(int(slider.low), int(slider.high) + 1)}
        case _, Choice(options=sets):
            names = [str(label) for label in load_dataset(data.source, keep=EVERY_CLASS).classes]
            firsts = {",".join(names[:k]): k for k in range(2, len(names))} | {EVERY_CLASS: len(names)}
            moved = {firsts[kept]: (KEEP, kept) for kept in sets if kept in firsts}
    return {
        k: replace(experiment, data=replace(data, options=_with(data.options, *change)))
        for k, change in sorted(moved.items())
    }


def _with(options: tuple[tuple[str, Any], ...], name: str, value: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((key, value if key == name else old) for key, old in options)


def _key(experiment: Experiment, method: str) -> Hashable:
    chosen = tuple(experiment.settings(method).items())
    return experiment.data_key, experiment.kernel, experiment.several, method, chosen, experiment.scale


def _step(experiment: Experiment, method: str) -> GrowthStep | None:
    """Return the results of a fit; None if the method cannot be fitted to this many classes."""
    try:
        return _step_of(experiment.run_method(method, LIVE))
    except ValueError:
        return None


def _step_of(run: Run) -> GrowthStep:
    return GrowthStep(run.train, run.test, run.votes, run.is_flat, run.fit.seconds)


def _missing_fits(experiment: Experiment) -> Iterator[tuple[Experiment, str]]:
    """Yield the missing fits, from few classes to many, skipping methods that already had a slow fit."""
    slow: set[str] = set()
    for other in numbers_of_classes(experiment).values():
        for method in (key for key in experiment.methods if key not in slow):
            key = _key(other, method)
            if key not in _STEPS:
                yield other, method
            elif (step := _STEPS.peek(key)) and step.seconds > SLOW:
                slow.add(method)


def _growth(experiment: Experiment, runs: Mapping[str, Run], arrays: Arrays) -> tuple[header.Growth, bool]:
    """Return the known results for every number of classes: statistics, and training margins in common bins.

    The number of classes on screen is taken from the runs. Methods that vote are not binned: votes and margins have no
    common unit.
    """
    numbers = numbers_of_classes(experiment)
    now = next((k for k, other in numbers.items() if other == experiment), None)
    if now is not None:
        for method in runs:
            _STEPS.get(_key(experiment, method), partial(_step_of, runs[method]))
    missing = any(_key(other, method) not in _STEPS for other in numbers.values() for method in experiment.methods)
    unfinished = next(_missing_fits(experiment), None) is not None
    known = {
        k: {method: step for method in experiment.methods if (step := _STEPS.peek(_key(other, method)))}
        for k, other in numbers.items()
    }
    voting = {method for steps in known.values() for method, step in steps.items() if step.votes}
    binned = [
        (k, method, step)
        for k, steps in known.items()
        for method, step in steps.items()
        if method not in voting and not step.flat
    ]
    edges = common_edges([step.train for _, _, step in binned], BINS)
    for k, method, step in binned:
        arrays[named("share", method, k)] = step.train.counts(edges) / len(step.train)
    packed: list[header.ClassNumber] = [
        {"classes": k, "methods": {method: _packed_step(step) for method, step in steps.items()}}
        for k, steps in known.items()
    ]
    waits = missing and not unfinished
    return {"edges": edges.tolist(), "now": now, "numbers": packed, "waits": waits}, unfinished


def _packed_step(step: GrowthStep) -> header.Reached:
    train, test = (statistics(part, flat=step.flat) for part in (step.train, step.test))
    return {"train": train, "test": test, "votes": step.votes}


MULTICLASS = StagePage(
    key="multiclass",
    query="data=blobs-k&each=60&classes=5&noise=0.5&seed=0&kernel=rbf&gamma=1&methods=mcodm,mcsvm,ova"
    "&mcodm.lam=1024&mcsvm.C=64&ova.C=64&ovo.C=64&ecoc.C=64&svm.C=64",
    methods=("mcodm", "mcsvm", "ova", "ovo", "ecoc"),
    charts=("histogram", "cumulative", "more_classes", "classes", "growth", "outer", "bound"),
    extra=extra,
    fit_more=fit_more,
    lead=(NUMBER, KEEP),
    several=True,
)
