"""Binary methods on data with several classes: one model for each pair of classes, which vote."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from mdcore.methods.binary_models import BinaryModels
from mdcore.methods.votes import pairs_of, scores_from_votes
from mdcore.spaces.space import KernelSpace

Array = NDArray[np.float64]
Index = NDArray[np.intp]


class OneVersusOne(BinaryModels):
    """A copy of `estimator` for each pair of classes, fitted to their rows alone; the class with the most votes wins.

    The score of a class is its share of a unanimous vote, as in `OVO`, which does the same with SVMs as a separate
    method. With three or more classes margins count votes and are no distances, and `norm_` is 1. With two classes the
    scores are -f/2 and f/2.
    """

    voting: ClassVar[bool] = True

    code_: Array
    rows_: list[Index]

    def fit(self, X: ArrayLike, y: ArrayLike, **fit_params: Any) -> Self:
        """Fit a model for each pair; `fit_params`, such as `sample_weight`, have an entry for every row."""
        self._check_estimator()
        rows = self._check_rows(X, reset=True)
        each = {name: np.asarray(values) for name, values in fit_params.items() if values is not None}
        models = [
            self._model().fit(rows[part], sides, **{name: values[part] for name, values in each.items()})
            for part, sides in self._pairs(y, rows.shape[0])
        ]
        return self._adopt_pairs(models)

    def fit_space(self, space: KernelSpace, y: ArrayLike) -> Self:
        """Fit a kernel machine for each pair on its rows of a space, which may be shared, with its kernel."""
        self.n_features_in_ = space.rows.shape[1]
        pairs = self._pairs(y, len(space))
        return self._adopt_pairs([self._model().fit_space(space.part(part), sides) for part, sides in pairs])

    def scores(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        return self._from_decisions([model.decision_function(rows) for model in self.estimators_])

    def decide(self, cross: Array) -> Array:
        f = self._from_decisions(
            [m.decide(cross[:, rows]) for m, rows in zip(self.estimators_, self.rows_, strict=True)]
        )
        return f[:, 1] - f[:, 0] if len(self.classes_) == 2 else f

    @property
    def why_no_distances(self) -> str:
        return "with three or more classes, margins count votes" if len(self.classes_) > 2 else ""

    def _norms_apart(self) -> Array:
        return np.asarray(self.estimators_[0]._norms_apart())  # of two classes

    def _constants(self) -> Array:
        return np.asarray(self.estimators_[0]._constants())

    def _from_decisions(self, decisions: list[Array]) -> Array:
        f = np.stack(decisions, axis=1)
        k = len(self.classes_)
        return f * [-0.5, 0.5] if k == 2 else scores_from_votes(f, self.code_, k - 1)

    def _pairs(self, y: ArrayLike, rows: int) -> list[tuple[Index, Index]]:
        """Return the rows of each pair of classes, and their sides, -1 and +1."""
        codes = self._check_labels(y, rows)
        self.code_ = pairs_of(len(self.classes_))
        sides = self.code_[codes].astype(np.intp)
        self.rows_ = [np.flatnonzero(column) for column in sides.T]
        return [(part, column[part]) for part, column in zip(self.rows_, sides.T, strict=True)]

    def _adopt_pairs(self, models: list[Any]) -> Self:
        support = [rows[model.support_] for model, rows in zip(models, self.rows_, strict=True)]
        self._adopt_models(models, np.unique(np.concatenate(support)))
        self.norm_, self._reach_ = float(models[0].norm_) if len(models) == 1 else 1.0, models[0]._reach_
        return self
