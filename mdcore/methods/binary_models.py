"""The base class of estimators for several classes that fit a method for two classes several times."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils import Tags

from mdcore.methods.base import MarginClassifier
from mdcore.methods.multiclass import MulticlassMixin
from mdcore.spaces.exact_gap import Distance
from mdcore.spaces.space import KernelSpace

Array = NDArray[np.float64]


class BinaryModels(MulticlassMixin, MetaEstimatorMixin, MarginClassifier):
    """Copies of `estimator`, a method for two classes, each fitted to its own two sides of the classes.

    Each model optimises its own problem, not the margin distribution of several classes: `objective_` and `exact_gap_`
    belong to the sum of the problems; `gap_` and `n_iter_` are the largest over the models.
    """

    estimators_: list[Any]

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

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
        return Distance.of_sum([model.exact_distance() for model in self.estimators_])

    def exact_gap_work(self, times: float = 1.0) -> float:
        """Return the cost of `exact_gap_` for models on `times` as many rows, in kernel values."""
        return float(sum(model.exact_gap_work(times) for model in self.estimators_))

    def quick_exact_gap(self, entries: int) -> tuple[float, float]:
        """Return `exact_gap_` and its confidence from about `entries` kernel values at most."""
        each = entries // len(self.estimators_)
        found = Distance.of_sum([model.quick_distance(each) for model in self.estimators_])
        return found.high, found.confidence

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def _takes_sparse(self) -> bool:
        return bool(self.estimator._takes_sparse())

    def fit_space(self, space: KernelSpace, y: ArrayLike) -> Self:
        """Fit kernel machines on the rows of a space, which may be shared, with its kernel."""
        raise NotImplementedError

    def decide(self, cross: Array) -> Array:
        """Return f for new rows, given their kernel values with the training rows."""
        raise NotImplementedError

    def _model(self) -> Any:
        return clone(self.estimator)

    def _check_estimator(self) -> None:
        if not isinstance(self.estimator, MarginClassifier) or self.estimator.multiclass:
            raise ValueError(
                f"{type(self).__name__}: estimator must be one of mdcore's methods for two classes, such as LDM(); got "
                f"{self.estimator!r}."
            )

    def _adopt_models(self, models: list[Any], support: NDArray[np.intp]) -> None:
        self.estimators_, self.support_ = models, support
        self.objective_ = float(sum(model.objective_ for model in models))
        self.gap_ = float(max(model.gap_ for model in models))
        self.n_iter_ = max(model.n_iter_ for model in models)
        self.converged_ = all(model.converged_ for model in models)
        self.status_ = " ".join(dict.fromkeys(model.status_ for model in models if model.status_))
