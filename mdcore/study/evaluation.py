"""One method on one split: prepare, choose the parameters, fit, evaluate."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.margins.distribution import PARTS, MarginDistribution, Margins, Part, Scale
from mdcore.methods.base import MarginClassifier
from mdcore.methods.binary_models import BinaryModels
from mdcore.methods.landmarks import LandmarkParams
from mdcore.solvers.arrays import Array
from mdcore.spec import Method
from mdcore.study.cross_validation import NOTHING, Tick, choose
from mdcore.study.data import Data
from mdcore.study.fitting import fitted_model, kernel_settings, settings_of
from mdcore.study.folds import Folds, PreparedRows, prepare_rows, prepare_split
from mdcore.study.plan import Candidate, Plan
from mdcore.study.scores import confusion, predicted, scores_of
from mdcore.study.splits import seed_of


@dataclass(frozen=True, eq=False)
class Result:
    """The result of one method on one split.

    `train` and `test` are functional margins of the `n_fit` fitted rows and of the test rows, the other two are
    geometric margins, nan if there are none. `norm` makes distances of decisions between the first two classes.
    """

    key: str
    split: int
    params: dict[str, Any]
    scores: dict[str, float]
    confusion: NDArray[np.intp]
    train: Array
    test: Array
    train_geometric: Array
    test_geometric: Array
    norm: float
    n_fit: int
    n_train: int
    seconds: float
    selection_seconds: float
    converged: bool
    gap: float
    landmarks: int = 0
    """Number of landmarks; 0 for the exact kernel problem."""
    exact_gap: float = np.nan
    """Upper bound on the relative distance to the exact kernel problem's optimum on the first split; else nan."""
    inner: Array = field(default_factory=lambda: NOTHING)
    """f of every fitted row from the cross-validation fold that left it out; empty if there is none."""
    tried: int = 0
    """Number of candidates among which the cross-validation chose; 0 if the parameters are fixed."""
    untuned: dict[str, float] = field(default_factory=dict)
    """Scores on the same test rows of the same method with its default parameters and the plan's γ: what choosing
    gained is `scores` minus these. Empty if the parameters are fixed."""

    @property
    def are_distances(self) -> bool:
        """Whether every example of both parts has a geometric margin."""
        return all(self._both(part).are_distances for part in PARTS)

    def margins(self, part: Part, scale: Scale) -> MarginDistribution:
        """Return the margins on a scale; functional margins if there are no distances."""
        return self._both(part).on(scale if self.are_distances else "functional")

    def _both(self, part: Part) -> Margins:
        if part == "train":
            return Margins(self.train, self.train_geometric)
        return Margins(self.test, self.test_geometric)


@dataclass(frozen=True)
class Failure:
    """The reason why a method could not be fitted on one split."""

    key: str
    split: int
    reason: str


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A model with its prepared rows, for plots. `name` is the display name."""

    method: Method
    name: str
    model: MarginClassifier
    prepared: PreparedRows


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Scores and confusion matrix on the test rows; margins of the fitted rows and of the test rows."""

    scores: dict[str, float]
    confusion: NDArray[np.intp]
    of_fit: Margins
    of_new: Margins


def evaluate_split(
    data: Data, plan: Plan, candidate: Candidate, number: int, tick: Tick, folds: Folds | None = None
) -> Result | Failure:
    """Evaluate a candidate on one split; `tick` is called after every fit.

    Evaluations that are given the same `folds` share what does not depend on the candidate.
    """
    begun = time.perf_counter()
    try:
        rows, test = plan.parts(candidate, data.y, number, data.along)
        seed = seed_of(plan.seed, number)
        chosen = choose(plan, candidate, folds or Folds(data, plan), rows, number, seed, tick)
        selected = time.perf_counter() - begun
        prepared = prepare_rows(data, plan, candidate, rows, test)
        settings = settings_of(plan, candidate, prepared, chosen.option)
        begun = time.perf_counter()
        model = fitted_model(plan, candidate, prepared, settings)
        seconds = time.perf_counter() - begun
        tick()
    except ValueError as error:
        return Failure(candidate.key, number, str(error))
    judged = judge(plan, model, prepared)
    untuned = _untuned(plan, candidate, prepared, settings, judged.scores, tick) if chosen.tried else {}
    return Result(
        key=candidate.key,
        split=number,
        params=settings,
        scores=judged.scores,
        confusion=judged.confusion,
        train=judged.of_fit.functional,
        test=judged.of_new.functional,
        train_geometric=judged.of_fit.geometric,
        test_geometric=judged.of_new.geometric,
        norm=model.distance_norm(),
        n_fit=len(prepared.y_fit),
        n_train=len(plan.split(data.y, number, data.along)[0]),
        seconds=seconds,
        selection_seconds=selected if chosen.tried else 0.0,
        converged=bool(model.converged_),
        gap=float(model.gap_),
        landmarks=int(settings.get("landmarks", 0)),
        exact_gap=float(model.exact_gap_)
        if isinstance(model, LandmarkParams | BinaryModels) and "landmarks" in settings and number == 0
        else np.nan,
        inner=chosen.inner,
        tried=chosen.tried,
        untuned=untuned,
    )


def _untuned(
    plan: Plan,
    candidate: Candidate,
    prepared: PreparedRows,
    chosen: dict[str, Any],
    scores: dict[str, float],
    tick: Tick,
) -> dict[str, float]:
    """Return the scores of the method with its default parameters, given the chosen ones and their scores, which may be
    the same; {} if the defaults cannot be fitted to the rows."""
    settings = candidate.method.settings({}) | kernel_settings(plan, candidate, prepared.X_fit, 1.0)
    try:
        if settings == chosen:
            return scores
        return judge(plan, fitted_model(plan, candidate, prepared, settings), prepared).scores
    except ValueError:
        return {}
    finally:
        tick()


def judge(plan: Plan, model: MarginClassifier, prepared: PreparedRows) -> Evaluation:
    """Evaluate a model on its prepared rows."""
    classes = model.classes_
    f, y = model.decision_function(prepared.X_new), prepared.y_new
    of_fit, of_new = model.margins_of_fit(prepared.X_fit, prepared.y_fit), model.measure(f, y)
    counts = confusion(y, predicted(classes, f), classes)
    return Evaluation(scores_of(y, f, classes, plan.positive_code(classes)), counts, of_fit, of_new)


def refit(data: Data, plan: Plan, result: Result) -> FittedModel:
    """Refit the model of a result, which stores only the parameters."""
    candidate = plan.candidate(result.key)
    prepared = prepare_split(data, plan, candidate, result.split)
    model = fitted_model(plan, candidate, prepared, result.params)
    return FittedModel(candidate.method, plan.name(result.key, len(model.classes_)), model, prepared)
