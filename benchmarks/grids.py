"""Cross-validation over a paper's grid, in fits per second, against scikit-learn's GridSearchCV over SVC on the same
folds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from benchmarks.timing import Row, measure
from mdcore.papers.evaluation import prepare_split
from mdcore.papers.protocol import protocol
from mdcore.papers.selection import folds_of, select, widths
from mdcore.papers.sets import rows_of

GOAL = 10.0
ROWS = 208  # half of them train, as of sonar's 208 rows


def rows() -> Iterator[Row]:
    """Yield milliseconds per fit: the grid of the LDM paper's Table 3, on the first split of a set from
    scikit-learn."""
    table = protocol("ldm-2014", 3)
    entry = table.set("wdbc")
    prepared = prepare_split(entry, rows_of(entry), 0)
    X, y = prepared.X_train[: ROWS // 2], prepared.y_train[: ROWS // 2]
    y = np.unique(y, return_inverse=True)[1]
    folds = folds_of(y, table.folds, seed=0)
    gammas = [gamma for gamma in widths(table, table.method("svm"), X) if gamma is not None]
    peer = GridSearchCV(SVC(), {"C": [10, 50, 100], "gamma": gammas}, cv=folds, refit=False)
    peer_ms, _ = measure(lambda _: peer.fit(X, y), repeat=3)
    peer_ms /= len(folds) * 3 * len(gammas)
    for key in ("ldm", "svm"):
        method = table.method(key)
        ours_ms, chosen = measure(lambda _, method=method: select(table, method, X, y, seed=0), repeat=3)
        quality = f"{chosen.fits:,} fits, {1e3 * chosen.fits / ours_ms:,.0f} a second; peer's {1e3 / peer_ms:,.0f}"
        yield Row(
            f"a fit of {method.label}'s grid, m = {len(X)}", "GridSearchCV over SVC", ours_ms / chosen.fits, peer_ms,
            quality, GOAL,
        )  # fmt: skip
