"""The base class of estimators for several classes that fit a method for two classes several times."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from mdcore.methods.base import MarginClassifier
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.landmarks import LandmarkParams
from mdcore.methods.multiclass import MulticlassMixin
from mdcore.solvers.arrays import Array, Index
from mdcore.spaces.exact_gap import Distance
from mdcore.spaces.space import KernelSpace


class BinaryModels(MulticlassMixin, MetaEstimatorMixin, MarginClassifier):
    """Copies of `estimator`, a method for two classes, each fitted to its own two sides of the classes.

    Each model optimises its own problem, not the margin distribution of several classes: `objective_` and `exact_gap_`
    belong to the sum of the problems; `gap_` and `n_iter_` are the largest over the models.
    """

    estimators_: list[MarginClassifier]
    code_: Array
    _rows_: list[Index]

    def __init__(self, estimator: MarginClassifier) -> None:
        self.estimator = estimator

    @staticmethod
    def code(k: int) -> Array:
        """Return the sides of k classes, one row for each, in every model: -1 and +1, or 0 where it leaves them out."""
        raise NotImplementedError

    def fit(self, X: ArrayLike, y: ArrayLike, **fit_params: Any) -> Self:
        """Fit the models; `fit_params`, such as `sample_weight`, have an entry for every row."""
        if not isinstance(self.estimator, MarginClassifier) or self.estimator.multiclass:
            raise ValueError(
                f"{type(self).__name__}: estimator must be one of mdcore's methods for two classes, such as LDM(); got "
                f"{self.estimator!r}."
            )
        rows = self._check_rows(X, reset=True)
        each = {name: np.asarray(values) for name, values in fit_params.items() if values is not None}
        models = []
        for part, sides in self._parts(y, rows.shape[0]):
            its_rows = rows if len(part) == rows.shape[0] else rows[part]
            fit = clone(self.estimator).fit
            models.append(fit(its_rows, sides, **{name: values[part] for name, values in each.items()}))
        return self._adopt(models)

    def fit_space(self, space: KernelSpace, y: ArrayLike) -> Self:
        """Fit kernel machines on their rows of a space, which may be shared, with its kernel."""
        self.n_features_in_ = space.rows.shape[1]
        models: list[MarginClassifier] = []
        for part, sides in self._parts(y, len(space)):
            model = clone(self.estimator)
            assert isinstance(model, KernelMachine)
            models.append(model.fit_space(space.part(part), sides))
        return self._adopt(models)

    def scores(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        return self.from_decisions(np.stack([model.decision_function(rows) for model in self.estimators_], axis=1))

    def decide(self, cross: Array) -> Array:
        """Return f for new rows, given their kernel values with the training rows."""
        machines = [model for model in self.estimators_ if isinstance(model, KernelMachine)]
        parts = (cross if len(rows) == cross.shape[1] else cross[:, rows] for rows in self._rows_)
        decisions = [machine.decide(part) for machine, part in zip(machines, parts, strict=True)]
        return self._decisions(self.from_decisions(np.stack(decisions, axis=1)))

    def from_decisions(self, decisions: Array) -> Array:
        """Return the scores of the classes from the decisions, which have a column for each model."""
        raise NotImplementedError

    @property
    def is_linear(self) -> bool:
        return all(model.is_linear for model in self.estimators_)

    @property
    def landmark_count(self) -> int:
        """The largest number of landmarks of a model."""
        return max(int(model.landmark_count) for model in self.estimators_)

    @property
    def exact_gap_(self) -> float:
        """`exact_gap_` for the sum of the models' problems, if the estimator supports landmarks."""
        return self._distance().high

    @property
    def exact_gap_confidence_(self) -> float:
        """Confidence that the bounds of all models hold at once."""
        return self._distance().confidence

    def _distance(self) -> Distance:
        return Distance.of_sum([machine.exact_distance() for machine in self._spanned])

    def exact_gap_work(self, times: float = 1.0) -> float:
        """Return the cost of `exact_gap_` for models on `times` as many rows, in kernel values."""
        return float(sum(machine.exact_gap_work(times) for machine in self._spanned))

    def quick_exact_gap(self, entries: int) -> tuple[float, float]:
        """Return `exact_gap_` and its confidence from about `entries` kernel values at most."""
        each = entries // len(self.estimators_)
        found = Distance.of_sum([machine.exact_distance(each) for machine in self._spanned])
        return found.high, found.confidence

    @property
    def _spanned(self) -> list[LandmarkParams]:
        machines = [model for model in self.estimators_ if isinstance(model, LandmarkParams)]
        if len(machines) < len(self.estimators_):
            raise AttributeError(f"{type(self.estimator).__name__} has no landmarks, and so no exact_gap_.")
        return machines

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_rows_"}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def _takes_sparse(self) -> bool:
        return bool(self.estimator._takes_sparse())

    def _parts(self, y: ArrayLike, rows: int) -> list[tuple[Index, Index]]:
        """Return the rows of each model, and their sides, -1 and +1."""
        codes = self._check_labels(y, rows)
        self.code_ = self.code(len(self.classes_))
        sides = self.code_[codes].astype(np.intp)
        self._rows_ = [np.flatnonzero(column) for column in sides.T]
        return [(part, column[part]) for part, column in zip(self._rows_, sides.T, strict=True)]

    def _adopt(self, models: list[MarginClassifier]) -> Self:
        support = [rows[model.support_] for model, rows in zip(models, self._rows_, strict=True)]
        self.estimators_, self.support_ = models, np.unique(np.concatenate(support))
        self.objective_ = float(sum(model.objective_ for model in models))
        self.gap_ = float(max(model.gap_ for model in models))
        self.n_iter_ = max(model.n_iter_ for model in models)
        self.converged_ = all(model.converged_ for model in models)
        self.status_ = " ".join(dict.fromkeys(model.status_ for model in models if model.status_))
        self._reach_ = models[0]._reach_
        return self
