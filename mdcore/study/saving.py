"""Comparisons as JSON text, to be stored and continued later."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.experiment.query import KernelKey
from mdcore.spaces.within import Within
from mdcore.study.comparison import Attempt, Comparison
from mdcore.study.evaluation import Failure, Result
from mdcore.study.plan import Candidate, Plan

FORMAT = 5
UNKNOWN = ("gap", "exact_gap", "norm")  # numbers that may be nan
ARRAYS = ("train", "test", "train_geometric", "test_geometric", "inner")


def to_json(comparison: Comparison) -> str:
    """Return the whole comparison, with margins at full precision."""
    held = {
        "format": FORMAT,
        "plan": asdict(comparison.plan),
        "classes": comparison.classes.tolist(),
        "codes": _packed(np.searchsorted(comparison.classes, comparison.y).astype(np.int32)),
        "along": None if comparison.along is None else _packed(comparison.along.astype(np.int32)),
        "fingerprint": comparison.fingerprint,
        "versions": dict(comparison.versions),
        "outcomes": [_outcome_to_json(outcome) for outcome in comparison.outcomes],
    }
    return json.dumps(held, separators=(",", ":"))


def from_json(text: str) -> Comparison:
    try:
        held = json.loads(text)
        known = held["format"]
    except (json.JSONDecodeError, TypeError, KeyError):
        raise ValueError("This is not a comparison saved by to_json.") from None
    if known != FORMAT:
        raise ValueError(f"The comparison has format {known}; this version reads format {FORMAT}.")
    return Comparison(
        plan=_plan_from_json(held["plan"]),
        y=np.array(held["classes"])[_unpacked(held["codes"])],
        fingerprint=held["fingerprint"],
        outcomes=tuple(_outcome_from_json(outcome) for outcome in held["outcomes"]),
        versions=tuple(held["versions"].items()),
        along=None if held["along"] is None else _unpacked(held["along"]).astype(np.intp),
    )


def _outcome_to_json(outcome: Attempt) -> dict[str, Any]:
    if isinstance(outcome, Failure):
        return asdict(outcome)
    held = {name: getattr(outcome, name) for name in Result.__dataclass_fields__}
    known = {name: None if np.isnan(held[name]) else held[name] for name in UNKNOWN}
    packed = {name: _packed(held[name]) for name in ARRAYS}
    return held | packed | {"confusion": outcome.confusion.tolist()} | known


def _outcome_from_json(held: dict[str, Any]) -> Attempt:
    if "reason" in held:
        return Failure(**held)
    arrays = {
        **{name: _unpacked(held[name]) for name in ARRAYS},
        "confusion": np.array(held["confusion"], dtype=np.intp),
    }
    known = {name: np.nan if held[name] is None else held[name] for name in UNKNOWN}
    return Result(**{**held, **arrays, **known})


def _plan_from_json(held: dict[str, Any]) -> Plan:
    candidates = tuple(
        Candidate(
            c["key"],
            tuple((name, value) for name, value in c["params"]),
            tuple((name, tuple(values)) for name, values in c["grid"]),
            c["effort"],
            Within(**c["within"]),
        )
        for c in held["candidates"]
    )
    given = {"candidates": candidates, "kernel": KernelKey(**held["kernel"]), "widths": tuple(held["widths"])}
    return Plan(**{**held, **given})


def _packed(array: NDArray[Any]) -> dict[str, str]:
    return {"dtype": array.dtype.name, "base64": base64.b64encode(array.tobytes()).decode()}


def _unpacked(held: dict[str, str]) -> NDArray[Any]:
    return np.frombuffer(base64.b64decode(held["base64"]), dtype=held["dtype"])
