"""A tuned comparison of several methods against scikit-learn's GridSearchCV over SVC alone, on the same folds.

Both choose inside the same training parts, by three folds: GridSearchCV among 4 C × 4 γ for one machine, ours among at
most as many candidates for each method, with the fit of the best and of the defaults. Times are of the processor.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.timing import Row, processor_seconds
from mdcore.spaces.kernels import resolve_gamma
from mdcore.study import Comparison, compare, first_plan
from mdcore.study.splits import seed_of

ROWS, COLUMNS, SPLITS = 1000, 20, 2
PRICES, WIDTHS = (0.1, 1.0, 10.0, 100.0), (1 / 16, 1 / 4, 1.0, 4.0)
METHODS = ("svm", "ldm", "odm", "msvmav")
GOAL = 0.5  # at most twice the time of one machine


def rows() -> Iterator[Row]:
    """Yield the milliseconds of one split: for the four methods together, and for those with a certificate."""
    X, y = make_classification(ROWS, COLUMNS, n_informative=8, flip_y=0.15, random_state=0)
    peer_s, chosen = processor_seconds(lambda: _peer(X, y))
    for keys in (METHODS, METHODS[:3]):
        plan = first_plan(y, methods=keys, references=False, repeats=SPLITS)
        ours_s, found = processor_seconds(lambda plan=plan: compare(X, y, StandardScaler(), plan))
        quality = f"{_accuracies(found)}; SVC {np.mean(chosen):.3f}; {_tried(found)} candidates on average"
        names = ", ".join(found.names[key] for key in keys)
        yield Row(
            f"{names}: tuned, m = {ROWS}", "GridSearchCV over SVC", 1e3 * ours_s / SPLITS, 1e3 * peer_s / SPLITS,
            quality, GOAL,
        )  # fmt: skip


def _peer(X: np.ndarray, y: np.ndarray) -> list[float]:
    plan, reached = first_plan(y, references=False, repeats=SPLITS), []
    for number, (train, test) in enumerate(plan.splits(y)):
        folds = StratifiedKFold(plan.folds, shuffle=True, random_state=seed_of(plan.seed, number))
        scale = resolve_gamma("scale", StandardScaler().fit_transform(X[train]))
        grid = {"svc__C": PRICES, "svc__gamma": [scale * width for width in WIDTHS]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=folds).fit(X[train], y[train])
        reached.append(float(search.score(X[test], y[test])))
    return reached


def _accuracies(found: Comparison) -> str:
    return ", ".join(f"{found.names[key]} {found.spread(key, 'accuracy').mean:.3f}" for key in found.keys)


def _tried(found: Comparison) -> str:
    return f"{np.mean([result.tried for key in found.keys for result in found.of(key)]):.3g}"
