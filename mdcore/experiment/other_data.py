"""Changes from one source of data to another: which settings come with the new source, and which are kept."""

from __future__ import annotations

from dataclasses import replace

from mdcore.basics.text import short
from mdcore.data import OwnSource, Source
from mdcore.experiment.experiment import Experiment
from mdcore.experiment.query import OPENING, parse_query
from mdcore.methods.one_versus_rest import REST, SEVERAL


def on_source(experiment: Experiment, source: Source) -> Experiment:
    """Return the experiment on another source, with the scaling, kernel and gamma of the source.

    Choices that differ from the defaults of the previous source are kept if they mean the same on the new source: a
    kernel, a word for gamma, a scaling, but not a number for gamma, which depends on the units of the data. A user's
    table with several classes sets one versus the rest, without which most methods could not be fitted to it.
    """
    here, there = _opened(experiment.data.record), _opened(source)
    kernel, scaling = there.kernel, there.data.scaling
    if experiment.kernel.name != here.kernel.name:
        kernel = replace(experiment.kernel, gamma=kernel.gamma)
    if isinstance(experiment.kernel.gamma, str) and experiment.kernel.gamma != here.kernel.gamma:
        kernel = replace(kernel, gamma=experiment.kernel.gamma)
    if experiment.data.scaling not in (here.data.scaling, "none"):
        scaling = experiment.data.scaling
    options = tuple((name, experiment.data.seed if name == "seed" else value) for name, value in there.data.options)
    data = replace(there.data, options=options, seed=experiment.data.seed, test=experiment.data.test, scaling=scaling)
    several = REST if isinstance(source, OwnSource) and source.classes > 2 else experiment.several
    return replace(experiment, data=data, kernel=replace(kernel, bias=experiment.kernel.bias), several=several)


def changed_settings(before: Experiment, now: Experiment) -> str:
    """Return the settings that changed with the data as text, or "" if none did."""
    moves = (
        ("scaling", before.data.scaling, now.data.scaling),
        ("kernel", before.kernel.name, now.kernel.name),
        ("γ", short(before.kernel.gamma), short(now.kernel.gamma)),
        (SEVERAL.symbol, before.several, now.several),
    )
    return ", ".join(f"{name} {old} → {new}" for name, old, new in moves if old != new)


def _opened(source: Source) -> Experiment:
    """Return the experiment that a page shows when the source is opened."""
    if parse_query(OPENING).get("data") == source.key:
        return Experiment.from_query(OPENING)
    return Experiment.on(source, OPENING)
