"""Reference learners without margins, as a yardstick for the margin methods.

Their decision values are log-odds, a unit of their own on every scale, so they are not plotted on an axis with margins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_softmax
from sklearn.utils.validation import check_is_fitted

from mdcore.basics.threads import libraries
from mdcore.methods import METHODS
from mdcore.methods.base import MarginClassifier
from mdcore.methods.weights import checked_weights, times_class_weight
from mdcore.solvers.arrays import Array
from mdcore.spec import Choice, Interval, Method, Paper, Param, Search, Setting, Slider

TREES = 100
TREES_FOR_CHOICE = 50
TINY = 1e-12  # distance of rows that count as equal
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
            search=Search((0.01, 0.1, 1.0, 10.0, 100.0), first=(0.01, 0.1, 1.0, 10.0, 100.0), grows=True),
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
            search=Search((0.05, 0.2), first=(0.05, 0.2)),
        ),
        Param(
            "leaves",
            "leaves",
            31,
            Interval(2, np.inf, open_high=True),
            Slider(2, 64, log=True),
            "Largest number of leaves of a tree; 2 is a sum of functions of single columns.",
            integer=True,
            search=Search((4, 31), first=(4, 31)),
        ),
    )

    learning_rate: float = 0.1
    leaves: int = 31
    class_weight: Any = None

    def _model(self) -> Any:
        from sklearn.ensemble import HistGradientBoostingClassifier

        options: dict[str, Any] = {"class_weight": self.class_weight, "early_stopping": False, "random_state": 0}
        return HistGradientBoostingClassifier(
            learning_rate=self.learning_rate, max_leaf_nodes=int(self.leaves), **options
        )


@dataclass(eq=False, repr=False)
class ForestReference(LogOdds):
    """scikit-learn's RandomForestClassifier."""

    parameters: ClassVar[tuple[Setting, ...]] = (
        Param(
            "leaf_rows",
            "rows of a leaf",
            1,
            Interval(1, np.inf, open_high=True),
            Slider(1, 64, log=True),
            "Smallest number of training rows in a leaf: more rows make smoother probabilities.",
            grid=(1, 3, 10),
            integer=True,
            search=Search((1, 4), first=(1, 4)),
        ),
        Choice(
            "columns",
            "columns",
            "sqrt",
            ("sqrt", "half"),
            "Columns among which each split of a tree chooses: the square root of their number, or half of them.",
            search=Search(("sqrt", "half"), first=("sqrt", "half")),
        ),
    )

    for_choice: ClassVar[Mapping[str, Any]] = {"trees": TREES_FOR_CHOICE}

    leaf_rows: int = 1
    columns: str = "sqrt"
    class_weight: Any = None
    trees: int = field(default=TREES, kw_only=True)

    def _model(self) -> Any:
        from sklearn.ensemble import RandomForestClassifier

        return RandomForestClassifier(
            self.trees,
            min_samples_leaf=int(self.leaf_rows),
            max_features=0.5 if self.columns == "half" else self.columns,
            class_weight=self.class_weight,
            random_state=0,
        )

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the log-odds of the trees' votes, half a vote added for each class: unanimous votes stay finite."""
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        with libraries().limit(limits=1):
            return log_odds(self.trees * np.asarray(self.model_.predict_proba(rows)) + 0.5)


@dataclass(eq=False, repr=False)
class NeighboursReference(LogOdds):
    """The vote of the nearest training rows that scikit-learn finds; a row of weight k has k votes."""

    parameters: ClassVar[tuple[Setting, ...]] = (
        Param(
            "neighbours",
            "k",
            5,
            Interval(1, np.inf, open_high=True),
            Slider(1, 64, log=True),
            "Number of nearest training rows that vote.",
            grid=(1, 3, 5, 9, 15, 25),
            integer=True,
            search=Search((1, 3, 9, 27), first=(1, 3, 9, 27), grows=True),
        ),
        Choice(
            "votes",
            "votes",
            "equal",
            ("equal", "distance"),
            "equal: every neighbour has one vote; distance: nearer ones have more, in inverse proportion.",
            search=Search(("equal", "distance"), first=("equal", "distance")),
        ),
    )

    neighbours: int = 5
    votes: str = "equal"
    class_weight: Any = None

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        from sklearn.neighbors import NearestNeighbors

        rows = self._check_rows(X, reset=True)
        self._codes_ = self._check_classes(y, len(rows))
        self.settings()
        given = checked_weights(sample_weight, rows, self._codes_, self.classes_)
        weight = times_class_weight(given, self.class_weight, self._codes_, self.classes_)
        self._weight_ = np.ones(len(rows)) if weight is None else weight
        self.model_ = NearestNeighbors(n_neighbors=int(self.neighbours)).fit(rows)
        return self

    def decision_function(self, X: ArrayLike) -> Array:
        """Return the log-odds of the weighted votes, with half a vote of a mean row added for each class."""
        check_is_fitted(self)
        with libraries().limit(limits=1):
            distances, nearest = self.model_.kneighbors(self._check_rows(X, reset=False))
        each = self._weight_[nearest]
        if self.votes == "distance":
            near = 1.0 / np.maximum(distances, TINY)
            each = each * near / near.mean(axis=1, keepdims=True)
        of_class = np.eye(len(self.classes_))[self._codes_]
        mean = self._weight_ @ of_class / of_class.sum(axis=0)
        return log_odds(np.einsum("ij,ijk->ik", each, of_class[nearest]) + 0.5 * mean)


def log_odds(votes: Array) -> Array:
    """Return log-odds of the second class or, for more classes, log-probabilities, from positive votes."""
    logs = np.log(votes)
    return logs[:, 1] - logs[:, 0] if votes.shape[1] == 2 else np.asarray(log_softmax(logs, axis=1))


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
        _record(
            "forest",
            "Random forest",
            "scikit-learn's 100 trees on random rows and columns, which vote: good with little tuning.",
            ForestReference,
            r"f = \log\frac{\text{share of trees for } +1}{\text{share of trees for } -1}",
            Paper("L. Breiman", "Random forests", "Machine Learning, 2001", ""),
            "#5F7F5F",
        ),
        _record(
            "neighbours",
            "Nearest neighbours",
            "scikit-learn's vote of the k nearest training rows: what the distances alone say.",
            NeighboursReference,
            r"f = \log\frac{\text{share of the } k \text{ nearest for } +1}{\text{share for } -1}",
            Paper("T. M. Cover, P. E. Hart", "Nearest neighbor pattern classification", "IEEE Trans. IT, 1967", ""),
            "#8A6F9E",
        ),
    )
}
LEARNERS: dict[str, Method] = METHODS | REFERENCES
MAJORITY = "majority"


def is_reference(key: str) -> bool:
    return key in REFERENCES
