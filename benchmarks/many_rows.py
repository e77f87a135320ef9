"""Kernel machines of many rows: LDM through landmarks beside Nystroem + LinearSVC of as many features, SVC exact, and a
subsample; linear kernels in the features beside LinearSVC."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC

from benchmarks.timing import Row
from mdcore import LDM, SVM

GAMMA, LANDMARKS = 0.025, 256
SIZES = (20_000, 100_000)
SUBSAMPLE = 2000


def rows() -> Iterator[Row]:
    LDM(1.0, 1.0, 1.0, gamma=GAMMA, landmarks=10).fit(*made(500)[:2])  # compiled before anything is timed
    SVM(1.0, kernel="linear").fit(*made(500)[:2])
    cold = []
    for m in SIZES:
        X, y, X_test, y_test = made(m)
        ours_s, ours = once(
            lambda X=X, y=y: LDM(1.0, 1.0, 1.0, gamma=GAMMA, landmarks=LANDMARKS, warm_start=True).fit(X, y)
        )
        cold.append(ours_s)
        reached = f"test accuracy {ours.score(X_test, y_test):.4f}, gap {ours.gap_:.0e}"
        gap_s, bound = once(lambda model=ours: model.exact_gap_)
        reached += f", exact gap ≤ {100.0 * bound:.3g} % in {gap_s:.1f} s"
        peer_s, peer = once(lambda X=X, y=y: nystroem().fit(X, y))
        quality = f"{reached}; peer's {peer.score(X_test, y_test):.4f}"
        yield Row(
            f"LDM, {m:,} rows, {LANDMARKS} landmarks", "Nystroem + LinearSVC", 1e3 * ours_s, 1e3 * peer_s, quality, 1.0
        )
        for name, value in (("lambda2", 2.0), ("C", 2.0)):
            moved_s, moved = once(lambda n=name, v=value, X=X, y=y, o=ours: o.set_params(**{n: v}).fit(X, y))
            yield Row(
                f"LDM, {m:,} rows, {name} moved",
                "the cold fit",
                1e3 * moved_s,
                1e3 * ours_s,
                f"gap {moved.gap_:.0e}",
                10.0,
            )
        if m == SIZES[0]:
            exact_s, exact = once(lambda X=X, y=y: SVC(C=1.0, gamma=GAMMA, cache_size=1000).fit(X, y))
            quality = f"{reached}; SVC's {exact.score(X_test, y_test):.4f}"
            yield Row(
                f"LDM, {m:,} rows, {LANDMARKS} landmarks", "SVC, exact", 1e3 * ours_s, 1e3 * exact_s, quality, 20.0
            )
        few_s, few_rows = once(lambda X=X, y=y: LDM(1.0, 1.0, 1.0, gamma=GAMMA).fit(X[:SUBSAMPLE], y[:SUBSAMPLE]))
        quality = f"{reached}; the subsample's {few_rows.score(X_test, y_test):.4f}"
        yield Row(
            f"LDM, {m:,} rows, {LANDMARKS} landmarks", f"LDM on {SUBSAMPLE:,} rows", 1e3 * ours_s, 1e3 * few_s, quality
        )
    slope = np.log(cold[1] / cold[0]) / np.log(SIZES[1] / SIZES[0])
    yield Row("log-log slope of time against rows, LDM", "1.1", 1e3 * slope, 1.1e3, f"slope {slope:.2f}", 1.0)
    X, y, X_test, y_test = made(1_000_000)
    ours_s, svm = once(lambda: SVM(1.0, kernel="linear").fit(X, y))
    peer_s, peer = once(lambda: LinearSVC(C=1.0, dual=False).fit(X, y))
    quality = (
        f"test accuracy {svm.score(X_test, y_test):.4f}, gap {svm.gap_:.0e}; peer's {peer.score(X_test, y_test):.4f}"
    )
    yield Row("linear SVM, 1,000,000 × 20", "LinearSVC, squared hinge", 1e3 * ours_s, 1e3 * peer_s, quality, 1.0)


def once(call: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def nystroem() -> Any:
    return make_pipeline(
        Nystroem(gamma=GAMMA, n_components=LANDMARKS, random_state=0), LinearSVC(loss="hinge", C=1.0, max_iter=2000)
    )


def made(m: int, d: int = 20) -> tuple[Any, Any, Any, Any]:
    """A rule that bends, on a few of the features, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m + 20_000, d))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3]
    y = np.where(f + 0.5 * rng.normal(size=len(X)) > 0.0, 1, -1)
    return X[:m], y[:m], X[m:], y[m:]
