"""Kernel machines on many rows: LDM with landmarks against Nystroem + LinearSVC, exact SVC and a subsample.

Also a linear SVM against LinearSVC. C and γ are chosen by cross-validation of the exact SVC on 4,000 training rows and
are the same for every side. Two data sets are generated: a nonlinear rule on isotropic features, the hardest case for
landmarks, and scikit-learn's `make_classification` with defaults. If MARGIN_LAB_DATA names a folder with adult, magic
and letter, these are used too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import copy
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits

from benchmarks.timing import Row
from mdcore import LDM, SVM, load_dataset
from mdcore.data.sources.folder import PREFIX, folder_sources
from mdcore.experiment.query import KernelKey
from mdcore.study import Candidate, Data, Plan, decide

LANDMARKS = 256
CHOSEN_ON, FOLDS = 4000, 3
PRICES = (0.25, 1.0, 4.0, 16.0, 64.0)
WIDTHS = (0.0625, 0.25, 1.0, 4.0)  # γ times the number of features
SIZES = (20_000, 100_000, 1_000_000)
MOST_FOR_SVC, MOST_FOR_HINGE = 20_000, 100_000
MOVED_AT = 100_000
SUBSAMPLE, SPLITS = 2000, 10
MORE_LANDMARKS = (512, 1024)  # also timed against SVC, to show how its accuracy is approached
ROOM = 4.0  # GiB at the largest size
SOON = 2.0  # seconds: faster calls are repeated


@dataclass(frozen=True, eq=False)
class Rows:
    """Training and test rows of two classes."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any

    def score(self, model: Any) -> float:
        return float(model.score(self.X_test, self.y_test))


@dataclass(frozen=True)
class Setting:
    """Parameters, the same for every side."""

    C: float
    gamma: float

    @property
    def said(self) -> str:
        return f"C = {self.C:g} and γ = {self.gamma:.3g} by SVC's cross-validation"


@dataclass(frozen=True)
class Fitted:
    """Times and results of a fit of LDM with landmarks."""

    seconds: float
    accuracy: float
    gap: float
    exact_seconds: float
    exact_gap: float

    @property
    def reached(self) -> str:
        far = f"≤ {100.0 * self.exact_gap:.3g} %" if self.exact_gap < 1.0 else "vacuous (above 100 %)"
        return f"test accuracy {self.accuracy:.4f}, gap {self.gap:.0e}, exact gap {far} in {self.exact_seconds:.1f} s"


def rows() -> Iterator[Row]:
    _compile()
    cold, setting = [], chosen(made(SIZES[0]))
    for m in SIZES:
        data, name = made(m), f"LDM, {m:,} rows"
        if m == SIZES[-1]:
            found, before, peak = _in_a_process_of_its_own(m, setting)
            quality = f"{peak:.2f} GiB with the exact gap, {before:.2f} GiB of it for the fit, the rows included"
            yield Row(f"{name}, {LANDMARKS} landmarks: memory", f"{ROOM:g} GiB", 1e3 * peak, 1e3 * ROOM, quality, 1.0)
        else:
            model, found = fitted(data, setting)
            if m == MOVED_AT:
                yield from _moved(data, model, found.seconds)
        cold.append(found.seconds)
        yield from _beside_peers(name, data, setting, found)
    slope = float(np.polyfit(np.log(SIZES), np.log(cold), 1)[0])
    yield Row("log-log slope of time against rows, LDM", "1.1", 1e3 * slope, 1.1e3, f"slope {slope:.2f}", 1.0)
    yield _linear(data)
    usual = make_usual(SIZES[0])
    setting = chosen(usual)
    yield from _beside_peers(f"LDM, make_classification, {SIZES[0]:,} rows", usual, setting, fitted(usual, setting)[1])
    yield from _real_sets()


def chosen(data: Rows) -> Setting:
    grid = {"C": PRICES, "gamma": [width / data.X.shape[1] for width in WIDTHS]}
    search = GridSearchCV(SVC(cache_size=500), grid, cv=FOLDS).fit(data.X[:CHOSEN_ON], data.y[:CHOSEN_ON])
    return Setting(**search.best_params_)


def fitted(data: Rows, setting: Setting) -> tuple[LDM, Fitted]:
    seconds, model = timed(lambda: machine(setting, LANDMARKS).fit(data.X, data.y))
    exact_seconds, exact_gap = once(lambda: model.exact_gap_)
    return model, Fitted(seconds, data.score(model), model.gap_, exact_seconds, exact_gap)


def _compile() -> None:
    """Compile everything that larger samples use, before anything is timed."""
    for m, landmarks in ((500, 10), (30_000, 40), (20_000, LANDMARKS)):  # the last in single precision
        machine(Setting(1.0, 0.05), landmarks).fit(*_first(made(m)))
    SVM(1.0, kernel="linear").fit(*_first(made(500)))


def _beside_peers(what: str, data: Rows, setting: Setting, ours: Fitted) -> Iterator[Row]:
    """Yield rows of LDM against its peers."""
    m, ms = len(data.y), 1e3 * ours.seconds
    name, make = ("LinearSVC", hinge) if m <= MOST_FOR_HINGE else ("LinearSVC, squared hinge", squared_hinge)
    peer_s, peer = timed(lambda: make(setting).fit(data.X, data.y))
    peers = f"peer's {data.score(peer):.4f}; {setting.said}"
    what = f"{what}, {LANDMARKS} landmarks"
    yield Row(what, f"Nystroem + {name}", ms, 1e3 * peer_s, f"{ours.reached}; {peers}", 1.0)
    if m <= MOST_FOR_SVC:
        exact_s, exact = timed(lambda: SVC(C=setting.C, gamma=setting.gamma, cache_size=1000).fit(data.X, data.y))
        best = data.score(exact)
        yield Row(what, "SVC, exact", ms, 1e3 * exact_s, f"{ours.reached}; SVC's {best:.4f}", 20.0)
        lost = best - ours.accuracy
        quality = (
            f"{100.0 * lost:.2f} % of the test rows lost; Nystroem + {name} loses "
            f"{100.0 * (best - data.score(peer)):.2f} %, LDM in the first {LANDMARKS} eigenvectors of the exact kernel "
            f"{100.0 * (best - _in_eigenvectors(data, setting)):.2f} %"
            + _of_more_landmarks(data, setting, exact_s, best)
        )
        yield Row(f"{what}: accuracy", "SVC's less 0.3 %", 1e3 * max(lost, 1e-4), 1e3 * 0.003, quality, 1.0)
    few_s, few = timed(lambda: machine(setting, None).fit(data.X[:SUBSAMPLE], data.y[:SUBSAMPLE]))
    quality = f"{ours.reached}; the subsample's {data.score(few):.4f}"
    yield Row(what, f"LDM on {SUBSAMPLE:,} rows", ms, 1e3 * few_s, quality)


def _of_more_landmarks(data: Rows, setting: Setting, exact_s: float, best: float) -> str:
    """Return the loss of accuracy against SVC and the speedup over it, for more landmarks."""
    said = []
    for count in MORE_LANDMARKS:
        seconds, model = timed(lambda n=count: machine(setting, n).fit(data.X, data.y))
        lost, faster = 100.0 * (best - data.score(model)), exact_s / seconds
        said.append(f"{count:,} landmarks lose {lost:.2f} % at {faster:.2g} times SVC's speed")
    return "; " + ", ".join(said)


def _in_eigenvectors(data: Rows, setting: Setting) -> float:
    """Return the accuracy in the best approximation of the exact kernel matrix with as many features."""
    X = data.X.astype(np.float32)
    U, values, _ = randomized_svd(rbf_kernel(X, gamma=setting.gamma), LANDMARKS, n_iter=3, random_state=0)
    root = np.sqrt(values)
    Z = rbf_kernel(data.X_test.astype(np.float32), X, gamma=setting.gamma) @ (U / root)
    model = LDM(1.0, 1.0, setting.C, kernel="linear").fit((U * root).astype(np.float64), data.y)
    return float(model.score(Z.astype(np.float64), data.y_test))


def _moved(data: Rows, model: Any, cold: float) -> Iterator[Row]:
    for name in ("lambda2", "C"):
        twice = 2.0 * getattr(model, name)
        moved_s, moved = timed(lambda n=name, v=twice: copy(model).set_params(**{n: v}).fit(data.X, data.y))
        what = f"LDM, {len(data.y):,} rows, {name} moved"
        yield Row(what, "the cold fit", 1e3 * moved_s, 1e3 * cold, f"gap {moved.gap_:.0e}", 10.0)


def _in_a_process_of_its_own(m: int, setting: Setting) -> tuple[Fitted, float, float]:
    """Fit in a new process; return the result, and the peak memory in GiB after the fit and at the end."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(_fitted_with_peaks, m, setting).result()


def _fitted_with_peaks(m: int, setting: Setting) -> tuple[Fitted, float, float]:
    with threadpool_limits(1):
        _compile()
        data = made(m)
        seconds, model = once(lambda: machine(setting, LANDMARKS).fit(data.X, data.y))
        before = _peak()
        exact_seconds, exact_gap = once(lambda: model.exact_gap_)
    return Fitted(seconds, data.score(model), model.gap_, exact_seconds, exact_gap), before, _peak()


def _peak() -> float:
    """Return the peak memory of this process in GiB. `getrusage` would include the parent's peak."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**20


def _real_sets() -> Iterator[Row]:
    known = folder_sources()
    for name, positive in (("adult", None), ("magic", None), ("letter", "N")):
        if PREFIX + name not in known:
            continue
        splits = [split_of(name, positive, seed) for seed in range(SPLITS)]
        setting = chosen(splits[0])
        if name == "adult":
            data = splits[0]
            part = Rows(data.X[:MOST_FOR_SVC], data.y[:MOST_FOR_SVC], data.X_test, data.y_test)
            yield from _beside_peers(f"LDM, adult, {len(part.y):,} rows", part, setting, fitted(part, setting)[1])
        yield from _beside_few(name, splits, setting)


def _beside_few(name: str, splits: Sequence[Rows], setting: Setting) -> Iterator[Row]:
    """Yield rows of LDM on all rows of each split, against LDM with the exact kernel on a subsample."""
    few = np.array([_scored(data, setting, None, SUBSAMPLE) for data in splits])
    advised = _advised(splits[0], setting)
    for count in sorted({LANDMARKS, advised, MORE_LANDMARKS[-1]}):
        ours = np.array([_scored(data, setting, count or None) for data in splits])
        gains = ours[:, 1] - few[:, 1]
        better = int((gains > 0.0).sum())
        quality = (
            f"better on {better} of {len(splits)} splits, by {100.0 * gains.mean():.2f} % of the test rows on average; "
            f"{ours[:, 0].mean():.1f} s against {few[:, 0].mean():.1f} s; {setting.said}"
            f"{'; the default of Compare' if count == advised else ''}"
        )
        how = f"{count:,} landmarks" if count else "exact"
        what = f"LDM, {name}, all rows, {how}: share of splits better than on {SUBSAMPLE:,}"
        yield Row(what, "0.8", 1e3 * 0.8, 1e3 * better / len(splits), quality, 1.0)


def _advised(data: Rows, setting: Setting) -> int:
    """Return the number of landmarks that Compare chooses by default; 0 for the exact kernel."""
    plan = Plan((Candidate.fixed("ldm"),), kernel=KernelKey("rbf", setting.gamma, 3, 1.0, True), test=0.3)
    whole = Data(np.vstack([data.X, data.X_test]), np.append(data.y, data.y_test), FunctionTransformer())
    return decide(whole, plan)[0].within.landmarks


def _scored(data: Rows, setting: Setting, landmarks: int | None, rows: int | None = None) -> tuple[float, float]:
    """Return the seconds of a fit and its accuracy."""
    seconds, model = once(lambda: machine(setting, landmarks).fit(data.X[:rows], data.y[:rows]))
    return seconds, data.score(model)


def _linear(data: Rows) -> Row:
    ours_s, svm = timed(lambda: SVM(1.0, kernel="linear").fit(data.X, data.y))
    peer_s, peer = timed(lambda: LinearSVC(C=1.0, dual=False).fit(data.X, data.y))
    quality = f"test accuracy {data.score(svm):.4f}, gap {svm.gap_:.0e}; peer's {data.score(peer):.4f}"
    what = f"linear SVM, {len(data.y):,} × {data.X.shape[1]}"
    return Row(what, "LinearSVC, squared hinge", 1e3 * ours_s, 1e3 * peer_s, quality, 1.0)


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Return the median seconds of a call, out of three calls if it is fast, and its last result."""
    spent, result = list[float](), None
    while len(spent) < 3 and (not spent or spent[0] < SOON):
        del result  # frees its memory for the next one
        seconds, result = once(call)
        spent.append(seconds)
    return median(spent), result


def once(call: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def machine(setting: Setting, landmarks: int | None) -> LDM:
    return LDM(1.0, 1.0, setting.C, gamma=setting.gamma, landmarks=landmarks, warm_start=landmarks is not None)


def hinge(setting: Setting) -> Any:
    return make_pipeline(nystroem(setting.gamma), LinearSVC(loss="hinge", C=setting.C, max_iter=2000))


def squared_hinge(setting: Setting) -> Any:
    return make_pipeline(nystroem(setting.gamma), LinearSVC(C=setting.C, dual=False))


def nystroem(gamma: float) -> Any:
    return Nystroem(gamma=gamma, n_components=LANDMARKS, random_state=0)


def made(m: int, d: int = 20) -> Rows:
    """Return a nonlinear rule on a few of the features, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(m + 20_000, d))
    f = np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3]
    y = np.where(f + 0.5 * rng.normal(size=len(X)) > 0.0, 1, -1)
    return Rows(X[:m], y[:m], X[m:], y[m:])


def make_usual(m: int) -> Rows:
    """Return scikit-learn's `make_classification` with its defaults, which have 20 features."""
    X, y = make_classification(m + 20_000, random_state=0)
    return Rows(X[:m], y[:m], X[m:], y[m:])


def split_of(name: str, positive: str | None, seed: int) -> Rows:
    """Return a random split of a set; with `positive`, the classes from `positive` on in sorted order form one
    class."""
    data = load_dataset(PREFIX + name)
    y = data.y if positive is None else np.asarray(data.y, dtype=str) >= positive
    parts = train_test_split(data.X, y, test_size=0.3, random_state=seed, stratify=y)
    scaler = StandardScaler().fit(parts[0])
    return Rows(scaler.transform(parts[0]), parts[2], scaler.transform(parts[1]), parts[3])


def _first(data: Rows) -> tuple[Any, Any]:
    return data.X, data.y
