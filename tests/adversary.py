"""Checks of the claims of fits at both ends of every slider, for all methods, kernels, and raw and scaled data.

`python -m tests.adversary` (`make adversary`) runs some 26,000 fits; the tests run a sample of them. A fit that claims
to have converged is checked independently, with its coefficients in extended precision and the problem as its record
states it. A claim is false if ||w|| is off by more than 1e-6, if the objective does not match the margins, if w = 0 or
a shorter or longer w is better by more than the gap, or if the gap is negative. On few rows the optimum is computed
with forty digits, and a gap that is smaller than the distance to it is false, too.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

from mdcore import METHODS
from mdcore.margins.distribution import margins_of
from mdcore.spec import Choice
from tests.optimum import KNOWN, distance

ROWS, FEW = 60, 14
NORM = 1e-6
SLACK = 1e-6  # of the terms of the objective, in addition to the gap
LAST_DIGITS = 1e-6  # of a gap
SHARES = (0.0, 0.5, 0.9, 0.999, 1.001, 1.1)
KERNELS = (
    {"kernel": "linear"},
    {"kernel": "rbf", "gamma": "scale"},
    {"kernel": "rbf", "gamma": 100.0},
    {"kernel": "rbf", "gamma": 1e-4},
    {"kernel": "laplacian", "gamma": 0.5},
    {"kernel": "poly", "degree": 1, "gamma": 352.0},
    {"kernel": "poly", "degree": 2, "coef0": 0.0},
    {"kernel": "poly", "degree": 3},
    {"kernel": "poly", "degree": 4, "gamma": 0.01, "coef0": 0.0},
    {"kernel": "laplacian", "gamma": 20.0},
    {"kernel": "poly", "degree": 6, "gamma": 1.0},
    {"kernel": "poly", "degree": 8, "coef0": 0.0},
)


@dataclass(frozen=True)
class Case:
    method: str
    data: str
    kernel: tuple[tuple[str, Any], ...]
    params: tuple[tuple[str, Any], ...]


def samples() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    moons, y_moons = make_moons(ROWS, noise=0.3, random_state=0)
    cancer, y_cancer = load_breast_cancer(return_X_y=True)
    wine, y_wine = load_wine(return_X_y=True)
    iris, y_iris = load_iris(return_X_y=True)
    outlier = np.r_[rng.normal(size=(ROWS, 3)), [[1e3, -1e3, 1e3]]]
    some = rng.permutation(150)[:ROWS]
    found = {
        "moons": (moons, y_moons),
        "twice": (np.r_[moons[:20], moons[:20]], np.r_[y_moons[:20], 1 - y_moons[:20]]),
        "cancer, raw": (cancer[:ROWS], y_cancer[:ROWS]),
        "cancer": (StandardScaler().fit_transform(cancer)[:ROWS], y_cancer[:ROWS]),
        "wine, raw": (wine[some], (y_wine[some] > 0).astype(int)),
        "outlier": (outlier, np.r_[(outlier[:ROWS, 0] > 0).astype(int), 0]),
        "shifted": (moons + 1e4, y_moons),
        "one feature": (moons[:, :1], y_moons),
        "two rows": (moons[:2], np.array([0, 1])),
        "iris": (iris[some], y_iris[some]),
        "wine of three, raw": (wine[some], y_wine[some]),
        "blobs": make_blobs(ROWS, 4, centers=5, cluster_std=4.0, random_state=1),
    }
    return {name: (np.asarray(X, dtype=np.float64), np.asarray(y)) for name, (X, y) in found.items()}


def few_rows() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the samples of two classes, reduced to at most FEW rows."""
    rng, found = np.random.default_rng(1), {}
    for name, (X, y) in SAMPLES.items():
        if len(np.unique(y)) == 2:
            kept = rng.permutation(len(y))[:FEW]
            found[name + FEW_OF] = X[kept], y[kept]
    return found


FEW_OF = ", few rows"
SAMPLES = samples()
SAMPLES |= few_rows()


def cases() -> Iterator[Case]:
    """Yield every method with all combinations of the ends and the defaults of its sliders."""
    for key, method in METHODS.items():
        ends = []
        for p in method.params:
            if isinstance(p, Choice):
                ends.append([(p.name, option) for option in p.options])
            else:
                low = 0.0 if p.slider.zero else p.slider.low
                kind = int if p.integer else float
                high = min(p.slider.high, 400) if p.integer else p.slider.high
                ends.append([(p.name, kind(value)) for value in dict.fromkeys((low, p.default, high))])
        for data, (_, y) in SAMPLES.items():
            if (len(np.unique(y)) > 2 and not method.multiclass) or (data.endswith(FEW_OF) and key not in KNOWN):
                continue
            for kernel in KERNELS if method.kernels else ({},):
                for params in product(*ends):
                    yield Case(key, data, tuple(kernel.items()), params)


def judge(case: Case) -> str:
    """Return the false claim of a fit, "" if there is none, or "refused" if the method raised a ValueError."""
    method, (X, y) = METHODS[case.method], SAMPLES[case.data]
    chosen = dict(case.params)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model = method.estimator(**chosen, **dict(case.kernel)).fit(X, y)
        except ValueError:
            return "refused"
    if model.gap_ < 0.0:
        return f"a gap of {model.gap_:.1e}"
    if not model.converged_:
        return "not converged"
    exact = Exact(model, X, y)
    voted = getattr(model, "voting", False) and len(model.classes_) > 2
    if (
        not voted
        and method.space == "kernel"
        and np.isfinite(exact.norm)
        and abs(exact.norm - model.norm_) > NORM * exact.norm
    ):
        return f"a norm of {model.norm_:.8g} that is {exact.norm:.8g}"
    if method.certificate == "none" or case.method in ("komd", "emamc", "mamc") or hasattr(model, "binary_coef_"):
        return ""
    value, size = exact.value(method, chosen, 1.0)
    if not abs(value - model.objective_) <= (model.gap_ + SLACK) * size:
        return f"an objective of {model.objective_:.10g} that is {value:.10g}"
    for share in SHARES:
        other, _ = exact.value(method, chosen, share)
        if other < value - (model.gap_ + SLACK) * size:
            return f"{share} w is better: {other:.10g} and not {value:.10g}, gap {model.gap_:.1e}"
    if case.data.endswith(FEW_OF):
        far = distance(model, case.method, chosen, X, y)
        if far > (1.0 + LAST_DIGITS) * model.gap_:
            return f"a gap of {model.gap_:.3e} that is {far:.3e}"
    return ""


class Exact:
    """The scores and the norm of a model, from its coefficients, in extended precision."""

    def __init__(self, model: Any, X: np.ndarray, y: np.ndarray) -> None:
        self.model = model
        self.codes = np.searchsorted(model.classes_, y)
        long = X.astype(np.longdouble)
        if model.is_linear:
            W = np.atleast_2d(model.coef_).astype(np.longdouble)
            b = np.atleast_1d(model.intercept_).astype(np.longdouble)
            inside = METHODS[_key(model)].bias == "feature"
            self.scores, self.shift = long @ W.T + (b if inside else 0), 0.0 if inside else float(b[0])
            square = (W**2).sum() + ((b**2).sum() if inside else 0)
            p_norm = METHODS[_key(model)].family == "online"
            self.norm = np.nan if p_norm else float(np.sqrt(square))
        else:
            a = model.dual_coef_.reshape(len(X), -1).astype(np.longdouble)
            G = model.kernel_.extended_precision(model.X_fit_, model.X_fit_)
            self.scores, self.shift = G @ a, float(model.offset_)
            square = float((a * self.scores).sum())
            hidden = 8.0 * float(np.finfo(np.longdouble).eps) * float((np.abs(a) * (np.abs(G) @ np.abs(a))).sum())
            known = square > 0.0 and hidden <= 1e-7 * square and METHODS[_key(model)].space == "kernel"
            self.norm = float(np.sqrt(square)) if known else np.nan

    def value(self, method: Any, chosen: dict[str, Any], share: float) -> tuple[float, float]:
        """Return the objective of a multiple of w, and the sum of the absolute values of its terms."""
        f = share * self.scores.astype(np.float64)
        f = f[:, 0] + self.shift if f.shape[1] == 1 else f
        if f.ndim == 2 and f.shape[1] == 2:
            f = f[:, 1] - f[:, 0]
        margins, norm = margins_of(f, self.codes), share * self.model.norm_
        value = method.objective(margins, norm, **chosen)
        terms = method.terms(margins, norm, **chosen).values() if method.terms else (value,)
        return value, float(sum(abs(term) for term in terms))


def _key(model: Any) -> str:
    return next(key for key, method in METHODS.items() if method.estimator is type(model))


def main() -> int:
    parser = argparse.ArgumentParser(description="Every fit of the walk, or one in so many.")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()
    counts: dict[str, int] = {}
    lies = 0
    for number, case in enumerate(cases()):
        if number % options.every != options.first:
            continue
        verdict = judge(case)
        kind = verdict if verdict in ("", "refused", "not converged") else "lies"
        counts[kind] = counts.get(kind, 0) + 1
        if kind == "lies":
            lies += 1
            print(f"{case}: {verdict}", flush=True)
    told = {"": "hold", "refused": "refused in words", "not converged": "say they did not converge", "lies": "lie"}
    print(f"{sum(counts.values()):,} fits: " + ", ".join(f"{n:,} {told[kind]}" for kind, n in counts.items()))
    return 1 if lies else 0


if __name__ == "__main__":
    sys.exit(main())
