"""Binary methods on data with several classes: one model for each pair of classes, which vote."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np

from mdcore.methods.base import MarginClassifier
from mdcore.methods.binary_models import BinaryModels
from mdcore.methods.votes import pairs_of, scores_from_votes
from mdcore.solvers.arrays import Array


class OneVersusOne(BinaryModels):
    """A copy of `estimator` for each pair of classes, fitted to their rows alone; the class with the most votes wins.

    The score of a class is its share of a unanimous vote, as in `OVO`, which does the same with SVMs as a separate
    method. With three or more classes margins count votes and are no distances, and `norm_` is 1. With two classes the
    scores are -f/2 and f/2.
    """

    voting: ClassVar[bool] = True

    @staticmethod
    def code(k: int) -> Array:
        return pairs_of(k)

    def from_decisions(self, decisions: Array) -> Array:
        k = len(self.classes_)
        return decisions * [-0.5, 0.5] if k == 2 else scores_from_votes(decisions, self.code_, k - 1)

    @property
    def why_no_distances(self) -> str:
        return "with three or more classes, margins count votes" if len(self.classes_) > 2 else ""

    def _norms_apart(self) -> Array:
        return np.asarray(self.estimators_[0]._norms_apart())  # of two classes

    def _constants(self) -> Array:
        return np.asarray(self.estimators_[0]._constants())

    def _adopt(self, models: list[MarginClassifier]) -> Self:
        self.norm_ = float(models[0].norm_) if len(models) == 1 else 1.0
        return super()._adopt(models)
