"""Binary methods on data with several classes: an error or, if asked for, one model for each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from mdcore.methods.base import MarginClassifier
from mdcore.methods.binary_models import BinaryModels
from mdcore.methods.one_versus_one import OneVersusOne
from mdcore.solvers.arrays import Array
from mdcore.spec import Choice, Method

OWN, REST, PAIRS = "own", "one-versus-rest", "one-versus-one"
SEVERAL = Choice(
    "several",
    "several classes",
    OWN,
    (OWN, REST),
    "With more than two classes: own fits only the methods for several classes; one-versus-rest also fits the methods "
    "for two classes, with one model for each class against the rest, and marks their names accordingly.",
)


WAYS = (REST, PAIRS)


def way_of(method: Method, classes: int, several: str) -> str:
    """Return how a method treats so many classes: by one of the WAYS or, with OWN, itself; raise ValueError if it
    cannot."""
    if classes <= 2 or method.multiclass:
        return OWN
    if several in WAYS:
        return several
    raise ValueError(
        f"{method.name} is a method for two classes, and the data have {classes}. "
        f"Set {SEVERAL.symbol} to {REST}, or keep two classes."
    )


def is_one_versus_rest(method: Method, classes: int, several: str) -> bool:
    """Return whether one model is fitted for each class; raise ValueError if the method cannot take so many classes."""
    return way_of(method, classes, several) == REST


def new_estimator(method: Method, classes: int, several: str, settings: Mapping[str, Any]) -> MarginClassifier:
    """Return an estimator for the given number of classes, with the settings that are among its parameters."""
    way = way_of(method, classes, several)
    model = method.estimator(**{name: value for name, value in settings.items() if name in method.known})
    assert isinstance(model, MarginClassifier)
    return model if way == OWN else OneVersusRest(model) if way == REST else OneVersusOne(model)


def title_of(method: Method, classes: int, several: str) -> str:
    """Return the name of the method on data with the given number of classes."""
    named = classes > 2 and not method.multiclass and several in WAYS
    return f"{method.name}, {several}" if named else method.name


def part_of(model: MarginClassifier) -> MarginClassifier:
    """Return the estimator that has the method's parameters."""
    return model.estimator if isinstance(model, BinaryModels) else model


class OneVersusRest(BinaryModels):
    """A copy of `estimator` for each class against the rest; the score of a class is half the decision of its model.

    With this factor, margins for two classes equal those of the estimator itself. `OVA` does the same with SVMs, as a
    separate method.
    """

    _apart_: Array

    @staticmethod
    def code(k: int) -> Array:
        return 2.0 * np.eye(k) - 1.0

    def from_decisions(self, decisions: Array) -> Array:
        return 0.5 * decisions

    def _norms_apart(self) -> Array:
        return self._apart_

    def _constants(self) -> Array:
        return np.array([0.5 * model._constants()[1] for model in self.estimators_])

    def _adopt(self, models: list[MarginClassifier]) -> Self:
        self._apart_ = 0.5 * models[0].norms_between(models)
        self.norm_ = 0.5 * float(np.sqrt(sum(model.norm_**2 for model in models)))
        return super()._adopt(models)
