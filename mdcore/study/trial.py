"""A trial of what landmarks lose: SVMs on part of the training rows, exactly and in landmarks, scored on another."""

from __future__ import annotations

import warnings
from functools import cache, cached_property

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from mdcore.costs import Costs, Pace
from mdcore.data.splitting import stratified
from mdcore.kernels import Kernel
from mdcore.landmarks import LandmarkSpace
from mdcore.methods import METHODS
from mdcore.methods.tiny import fit_tiny
from mdcore.space import KernelSpace
from mdcore.study.data import Data
from mdcore.study.fitting import kernel_of
from mdcore.study.plan import Candidate, Plan
from mdcore.study.prepared_rows import PreparedRows, prepare_rows
from mdcore.study.scores import score_of
from mdcore.study.splits import inner
from mdcore.threads import libraries

MOST_ROWS, FOLDS = 4500, 3  # the trial takes at most so many rows, and scores one fold of them
PRICES, TOL = (1.0, 10.0), 1e-3  # the better C counts on each side, as a narrower span also regularises


class Trial:
    """SVMs on part of the training rows of the first split, exactly and in landmarks, scored on another part.

    For several classes they are one versus one. `losses` are the losses measured so far, by number of landmarks.
    """

    def __init__(self, prepared: PreparedRows, kernel: Kernel, criterion: str, balanced: bool) -> None:
        self.prepared, self.kernel = prepared, kernel
        self.losses: dict[int, float] = {}
        self._criterion = criterion
        self._machine = METHODS["svm" if len(np.unique(prepared.y_fit)) == 2 else "ovo"]
        self._settings = {"tol": TOL, "class_weight": "balanced" if balanced else None}

    @property
    def rows(self) -> int:
        return len(self.prepared.y_fit)

    def seconds(self, landmarks: int, pace: Pace) -> float:
        """Return the estimated seconds of `loss`."""
        X, classes = self.prepared.X_fit, len(np.unique(self.prepared.y_fit))
        costs = Costs.of(self._machine, len(X), X.shape[1], classes, pace)
        return len(PRICES) * (costs.spanned(landmarks) + (0.0 if "_exact" in self.__dict__ else costs.exact))

    def loss(self, landmarks: int) -> float:
        """Return the score of the exact machine less the score in landmarks."""
        if landmarks not in self.losses:
            space = LandmarkSpace(self.prepared.X_fit, self.kernel, min(landmarks, self.rows))
            self.losses[landmarks] = self._exact - self._score(space)
        return self.losses[landmarks]

    @cached_property
    def _exact(self) -> float:
        return self._score(KernelSpace(self.prepared.X_fit, self.kernel))

    def _score(self, space: KernelSpace) -> float:
        """Return the score with the better C."""
        _compile()
        reached = []
        with libraries().limit(limits=1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            for C in PRICES:
                model = self._machine.estimator(C=C, **self._settings).fit_space(space, self.prepared.y_fit)
                f = model.decision_function(self.prepared.X_new)
                reached.append(score_of(self._criterion, self.prepared.y_new, f, model.classes_, 0))
        return max(reached)


@cache
def _compile() -> None:
    """Compile, so that the first trial takes no longer than others."""
    fit_tiny((METHODS["svm"], METHODS["ovo"]), "rbf")


def trial_of(data: Data, plan: Plan) -> Trial | None:
    """Return the trial of a plan's first split, in the kernel whose γ is nearest to the plan's own; None if a class has
    too few rows."""
    train, _ = plan.split(data.y, 0, data.along)
    rows = train[stratified(data.y[train], min(len(train), MOST_ROWS), plan.seed)]
    y = data.y[rows]
    if np.unique(y, return_counts=True)[1].min() < FOLDS:
        return None
    try:
        fit, held_out = next(inner(plan.scheme, y, data.along_of(rows), FOLDS, plan.seed))
    except ValueError:  # groups or times leave no fold with every class
        return None
    machine = Candidate.fixed("svm")
    prepared = prepare_rows(data, plan, machine, rows[fit], rows[held_out])
    width = min(plan.widths_for(machine.method), key=lambda factor: abs(np.log(factor)))
    return Trial(prepared, kernel_of(plan, prepared.X_fit, width), plan.criterion, plan.balanced)
