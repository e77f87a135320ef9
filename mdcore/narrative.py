"""One sentence on the effect of a change, from the numbers before and after it alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mdcore.basics.text import count, label_text, listed, percent, short, steady
from mdcore.data import SEED
from mdcore.data.edits import Add, Drop, Edit, Flip, Move
from mdcore.experiment import Experiment
from mdcore.experiment.keys import control_keys
from mdcore.experiment.majority import beats_majority, majority_of
from mdcore.experiment.other_data import changed_settings
from mdcore.experiment.race import Clock, Standing
from mdcore.experiment.run import Run
from mdcore.methods.online.trace import Trace
from mdcore.spaces.kernels import KERNEL
from mdcore.study.picture_tuning import effort, tuning_sentence

SAME = 0.005  # a relative change of at most half a per cent counts as none
UNMOVED = f"mean and variance of the training margins change by at most {percent(SAME, 1)}"
POINTS = 5e-4  # accuracies closer than this count as equal
TWO_LINES = 240  # characters that fit on two lines above the pictures, on a laptop and on a projector
FOLLOWS, HOLDS = 0.01, 3.0  # least share of the picture, and least ratio to the smallest turn, for a notable turn

State = tuple[Experiment, Mapping[str, Run]]


@dataclass(frozen=True)
class Probe:
    """The effect of moving one example far away: the share of the picture that changed side, by method, and for
    straight boundaries the angle in degrees by which they turned."""

    row: int
    turned: Mapping[str, float]
    angles: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Pinned:
    """A state kept for comparison."""

    number: int
    state: State


def sentence(before: State | None, now: State, *, pin: Pinned | None = None, probe: Probe | None = None) -> str:
    """Describe what changed between two pictures, or what is notable in one; then the differences from a pin.

    Methods that are no better than the majority baseline are named first, whatever else changed; how the methods are
    tuned is said last. The differences from a pin, which are also in the table, are left out if they repeat the change
    or if they need a third line.
    """
    runs = now[1]
    if not runs:
        return "None of these methods can be fitted to these data: each panel shows why, and what to do."
    since = ""
    if probe:
        told = _probe_sentence(probe, now)
    elif pin and (before is None or before[0] == now[0]) and pin.state[0] != now[0]:
        told = f"Since pin {pin.number}: {_change(pin.state, now)}"
    else:
        told = _change(before, now)
        since = _since(pin, before, now) if pin else ""
    tuning = tuning_sentence(before[0] if before else None, now[0])
    text = " ".join(part for part in (_no_better(runs), told, tuning) if part)
    longer = f"{text} {since}".strip()
    return longer if len(longer) <= TWO_LINES else text


def _change(before: State | None, now: State) -> str:
    """Describe what changed; if no method is better than the majority baseline, margins are not compared."""
    experiment, runs = now
    if before is not None and before[0] != experiment:
        changed = _changed_param(before[0], experiment)
        if changed is not None:
            key, name = changed
            if key in runs and key in before[1]:
                return _param_sentence(name, before[1][key], runs[key])
        if before[0].data != experiment.data:
            return f"{_data_change(before[0], experiment)}: {_overview(now)}".removesuffix(": ")
        if before[0].kernel != experiment.kernel:
            return f"{_kernel_change(before[0], experiment)}: {_overview(now)}".removesuffix(": ")
    return _capital(_overview(now))


def _no_better(runs: Mapping[str, Run]) -> str:
    """Name the methods that are no more accurate than always predicting one class."""
    idle = [run.name for run in runs.values() if not beats_majority(run)]
    if not idle:
        return ""
    prepared = next(iter(runs.values())).prepared
    majority = majority_of(prepared)
    part, share = ("test", majority.test) if len(prepared.y_test) else ("training", majority.train)
    verb = "is" if len(idle) == 1 else "are"
    always = f"always predicting ‘{label_text(majority.label)}’ ({percent(share)} of the {part} examples)"
    return f"{listed(idle)} {verb} no better than {always}."


def _probe_sentence(probe: Probe, now: State) -> str:
    experiment, runs = now
    turned = {key: share for key, share in probe.turned.items() if key in runs}
    if not any(turned.values()):
        return f"Row {probe.row} is in the outlier probe: drag it, and see how far each boundary turns."
    told = [f"{runs[key].name}'s boundary turns {_turn(share, probe.angles.get(key))}" for key, share in turned.items()]
    text = f"With row {probe.row} moved, {listed(told)}"
    most, least = max(turned, key=turned.__getitem__), min(turned, key=turned.__getitem__)
    if turned[most] >= FOLLOWS and turned[most] >= HOLDS * turned[least]:
        return f"{text}. {runs[most].name} follows one example, {runs[least].name} hardly does{effort(experiment)}."
    return f"{text}."


def _turn(share: float, angle: float | None) -> str:
    side = f"{percent(share)} of the picture changes side"
    return f"by {short(angle)}° ({side})" if angle is not None else f"so that {side}"


def _since(pin: Pinned, before: State | None, now: State) -> str:
    """Describe the differences from a pin, for the methods in both states whose margins have the same unit.

    A change that starts at the pin is described already.
    """
    experiment, runs = now
    kept, old = pin.state
    if kept == experiment:
        return f"This is pin {pin.number}: the next changes are compared with it."
    if before and before[0] == kept:
        return ""
    alike = [key for key in runs if key in old and old[key].ruler == runs[key].ruler and not runs[key].is_flat]
    moves = [(runs[key].name, _moves(old[key], runs[key])) for key in alike]
    told = [f"{name}'s {', '.join(move.in_brief for move in own)}" for name, own in moves if own]
    return f"Since pin {pin.number}: {'; '.join(told)}." if told else ""


def race_sentence(experiment: Experiment, now: Clock, learners: Sequence[Standing]) -> str:
    """Describe the state of the online learners, and the effect of the example just seen."""
    prepared = experiment.prepare()
    if now.step == 0:
        return "No example has been seen: no learner has a hyperplane yet."
    m = len(prepared.train)
    at = (now.step - 1) % m
    start = (
        f"Example {now.step} (pass {1 + (now.step - 1) // m}, row {prepared.train[at]}, class {prepared.y_train[at]})"
        if now.step < now.end
        else f"After {count(now.step, 'example')}"
    )
    return f"{start}: {'; '.join(_standing_text(learner) for learner in learners)}.".replace(" -", " −")


def _standing_text(learner: Standing) -> str:
    name, updates = learner.method.name, learner.updates
    made = count(updates, "update")
    if learner.ended:
        how = _end_text(learner.trace)
        text = f"{name} {how} after {count(learner.step, 'example')} with {made}"
    elif learner.now:
        text = f"{name} makes its update number {updates}"
    else:
        text = f"{name} makes no update and stays at {made}"
    largest = learner.limit.margin
    share = "" if largest is None else f", {percent(learner.margin / largest, 2)} of the largest"
    if learner.margin <= 0.0:
        return f"{text}, with training errors" if updates else text
    return f"{text}, margin {steady(learner.margin)}{share}"


def _end_text(trace: Trace) -> str:
    if trace.settled:
        return "has ended"
    why = "at the end of its time budget" if trace.cut else "at the last pass allowed"
    return f"stopped {why}, still making updates,"


def _changed_param(old: Experiment, new: Experiment) -> tuple[str, str] | None:
    """Return the method and the name of the only parameter in which two experiments differ, else None."""
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
    start = f"{new.name}, {symbol} {short(old.params[name])} → {short(new.params[name])}:"
    if new.is_flat:
        return f"{start} now {new.why_flat}; {_accuracy_move(old, new)}."
    if old.ruler != new.ruler:
        measured = "there is a boundary again" if old.is_flat else "its margins are now measured in another norm"
        return f"{start} {measured}; {_accuracy_move(old, new)}."
    moves = _moves(old, new)
    body = f"{_meaning(old, new)}{', '.join(move.with_value for move in moves)}" if moves else UNMOVED
    return f"{start} {body}; {_accuracy_move(old, new)}.{_disagreement(old, new)}"


@dataclass(frozen=True)
class _Move:
    """The change of a statistic that is large enough to name."""

    what: str
    old: float
    new: float

    @property
    def in_brief(self) -> str:
        """The direction and the size relative to the old value, or both values if the sign changed."""
        way = f"{self.what} {'up' if self.new > self.old else 'down'}"
        if self.old * self.new <= 0.0:
            return f"{way} from {steady(self.old)} to {steady(self.new)}"
        return f"{way} {percent(abs(self.new - self.old) / abs(self.old), 2)}"

    @property
    def with_value(self) -> str:
        return f"{self.in_brief} to {steady(self.new)}" if self.old * self.new > 0.0 else self.in_brief


def _moves(old: Run, new: Run) -> list[_Move]:
    found = (
        _Move("variance", old.train.variance, new.train.variance),
        _Move("mean margin", old.train.mean, new.train.mean),
    )
    return [move for move in found if _direction(move.old, move.new)]


def _meaning(old: Run, new: Run) -> str:
    """Describe how the margins move on the axis of the scale shown."""
    width, place = _direction(old.train.variance, new.train.variance), _direction(old.train.mean, new.train.mean)
    spread = {1: "spread", -1: "narrow", 0: ""}[width]
    shift = {1: "move right", -1: "move left", 0: ""}[place]
    does = " and ".join(part for part in (spread, shift) if part)
    return f"the {new.scale} margins {does}: " if does else ""


def _disagreement(old: Run, new: Run) -> str:
    """Point out functional margins, which the objective is about, that move opposite to the geometric margins."""
    both = old.fit.of_train, new.fit.of_train
    if not all(margins.are_distances for margins in both):
        return ""
    for what, norm in (("mean", "‖w‖"), ("variance", "‖w‖²")):
        functional = [getattr(margins.on("functional"), what) for margins in both]
        geometric = [getattr(margins.on("geometric"), what) for margins in both]
        moved, seen = _direction(*functional), _direction(*geometric)
        if min(functional) > 0.0 and moved * seen < 0:
            verb, grows, falls = ("raises", "grows", "falls") if moved > 0 else ("lowers", "shrinks", "rises")
            return f" This {verb} the functional {what}; {norm} {grows} faster, so the geometric {what} {falls}."
    return ""


def _direction(old: float, new: float) -> int:
    """Return 1 for an increase, -1 for a decrease, and 0 for about the same value."""
    if abs(new - old) <= SAME * max(abs(old), abs(new)):
        return 0
    return 1 if new > old else -1


def _accuracy_move(old: Run, new: Run) -> str:
    part, before, after = ("test", old.test.accuracy, new.test.accuracy)
    if before != before or after != after:
        part, before, after = ("training", old.train.accuracy, new.train.accuracy)
    if abs(after - before) < POINTS:
        return f"{part} accuracy stays at {percent(after)}"
    return f"{part} accuracy {percent(before)} → {percent(after)}"


def _data_change(old: Experiment, new: Experiment) -> str:
    if old.data.source != new.data.source:
        came = changed_settings(old, new)
        return f"{new.data.record.title}{f', with {came}' if came else ''}"
    if old.data.edits != new.data.edits:
        return _edit_change(old.data.edits, new.data.edits)
    if old.data.seed != new.data.seed:
        drawn = any(option.name == SEED.name for option in new.data.record.options)
        return "New sample" if drawn else "New split"
    return f"Data, {_settings_moved(old, new, 'data', 'split')}"


def _edit_change(old: tuple[Edit, ...], new: tuple[Edit, ...]) -> str:
    """Name the edit that was made; several edits, or another course of them, are not named one by one."""
    if not new:
        return "All edits undone"
    if new == old[:-1]:
        return "Last edit undone"
    if old != new[:-1]:
        return "Edited data"
    match new[-1]:
        case Add():
            return "Example added"
        case Move(row=row):
            return f"Row {row} moved"
        case Flip(row=row):
            return f"Row {row} flipped"
        case Drop(row=row):
            return f"Row {row} deleted"


def _kernel_change(old: Experiment, new: Experiment) -> str:
    names = f" {old.kernel.name} → {new.kernel.name}" if old.kernel.name != new.kernel.name else ""
    return ", ".join(part for part in (f"Kernel{names}", _settings_moved(old, new, "kernel")) if part)


def _settings_moved(old: Experiment, new: Experiment, *groups: str) -> str:
    """Return the changed settings of some groups, without the kernel's name."""
    keys = [key for key in control_keys(new) if key.group in groups and key.setting is not KERNEL]
    moved = [(key.setting, key.get(old), key.get(new)) for key in keys if key.setting]
    return ", ".join(f"{setting.symbol} {short(a)} → {short(b)}" for setting, a, b in moved if a != b)


def _overview(now: State) -> str:
    """Name the methods with the largest mean margin and the smallest variance, if their margins have the same unit."""
    experiment, runs = now
    voting = [run.name for run in runs.values() if run.votes]
    compared = [run for run in runs.values() if not run.votes and not run.is_flat]
    votes = f"Margins that count votes ({', '.join(voting)}) are not compared: their units differ." if voting else ""
    votes = " ".join(part for part in (votes, _flat(runs)) if part)
    if len(compared) < 2:
        run = compared[0] if compared else next(iter(runs.values()))
        if run.is_flat:
            return votes
        text = (
            f"{run.name}'s training margins have mean {steady(run.train.mean)} and variance "
            f"{steady(run.train.variance)}."
        )
        return f"{text} {votes}".rstrip() if len(runs) > 1 else text
    if not any(beats_majority(run) for run in compared):
        return ""
    scale = compared[0].scale
    if scale == "geometric" and len({run.ruler for run in compared}) > 1:
        return _apart(compared)
    if scale == "functional":
        means = ", ".join(f"{run.name} {steady(run.train.mean)}" for run in compared)
        text = f"functional margins of different methods have different units and are not compared; means: {means}."
        return " ".join(part for part in (text, _unfinished(compared), votes) if part)
    highest = max(compared, key=lambda run: run.train.mean)
    tightest = min(compared, key=lambda run: run.train.variance)
    also = "" if tightest is highest else f"{tightest.name} "
    most, least = ("larger", "smaller") if len(compared) == 2 else ("largest", "smallest")
    text = (
        f"on the {scale} scale {highest.name} has the {most} mean training margin "
        f"({steady(highest.train.mean)}) and {also}the {least} variance "
        f"({steady(tightest.train.variance)}){effort(experiment)}."
    )
    return " ".join(part for part in (text, _unfinished(compared), votes) if part)


def _apart(runs: Sequence[Run]) -> str:
    """Say why distances in different spaces or norms are not compared."""
    if len({run.p for run in runs}) > 1:
        what, own = "different norms", [f"{run.name} p = {short(run.p)}" for run in runs]
    else:
        what, own = "the spaces of different kernels", [f"{run.name} {run.kernel.name}" for run in runs]
    return f"margins in {what} are not compared: {', '.join(own)}."


def _flat(runs: Mapping[str, Run]) -> str:
    """Name the methods without a boundary."""
    flat = [run for run in runs.values() if run.is_flat]
    return f"For {listed([run.name for run in flat])} {flat[0].why_flat}." if flat else ""


def _unfinished(runs: Sequence[Run]) -> str:
    """Name the methods that have not converged."""
    names = [run.name for run in runs if not run.model.converged_]
    return f"{listed(names)} {'has' if len(names) == 1 else 'have'} not converged." if names else ""


def _capital(text: str) -> str:
    """Capitalise the first letter, unless the first word has capitals inside, as the name mcODM has."""
    return text[:1].upper() + text[1:] if text and text.split(maxsplit=1)[0].islower() else text
