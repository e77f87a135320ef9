"""Binary methods on data with several classes: an error or, if asked for, one model for each class against the rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import MetaEstimatorMixin, clone
from sklearn.utils.validation import check_is_fitted

from mdcore.exact_gap import Distance
from mdcore.methods.base import MarginClassifier
from mdcore.methods.multiclass import MulticlassMixin
from mdcore.space import KernelSpace
from mdcore.spec import Choice, Method

Array = NDArray[np.float64]
Index = NDArray[np.intp]

OWN, REST = "own", "one-versus-rest"
SEVERAL = Choice(
    "several",
    "several classes",
    OWN,
    (OWN, REST),
    "With more than two classes: own fits only the methods for several classes; one-versus-rest also fits the methods "
    "for two classes, with one model for each class against the rest, and marks their names accordingly.",
)


def is_one_versus_rest(method: Method, classes: int, several: str) -> bool:
    """Return whether one model is fitted for each class; raise ValueError if the method cannot take so many classes."""
    if classes <= 2 or method.multiclass:
        return False
    if several == REST:
        return True
    raise ValueError(
        f"{method.name} is a method for two classes, and the data have {classes}. "
        f"Set {SEVERAL.symbol} to {REST}, or keep two classes."
    )


def new_estimator(method: Method, classes: int, several: str, settings: Mapping[str, Any]) -> Any:
    """Return an estimator for the given number of classes, with the settings that are among its parameters."""
    one_versus_rest = is_one_versus_rest(method, classes, several)
    model = method.estimator()
    known = model.get_params()
    model.set_params(**{name: value for name, value in settings.items() if name in known})
    return OneVersusRest(model) if one_versus_rest else model


def title_of(method: Method, classes: int, several: str) -> str:
    """Return the name of the method on data with the given number of classes."""
    one_versus_rest = classes > 2 and not method.multiclass and several == REST
    return f"{method.name}, {REST}" if one_versus_rest else method.name


def part_of(model: Any) -> Any:
    """Return the estimator that has the method's parameters."""
    return model.estimator if isinstance(model, OneVersusRest) else model


class OneVersusRest(MulticlassMixin, MetaEstimatorMixin, MarginClassifier):
    """A copy of `estimator` for each class against the rest; the score of a class is half the decision of its model.

    With this factor, margins for two classes equal those of the estimator itself. Each model optimises its own problem,
    not the margin distribution of several classes: `objective_` and `exact_gap_` belong to the sum of the problems;
    `gap_` and `n_iter_` are the largest over the models. `OVA` does the same with SVMs, as a separate method.
    """

    estimators_: list[Any]
    _apart: Array

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: ArrayLike, y: ArrayLike, **fit_params: Any) -> Self:
        """Fit a model for each class; `fit_params`, such as `sample_weight`, are passed to each of them."""
        if not isinstance(self.estimator, MarginClassifier) or self.estimator.multiclass:
            raise ValueError(
                "OneVersusRest: estimator must be one of mdcore's methods for two classes, such as LDM(); got "
                f"{self.estimator!r}."
            )
        rows = self._check_rows(X, reset=True)
        self._adopt_models([self._model().fit(rows, sides, **fit_params) for sides in self._sides(y, rows.shape[0])])
        return self

    def fit_space(self, space: KernelSpace, y: ArrayLike) -> Self:
        """Fit a kernel machine for each class on the rows of a space, which may be shared, with its kernel."""
        self.n_features_in_ = space.rows.shape[1]
        self._adopt_models([self._model().fit_space(space, sides) for sides in self._sides(y, len(space))])
        return self

    def scores(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        return 0.5 * np.stack([model.decision_function(rows) for model in self.estimators_], axis=1)

    @property
    def is_linear(self) -> bool:
        return all(model.is_linear for model in self.estimators_)

    @property
    def landmark_count(self) -> int:
        """Number of landmarks of each model; all models have the same number, since they have the same rows."""
        return int(self.estimators_[0].landmark_count)

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

    def _norms_apart(self) -> Array:
        return self._apart

    def _constants(self) -> Array:
        return np.array([0.5 * model._constants()[1] for model in self.estimators_])

    def __sklearn_tags__(self):  # type: ignore[no-untyped-def]
        tags = super().__sklearn_tags__()
        tags.input_tags = self.estimator.__sklearn_tags__().input_tags
        return tags

    def _takes_sparse(self) -> bool:
        return bool(self.estimator._takes_sparse())

    def _model(self) -> Any:
        return clone(self.estimator)

    def _sides(self, y: ArrayLike, rows: int) -> list[Index]:
        """Return, for each class, labels that are +1 for the class and -1 for the rest."""
        codes = self._check_labels(y, rows)
        return [np.where(codes == l, 1, -1) for l in range(len(self.classes_))]

    def _adopt_models(self, models: list[Any]) -> None:
        self.estimators_, self._reach = models, models[0]._reach
        self._apart = 0.5 * models[0].norms_between(models)
        self.norm_ = 0.5 * float(np.sqrt(sum(model.norm_**2 for model in models)))
        self.support_ = np.unique(np.concatenate([model.support_ for model in models]))
        self.objective_ = float(sum(model.objective_ for model in models))
        self.gap_ = float(max(model.gap_ for model in models))
        self.n_iter_ = max(model.n_iter_ for model in models)
        self.converged_ = all(model.converged_ for model in models)
        self.status_ = " ".join(dict.fromkeys(model.status_ for model in models if model.status_))
