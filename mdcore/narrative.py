"""One sentence on what a change did, from the numbers of the two runs alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mdcore.experiment import Experiment
from mdcore.methods.online.trace import Trace
from mdcore.other_data import what_came
from mdcore.race import Clock, Standing
from mdcore.run import Run
from mdcore.text import percent, short, steady

SAME = 0.005  # a relative change below half a per cent is called unchanged
POINTS = 5e-4  # accuracies closer than this are equal at the one decimal shown


def sentence(before: tuple[Experiment, Mapping[str, Run]] | None, now: tuple[Experiment, Mapping[str, Run]]) -> str:
    """What moved between two pictures, or what stands out in the first one."""
    experiment, runs = now
    if not runs:
        return "No method could be fitted to these data."
    if before is not None and before[0] != experiment:
        changed = _changed_param(before[0], experiment)
        if changed is not None:
            key, name = changed
            if key in runs and key in before[1]:
                return _param_sentence(name, before[1][key], runs[key])
        if before[0].data != experiment.data:
            return f"{_data_change(before[0], experiment)}: {_overview(runs)}"
        if before[0].kernel != experiment.kernel:
            return f"New kernel: {_overview(runs)}"
    return _capital(_overview(runs))


def race_sentence(experiment: Experiment, now: Clock, learners: Sequence[Standing]) -> str:
    """Where online learners stand, and what the example just seen did to them."""
    prepared = experiment.prepare()
    if now.step == 0:
        return "No example has been seen: no learner has a hyperplane yet."
    m = len(prepared.train)
    at = (now.step - 1) % m
    start = (
        f"Example {now.step} (pass {1 + (now.step - 1) // m}, row {prepared.train[at]}, class {prepared.y_train[at]})"
        if now.step < now.end
        else f"After {_count(now.step, 'example')}"
    )
    return f"{start}: {'; '.join(_standing_text(learner) for learner in learners)}.".replace(" -", " −")


def _standing_text(learner: Standing) -> str:
    name, updates = learner.method.name, learner.updates
    made = _count(updates, "update")
    if learner.ended:
        how = _end_text(learner.trace)
        text = f"{name} {how} after {_count(learner.step, 'example')} with {made}"
    elif learner.now:
        text = f"{name} makes its update number {updates}"
    else:
        text = f"{name} learns nothing from it and stays at {made}"
    largest = learner.limit.margin
    share = "" if largest is None else f", {percent(learner.margin / largest, 2)} of the largest"
    if learner.margin <= 0.0:
        return f"{text}, with errors" if updates else text
    return f"{text}, margin {steady(learner.margin)}{share}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _end_text(trace: Trace) -> str:
    if trace.settled:
        return "has ended"
    why = "over its time budget" if trace.cut else "at the last pass allowed"
    return f"stopped {why}, still making updates,"


def _changed_param(old: Experiment, new: Experiment) -> tuple[str, str] | None:
    """The one parameter of a method by which two experiments differ, if they differ by one."""
    if old.data != new.data or old.kernel != new.kernel or old.methods != new.methods:
        return None
    moved = [
        (key, name)
        for key in new.methods
        for name, value in new.settings(key).items()
        if old.settings(key)[name] != value
    ]
    return moved[0] if len(moved) == 1 else None


def _param_sentence(name: str, old: Run, new: Run) -> str:
    symbol = next(p.symbol for p in new.method.params if p.name == name)
    moves = [
        _move("mean margin", old.train.mean, new.train.mean),
        _move("variance", old.train.variance, new.train.variance),
        _move("smallest margin", old.train.min, new.train.min),
    ]
    told = [move for move in moves if move]
    start = f"{new.name}, {symbol} {_shown(old.params[name])} → {_shown(new.params[name])}: "
    body = ", ".join(told) if told else "the training margins stay as they were"
    return f"{start}{body}; {_accuracy_move(old, new)}."


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else short(value)


def _move(what: str, old: float, new: float) -> str:
    size = max(abs(old), abs(new))
    if size == 0.0 or abs(new - old) <= SAME * size:
        return ""
    verb = "up" if new > old else "down"
    share = f" ({percent(abs(new - old) / abs(old), 2)})" if old * new > 0 else ""
    return f"{what} {verb} from {steady(old)} to {steady(new)}{share}"


def _accuracy_move(old: Run, new: Run) -> str:
    part, before, after = ("test", old.test.accuracy, new.test.accuracy)
    if before != before or after != after:
        part, before, after = ("training", old.train.accuracy, new.train.accuracy)
    if abs(after - before) < POINTS:
        return f"{part} accuracy stays at {percent(after)}"
    return f"{part} accuracy {percent(before)} → {percent(after)}"


def _data_change(old: Experiment, new: Experiment) -> str:
    if old.data.source != new.data.source:
        came = what_came(old, new)
        return f"{new.data.record.title}{f', with {came}' if came else ''}"
    if old.data.edits != new.data.edits:
        return "Edited data"
    if old.data.seed != new.data.seed:
        return "New sample"
    return "Changed data"


def _overview(runs: Mapping[str, Run]) -> str:
    """Who has the largest mean margin and who the smallest variance; on the scale shown."""
    voting = [run.name for run in runs.values() if run.votes]
    compared = [run for run in runs.values() if not run.votes]
    votes = f"Votes ({', '.join(voting)}) are not compared: they have no unit in common." if voting else ""
    if len(compared) < 2:
        run = compared[0] if compared else next(iter(runs.values()))
        text = (
            f"{run.name}'s training margins have mean {steady(run.train.mean)} and variance "
            f"{steady(run.train.variance)}."
        )
        return f"{text} {votes}".rstrip() if len(runs) > 1 else text
    scale = compared[0].scale
    highest = max(compared, key=lambda run: run.train.mean)
    tightest = min(compared, key=lambda run: run.train.variance)
    also = "" if tightest is highest else f"{tightest.name} "
    units = "Functional margins of different methods have different units." if scale == "functional" else ""
    text = (
        f"on the {scale} scale {highest.name} has the largest mean training margin "
        f"({steady(highest.train.mean)}) and {also}the smallest variance "
        f"({steady(tightest.train.variance)})."
    )
    return " ".join(part for part in (text, units, votes) if part)


def _capital(text: str) -> str:
    """A sentence's first letter, unless a method's name stands there: mcODM."""
    return text[:1].upper() + text[1:] if text.split(maxsplit=1)[0].islower() else text
