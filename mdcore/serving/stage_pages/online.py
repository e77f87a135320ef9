"""The Online page's own charts: clock, race, latest updates, weights and unit balls."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from mdcore.experiment import Experiment
from mdcore.experiment.race import Clock, Standing, clock, standings
from mdcore.experiment.run import Run
from mdcore.methods import METHODS
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.online.pumma import PairUpdate
from mdcore.narrative import race_sentence
from mdcore.serving.stage import header
from mdcore.serving.stage.arrays import Arrays, named
from mdcore.serving.stage.header import OnlineScene
from mdcore.serving.stage.message import finite
from mdcore.serving.stage.stage_page import StagePage
from mdcore.solvers.arrays import Array
from mdcore.solvers.pnorm import dual_exponent, link

QUERY = (
    "data=blobs&n=60&noise=0.4&outliers=0&seed=1&kernel=linear&methods=pumma,romma"
    "&pumma.p=2&pumma.delta=0.1&romma.delta=0.1&step=16"
)


def online_extra(experiment: Experiment, runs: Mapping[str, Run], edges: Array) -> tuple[OnlineScene, Arrays]:
    """Return header and arrays of the page's charts; without an online learner the header has no clock."""
    learners = standings(experiment, runs)
    now = clock(experiment, learners)
    if now is None:
        return {"clock": None, "race": [], "stream": {}, "weights": [], "balls": None}, {}
    arrays = {
        named("race", learner.method.key, name): np.array(
            [getattr(moment, name) for moment in learner.trace.moments], dtype=np.float32
        )
        for learner in learners
        for name in ("step", "updates", "margin")
    }
    weights = [_weights(runs[learner.method.key], learner, arrays) for learner in learners]
    shown: OnlineScene = {
        "clock": _clock(experiment, now),
        "race": [_learner(learner) for learner in learners],
        "stream": {learner.method.key: _marks(experiment, runs[learner.method.key], learner) for learner in learners},
        "weights": weights,
        "relevant": _relevant(experiment),
        "balls": _balls(experiment, runs, learners),
        "sentence": race_sentence(experiment, now, learners),
    }
    return shown, arrays


def _clock(experiment: Experiment, now: Clock) -> header.Clock:
    prepared = experiment.prepare()
    m = len(prepared.train)
    return {
        "step": now.step,
        "end": now.end,
        "previous": now.previous,
        "next": now.next,
        "examples": m,
        "row": int(prepared.train[(now.step - 1) % m]) if now.step else None,
    }


def _learner(learner: Standing) -> header.Learner:
    bound = learner.bound
    return {
        "key": learner.method.key,
        "name": learner.method.name,
        "color": learner.method.color,
        "step": learner.step,
        "end": learner.trace.end,
        "ended": learner.ended,
        "updates": learner.updates,
        "mistakes": learner.mistakes,
        "margin": learner.margin,
        "p": learner.p,
        "limit": learner.limit.margin,
        "gap": learner.limit.gap,
        "reason": learner.limit.reason,
        "share": learner.share,
        "bounded": learner.bounded,
        "bound": finite(bound.value) if bound else None,
        "proved": finite(bound.terms["proved"]) if bound else None,
        "vacuous": bool(bound and bound.value >= learner.step),
    }


def _marks(experiment: Experiment, run: Run, learner: Standing) -> header.StreamMarks:
    """Return the marks of a learner's latest update in its panel, in plane coordinates."""
    prepared = experiment.prepare()
    made: header.StreamMarks = {
        "row": int(prepared.train[learner.trace.row_at(learner.step)]) if learner.step and not learner.ended else None,
        "now": learner.now,
        "pair": None,
        "old": None,
    }
    if prepared.dataset.d != 2 or learner.last is None:
        return made
    if isinstance(learner.last, PairUpdate):
        made["pair"] = [learner.last.x_pos.tolist(), learner.last.x_neg.tolist()]
    if run.model.is_linear and learner.before is not None:
        made["old"] = [*learner.before.w.tolist(), learner.before.b]
    return made


def _weights(run: Run, learner: Standing, arrays: Arrays) -> header.Weights:
    """Return the weights in units of ||w||_q: by feature, or with a kernel by example."""
    model, linear = run.model, run.model.is_linear
    if isinstance(model, KernelMachine) and not linear:
        w, b = model.dual_coef_, model.offset_
    else:
        w, b = model.coef_[0], model.intercept_[0]
    norm = run.model.norm_ or 1.0
    arrays[named("weights", learner.method.key)] = (w / norm).astype(np.float32)
    return {
        "key": learner.method.key,
        "name": learner.method.name,
        "color": learner.method.color,
        "of": "features" if linear else "examples",
        "norm": run.model.norm_,
        "b": float(b) / norm,
        "zero": int(np.sum(np.abs(w) <= 1e-3 * np.abs(w).max())) if w.any() else len(w),
    }


def _relevant(experiment: Experiment) -> int | None:
    """Return k for r-of-k data, whose first k features determine the class; None for other data."""
    return int(dict(experiment.data.options)["k"]) if experiment.data.source == "threshold" else None


def _balls(experiment: Experiment, runs: Mapping[str, Run], learners: list[Standing]) -> header.Balls:
    """Return the unit balls of the first learner with a parameter p, or else of the first learner and, in the plane,
    the problem that its last update solved."""
    shown = next((learner for learner in learners if "p" in runs[learner.method.key].params), learners[0])
    model, p = runs[shown.method.key].model, shown.p
    planar = experiment.prepare().dataset.d == 2 and model.is_linear
    return {
        "key": shown.method.key,
        "name": shown.method.name,
        "color": shown.method.color,
        "p": p,
        "q": dual_exponent(p),
        "w": model.coef_[0].tolist() if planar and model.norm_ > 0.0 else None,
        "relaxed": _relaxed(shown) if planar and not runs[shown.method.key].params.get("soft") else None,
    }


def _relaxed(learner: Standing) -> header.Relaxed | None:
    """Return problem (3) of the last update: w.z >= 2, w.theta >= ||w_old||_q^2. `kept` is whether w satisfies the
    second constraint."""
    if not isinstance(learner.last, PairUpdate):
        return None
    z = learner.last.x_pos - learner.last.x_neg
    if learner.before is None:
        return {"z": z.tolist(), "old": None, "theta": None, "least": None, "kept": True}
    old = learner.before.w
    theta = np.empty_like(old)
    least = link(old, dual_exponent(learner.p), theta) ** 2
    kept = bool(learner.last.w @ theta >= least * (1.0 - 1e-6))
    return {"z": z.tolist(), "old": old.tolist(), "theta": theta.tolist(), "least": least, "kept": kept}


ONLINE = StagePage(
    "online",
    QUERY,
    methods=tuple(key for key, method in METHODS.items() if method.family == "online"),
    charts=("race", "cumulative", "weights", "balls", "counts"),
    extra=online_extra,
)
