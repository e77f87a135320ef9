"""Cross-validation inside a training part: the choice of parameters, and decision values for held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import Rows
from mdcore.study.data import Data
from mdcore.study.fitting import fitter
from mdcore.study.plan import Candidate, Plan
from mdcore.study.prepared_rows import prepare_rows
from mdcore.study.scores import score_of
from mdcore.study.splits import inner

Array = NDArray[np.float64]
Tick = Callable[[], None]
NOTHING: Array = np.empty(0)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The chosen parameters and factor of gamma.

    `inner` is f of every training row from the fold that left it out: nan if no fold did, empty if not requested.
    """

    params: dict[str, Any]
    width: float
    inner: Array


def choose(data: Data, plan: Plan, candidate: Candidate, rows: Rows, seed: int, tick: Tick) -> Chosen:
    """Return the choice with the best mean score over folds of the training part; ties go to the first.

    The preparation is fitted anew in each fold, so that no held-out row influences it.
    """
    choices, widths = plan.choices(candidate), plan.widths_for(candidate.method)
    y, classes = data.y[rows], np.unique(data.y[rows])
    wanted = plan.held_out and len(classes) == 2
    if not (plan.is_tuned(candidate) or wanted):
        return Chosen(choices[0], widths[0], NOTHING)
    if np.unique(y, return_counts=True)[1].min() < plan.folds:
        raise ValueError(f"A class has fewer than {plan.folds} of the {len(rows)} rows on which parameters are chosen.")
    reached = np.zeros((len(widths), len(choices)))
    f = np.full((len(widths), len(choices), len(rows) if wanted else 0), np.nan)
    for fit, held_out in inner(plan.scheme, y, data.along_of(rows), plan.folds, seed):
        prepared = prepare_rows(data, plan, candidate, rows[fit], rows[held_out])
        for i, width in enumerate(widths):
            fit_one = fitter(plan, candidate, prepared, width)
            for j, params in enumerate(choices):
                model = fit_one(params)
                found = model.decision_function(prepared.X_new)
                if wanted:
                    f[i, j, held_out] = found
                reached[i, j] += score_of(plan.criterion, prepared.y_new, found, model.classes_, 0)
                tick()
    # Equal scores added in another order differ in the last bit; rounding restores the tie.
    i, j = divmod(int(np.argmax(reached.round(9))), len(choices))
    return Chosen(choices[j], widths[i], f[i, j])
