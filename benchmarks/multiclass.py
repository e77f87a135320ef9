"""mcODM with the linear kernel and explicit W, against scikit-learn's LinearSVC of Crammer and Singer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import make_blobs, make_classification
from sklearn.svm import LinearSVC

from benchmarks.timing import Row, measure
from mdcore import MCODM

Sample = tuple[NDArray[np.float64], NDArray[np.intp]]

TOL = 1e-6  # an upper bound on the relative gap of our solver
TRAINING = 10_000
GOAL = 1.0 / 3.0


def rows() -> Iterator[Row]:
    for name, (X, y) in (("clusters", clusters()), ("overlapping clouds", clouds())):
        train, test = slice(TRAINING), slice(TRAINING, None)
        ours_ms, ours = measure(lambda _, X=X[train], y=y[train]: MCODM(kernel="linear", tol=TOL).fit(X, y), repeat=3)
        peer_ms, peer = measure(lambda _, X=X[train], y=y[train]: _crammer_singer().fit(X, y), repeat=3)
        quality = (
            f"gap {ours.gap_:.0e}, objective {ours.objective_:.6g}; test accuracy {ours.score(X[test], y[test]):.4f}, "
            f"peer's {peer.score(X[test], y[test]):.4f}"
        )
        what = f"mcODM linear, 10 classes, 10,000 × 16, {name}"
        yield Row(what, "LinearSVC, crammer_singer", ours_ms, peer_ms, quality, GOAL)


def _crammer_singer() -> LinearSVC:
    """Return the peer with defaults: it stops at the tolerance 1e-4 or after 1,000 passes."""
    return LinearSVC(multi_class="crammer_singer", random_state=0)


def clusters() -> Sample:
    """Return a problem with twelve informative features out of sixteen."""
    return make_classification(
        2 * TRAINING,
        16,
        n_informative=12,
        n_redundant=2,
        n_classes=10,
        n_clusters_per_class=1,
        class_sep=1.5,
        random_state=0,
    )


def clouds() -> Sample:
    """Return normal clouds around random centres."""
    return make_blobs(2 * TRAINING, 16, centers=10, cluster_std=3.0, center_box=(-4.0, 4.0), random_state=0)
