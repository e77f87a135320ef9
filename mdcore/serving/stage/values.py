"""The settings of an experiment, under the names of the page's controls."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from mdcore.basics.text import short
from mdcore.data import OwnSource
from mdcore.experiment import Experiment
from mdcore.experiment.keys import control_keys
from mdcore.experiment.query import VIEW
from mdcore.methods import METHODS


def earlier_state(query: str, own: Collection[OwnSource]) -> Experiment:
    """Return a state that a picture is compared with, which many pictures share: the start of a drag, or a pin."""
    return Experiment.from_query(query, own) if own else _of_catalogue(query)


@lru_cache(maxsize=512)
def _of_catalogue(query: str) -> Experiment:
    return Experiment.from_query(query)


def with_view(query: str, given: Mapping[str, str]) -> str:
    """Return the query of an experiment with the keys of the view."""
    view = {key: value for key, value in given.items() if key.startswith(VIEW)}
    return query + (f"&{urlencode(view)}" if view else "")


def values_of(experiment: Experiment) -> dict[str, Any]:
    """Return the resolved value of every control."""
    values = [(key, key.get(experiment)) for key in control_keys(experiment)]
    return {"data": experiment.data.source} | {key.name: _json(value) for key, value in values if value != key.omitted}


def numbers_of(experiment: Experiment, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numeric ones of these values that are common to all methods, and the parameters of the methods
    shown."""
    shown = {
        f"{key}.{name}": _json(value) for key in experiment.methods for name, value in experiment.settings(key).items()
    }
    numbers = {
        key: value
        for key, value in values.items()
        if "." not in key and isinstance(value, int | float) and not isinstance(value, bool)
    }
    return numbers | shown


def _json(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def settings_text(experiment: Experiment) -> str:
    """Return a one-line description of an experiment, for readers who do not see its controls."""
    data, kernel = experiment.data, experiment.kernel
    symbols = {option.name: option.symbol for option in data.record.options}
    options = [f"{symbols.get(name, name)} = {short(value)}" for name, value in (*data.options, ("seed", data.seed))]
    shape = f"{kernel.name} kernel" + (f", γ = {short(kernel.gamma)}" if kernel.name != "linear" else "")
    methods = [
        f"{METHODS[key].name} "
        + ", ".join(f"{param.symbol} = {short(experiment.settings(key)[param.name])}" for param in METHODS[key].params)
        for key in experiment.methods
    ]
    return "; ".join([", ".join([data.record.title, *dict.fromkeys(options)]), shape, *methods])
