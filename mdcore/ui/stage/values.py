"""What an experiment has set, in the words of the page's controls."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from mdcore.experiment import Experiment
from mdcore.keys import control_keys
from mdcore.query import VIEW


def canonical(experiment: Experiment, given: Mapping[str, str]) -> str:
    view = {key: value for key, value in given.items() if key.startswith(VIEW)}
    return experiment.to_query() + (f"&{urlencode(view)}" if view else "")


def values_of(experiment: Experiment) -> dict[str, Any]:
    """The resolved value of every control."""
    values = [(key, key.get(experiment)) for key in control_keys(experiment)]
    return {"data": experiment.data.source} | {key.name: _json(value) for key, value in values if value != key.omitted}


def numbers_of(experiment: Experiment) -> dict[str, Any]:
    """The parameters of the picture: the shown methods', choices included, and the numbers common to all."""
    shown = {
        f"{key}.{name}": _json(value) for key in experiment.methods for name, value in experiment.settings(key).items()
    }
    numbers = {
        key: value
        for key, value in values_of(experiment).items()
        if "." not in key and isinstance(value, int | float) and not isinstance(value, bool)
    }
    return numbers | shown


def _json(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
