"""The machines against scikit-learn's for the same problem, from 500 to 8,000 rows, and on large linear problems.

SVM and SVC, SVRClassifier and SVR stop at tolerance 1e-3 in their own measures, over random settings of C, gamma and
noise. Ours is the relative duality gap; libsvm's is the largest violation of an optimality condition, which leaves
relative gaps of about 1e-3 and less. The row shows the median and the smallest ratio of processor times. Linear models
are compared by their test accuracy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import numpy as np
from sklearn.datasets import make_classification, make_moons
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import SVC, SVR, LinearSVC

from benchmarks.linear import dense
from benchmarks.timing import Row, measure, processor_seconds
from mdcore import EMAMC, LSSVM, SVM, LinearLDM, SVRClassifier

SIZES = (500, 1000, 2000, 4000, 8000)
SETTINGS = 12
NEVER_UNDER = 1.0 / 3.0


def rows() -> Iterator[Row]:
    for m in SIZES:
        yield _svm(m)
    for m in SIZES[:4]:
        yield _svr(m)
    yield _few_support(50_000)
    for m in SIZES[2:4]:
        yield _emamc(m)
    yield from _linear()


def _svm(m: int) -> Row:
    def fits(X: Any, y: Any, C: float, gamma: float) -> Iterator[Callable[[], Any]]:
        yield lambda: SVM(C=C, gamma=gamma, tol=1e-3).fit(X, y)
        yield lambda: SVC(C=C, gamma=gamma, tol=1e-3).fit(X, y)

    return _over_settings(f"SVM, rbf, m = {m}", "SVC", m, fits)


def _svr(m: int) -> Row:
    def fits(X: Any, y: Any, C: float, gamma: float) -> Iterator[Callable[[], Any]]:
        yield lambda: SVRClassifier(C=C, gamma=gamma, tol=1e-3).fit(X, y)
        yield lambda: SVR(C=C, gamma=gamma, tol=1e-3).fit(X, 2.0 * y - 1.0)

    return _over_settings(f"SVR, rbf, m = {m}", "SVR", m, fits)


def _over_settings(what: str, peer: str, m: int, fits: Callable[..., Iterator[Callable[[], Any]]]) -> Row:
    rng = np.random.default_rng(0)
    ours, ratios = [], []
    for i in range(SETTINGS):
        C, gamma, noise = 10 ** rng.uniform(-2, 3), 10 ** rng.uniform(-2, 1.5), rng.choice([0.1, 0.2, 0.4])
        if i % 3:
            X, y = make_moons(m, noise=noise, random_state=i)
        else:
            X, y = make_classification(m, 10, flip_y=noise / 4, random_state=i)
            gamma /= 10
        mine, theirs = (processor_seconds(fit)[0] for fit in fits(X, y, C, gamma))
        ours.append(mine)
        ratios.append(theirs / mine)
    middle = median(ours)
    quality = f"median of {SETTINGS} settings of C, γ and noise, tolerance 1e-3; the smallest is {min(ratios):.2g}"
    return Row(what, peer, 1e3 * middle, 1e3 * middle * median(ratios), quality, 1.0)


def _few_support(m: int) -> Row:
    X, y = make_moons(m, noise=0.1, random_state=0)
    ours_ms, ours = measure(lambda _: SVM(C=10.0, gamma=1.0, tol=1e-3).fit(X, y), repeat=3)
    peer_ms, _ = measure(lambda _: SVC(C=10.0, gamma=1.0, tol=1e-3).fit(X, y), repeat=3)
    quality = f"gap {ours.gap_:.0e}, {len(ours.support_)} support vectors, no Gram matrix"
    return Row(f"SVM, rbf, m = {m:,}", "SVC", ours_ms, peer_ms, quality, NEVER_UNDER)


def _emamc(m: int) -> Row:
    """Compare with the machine that needs only one factorisation of the same size."""
    X, y = make_moons(m, noise=0.3, random_state=0)
    ours_ms, ours = measure(lambda _: EMAMC(gamma=1.0).fit(X, y), repeat=3)
    peer_ms, _ = measure(lambda _: LSSVM(gamma=1.0).fit(X, y), repeat=3)
    return Row(f"EMAMC, rbf, m = {m}", "LSSVM, ours", ours_ms, peer_ms, f"gap {ours.gap_:.0e}", 0.7)


def _linear() -> Iterator[Row]:
    X, y, X_test, y_test = dense()
    peers = (LinearSVC(C=1.0), SGDClassifier(average=True, random_state=0), LogisticRegression())
    for name, machine in (("SVM", SVM(kernel="linear", C=1.0, tol=1e-3)), ("LinearLDM", LinearLDM())):
        ours_ms, ours = measure(lambda _, machine=machine: machine.fit(X, y), repeat=2)
        for peer in peers:
            peer_ms, fitted = measure(lambda _, peer=peer: peer.fit(X, y), repeat=1)
            quality = f"test accuracy {ours.score(X_test, y_test):.4f}, peer's {fitted.score(X_test, y_test):.4f}"
            yield Row(f"{name}, linear, 500,000 × 50", type(peer).__name__, ours_ms, peer_ms, quality, 1.0)
