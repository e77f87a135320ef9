"""Take one run of many: each phone takes one value of a parameter, and the picture shows a statistic of all runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlencode

from mdcore.experiment import Experiment
from mdcore.experiment.query import parse_query
from mdcore.margins.distribution import Part
from mdcore.methods import METHODS
from mdcore.serving.lecture.questions.kind import BUDGET, Kind, NoAnswer, Question, is_number
from mdcore.serving.stage.live import run_all
from mdcore.spec import Param

SEED = "seed"
MEASURED = {  # the statistic -> its name on screen
    "accuracy": "test accuracy",
    "mean": "mean margin",
    "variance": "variance of the margins",
    "semivariance": "semi-variance of the margins",
    "min": "smallest margin",
}


def _faults(question: Question, revealed: Experiment) -> Iterator[tuple[str, str]]:
    try:
        for end in ("low", "high"):
            _with_value(revealed, question, float(question[end]))
    except ValueError as error:
        yield "param", str(error)
    if not question["low"] < question["high"]:
        yield "low", "it must be smaller than high."


def _shown(question: Question) -> Question:
    """Return the question with the parameter's symbol and the name of its statistic."""
    method, _, own = question["param"].rpartition(".")
    symbol = next(param.symbol for param in METHODS[method].params if param.name == own) if method else own
    return {**question, "symbol": symbol, "measured": MEASURED[question["statistic"]]}


def _read(question: Question, sent: Any) -> float:
    if not is_number(sent) or not question["low"] <= sent <= question["high"]:
        raise NoAnswer(f"an answer is a number from {question['low']:g} to {question['high']:g}.")
    return float(sent)


def _tally(question: Question, answers: Sequence[float]) -> dict[str, Any]:
    return {"values": sorted(answers)}


def _brief(tallied: dict[str, Any]) -> dict[str, Any]:
    return {"count": len(tallied["values"])}


def _run(question: Question, revealed: Experiment, value: float) -> dict[str, float]:
    """Return the statistic of each method."""
    found, _ = run_all(_with_value(revealed, question, value), BUDGET)
    name = question["statistic"]
    part: Part = "test" if name == "accuracy" else "train"
    known = {key: run for key, run in found.items() if name == "accuracy" or not run.is_flat}
    return {key: float(getattr(run.margins(part), name)) for key, run in known.items()}


def _with_value(experiment: Experiment, question: Question, value: float) -> Experiment:
    name, number = question["param"], 2.0**value if question.get("log") else value
    query = parse_query(experiment.to_query())
    if name != SEED and ("." not in name or name.split(".")[0] not in experiment.methods):
        raise ValueError(f"{name!r} is neither seed nor a parameter of a method shown.")
    method, _, own = name.partition(".")
    params = () if name == SEED else METHODS[method].params
    whole = name == SEED or any(isinstance(p, Param) and p.name == own and p.integer for p in params)
    query[name] = str(int(number)) if whole else repr(float(number))
    return Experiment.from_query(urlencode(query))


KIND = Kind(
    name="runs",
    description="Everyone takes one run of the state of the reveal, with one value of a parameter; the picture shows "
    "the statistic of all runs.",
    schema={
        "param": {"description": "seed, or a parameter of a method: ldm.lambda1.", "type": "string", "maxLength": 40},
        "statistic": {"enum": list(MEASURED)},
        "low": {"type": "number"},
        "high": {"type": "number"},
        "log": {"description": "Whether low and high are exponents of two.", "type": "boolean", "default": False},
    },
    faults=_faults,
    shown=_shown,
    read=_read,
    tally=_tally,
    brief=_brief,
    run=_run,
)
