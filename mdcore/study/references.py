"""Reference learners without margins, as a yardstick for the margin methods.

Their decision values are log-odds, a unit of their own on every scale, so they are not plotted on an axis with margins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax
from sklearn.utils.validation import check_is_fitted

from mdcore.methods import METHODS
from mdcore.methods.base import MarginClassifier
from mdcore.spec import Interval, Method, Paper, Param, Setting, Slider
from mdcore.threads import libraries

Array = NDArray[np.float64]

STEPS = 1000  # maximum number of iterations of logistic regression


class LogOdds(MarginClassifier):
    """A scikit-learn classifier with log-odds as decision values, which are no distances: the boundary of a tree has no
    norm, and `norm_` is 1."""

    multiclass: ClassVar[bool] = True
    norm_: float = 1.0
    gap_: float = np.nan
    converged_: bool = True

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        rows = self._check_rows(X, reset=True)
        self._check_classes(y, len(rows))
        self.settings()
        with libraries().limit(limits=1):
            self.model_ = self._model().fit(rows, np.asarray(y), sample_weight=sample_weight)
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the log-odds of the second class or, for more classes, the log-probability of each class.

        For more classes, scikit-learn's decision values are determined only up to a constant for each row, so the
        values of one class could not be compared between rows.
        """
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        with libraries().limit(limits=1):  # trees are small: thread synchronisation would cost more than it gains
            f = np.asarray(self.model_.decision_function(rows), dtype=np.float64)
        return f if f.ndim == 1 else log_softmax(f, axis=1)

    @property
    def why_no_distances(self) -> str:
        return "its decision values are log-odds"

    def _model(self) -> Any:
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class LogisticReference(LogOdds):
    """scikit-learn's LogisticRegression."""

    parameters: ClassVar[tuple[Setting, ...]] = (
        Param(
            "C",
            "C",
            1.0,
            Interval(0, np.inf, open_low=True, open_high=True),
            Slider(2**-10, 2**10, log=True),
            "Weight of the log loss relative to the squared norm.",
            grid=(0.01, 0.1, 1.0, 10.0, 100.0),
        ),
    )

    C: float = 1.0
    class_weight: Any = None

    def _model(self) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=self.C, class_weight=self.class_weight, max_iter=STEPS)

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        super().fit(X, y, sample_weight)
        self.converged_ = bool(np.max(self.model_.n_iter_) < STEPS)
        self.coef_, self.intercept_ = self.model_.coef_, self.model_.intercept_
        return self


@dataclass(eq=False, repr=False)
class BoostingReference(LogOdds):
    """scikit-learn's HistGradientBoostingClassifier with a fixed number of trees."""

    parameters: ClassVar[tuple[Setting, ...]] = (
        Param(
            "learning_rate",
            "learning rate",
            0.1,
            Interval(0, 1, open_low=True),
            Slider(0.01, 1, log=True),
            "Factor with which each tree is added.",
            grid=(0.03, 0.1, 0.3),
        ),
    )

    learning_rate: float = 0.1
    class_weight: Any = None

    def _model(self) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        options: dict[str, Any] = {"class_weight": self.class_weight, "early_stopping": False, "random_state": 0}
        return HistGradientBoostingClassifier(learning_rate=self.learning_rate, **options)


def _log_loss(margins: Array, norm: float, **params: Any) -> float:
    return float(np.logaddexp(0.0, -margins).sum())


def _record(key: str, name: str, summary: str, estimator: Any, latex: str, paper: Paper, color: str) -> Method:
    return Method(
        key=key,
        name=name,
        summary=summary,
        estimator=estimator,
        latex=latex,
        objective=_log_loss,
        paper=paper,
        color=color,
        marks=lambda params, train: (),
        limits="",
        support="",
        certificate="none",
    )


REFERENCES: dict[str, Method] = {
    record.key: record
    for record in (
        _record(
            "logistic",
            "Logistic regression",
            "scikit-learn's linear model of the log-odds: the simplest model worth beating.",
            LogisticReference,
            r"\min_w \tfrac12\|w\|^2 + C\sum_i \log\bigl(1+e^{-y_i f(x_i)}\bigr)",
            Paper("D. R. Cox", "The regression analysis of binary sequences", "J. R. Stat. Soc. B, 1958", ""),
            "#6B6B6B",
        ),
        _record(
            "boosting",
            "Gradient boosting",
            "scikit-learn's histogram-based boosting, log-odds as a sum of 100 small trees: hard to beat on tables.",
            BoostingReference,
            r"\min_{f} \sum_i \log\bigl(1+e^{-y_i f(x_i)}\bigr),\quad f = \sum_t \nu\, h_t",
            Paper("J. H. Friedman", "Greedy function approximation", "Ann. Stat., 2001", ""),
            "#A0784B",
        ),
    )
}
LEARNERS: dict[str, Method] = METHODS | REFERENCES
MAJORITY = "majority"


def is_reference(key: str) -> bool:
    return key in REFERENCES
