"""The objective of a fitted method, term by term, and the parameters that act in each term."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from mdcore.experiment.run import Run
from mdcore.methods import METHODS
from mdcore.serving.stage.header import Term
from mdcore.spec import Method

MARGINS = np.array([-1.5, -0.5, 0.25, 0.75, 1.5, 4.0])  # on both sides of every band and hinge
NORM = 2.0


def pack_terms(run: Run) -> list[Term]:
    """Return the name, the value and the acting parameters of each term; empty if the method has no terms or more than
    one function."""
    method = run.method
    if method.terms is None or run.one_versus_rest or len(run.model.classes_) > 2:
        return []
    values = method.terms(run.fit.train, run.model.norm_, **run.params)
    acting = _acting(method.key)
    return [{"name": name, "value": float(value), "params": acting[name]} for name, value in values.items()]


@cache
def _acting(key: str) -> dict[str, list[str]]:
    """Return, by term, the parameters that change its value for a fixed function."""
    method = METHODS[key]
    params = {param.name: param.default for param in method.params}
    before = _terms(method, params)
    acting: dict[str, list[str]] = {name: [] for name in before}
    for param in method.params:
        value = params[param.name]
        if isinstance(value, int | float):
            for name, moved in _terms(method, params | {param.name: 1.25 * value}).items():
                if moved != before[name]:
                    acting[name].append(f"{key}.{param.name}")
    return acting


def _terms(method: Method, params: Mapping[str, float | str]) -> dict[str, float]:
    assert method.terms is not None
    return method.terms(MARGINS, NORM, **params)
