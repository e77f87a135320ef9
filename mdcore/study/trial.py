"""One method on one split: prepare, choose the parameters, fit, judge."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import clone

from mdcore.data import feature_names
from mdcore.kernels import Kernel, resolve_gamma
from mdcore.margin import MarginDistribution, Scale, margins_of, rescale
from mdcore.methods.one_versus_rest import new_estimator
from mdcore.space import KernelSpace
from mdcore.spec import Method
from mdcore.study.data import Data
from mdcore.study.plan import Candidate, Plan, Rows
from mdcore.study.scores import area_under_curve, confusion, scores

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Result:
    """What one method made of one split. Margins are functional: training ones of the `n_fit` rows fitted on."""

    key: str
    split: int
    params: dict[str, Any]
    scores: dict[str, float]
    confusion: NDArray[np.intp]
    train: Array
    test: Array
    norm: float
    n_fit: int
    n_train: int
    seconds: float
    selection_seconds: float
    converged: bool
    gap: float

    def margins(self, part: str, scale: Scale) -> MarginDistribution:
        values = self.train if part == "train" else self.test
        return MarginDistribution(rescale(values, self.norm, scale), scale)


@dataclass(frozen=True)
class Failure:
    """Why a method could not be fitted on one split."""

    key: str
    split: int
    reason: str


@dataclass(frozen=True, eq=False)
class Part:
    """Prepared rows: some to fit on, others to judge by. The preparation saw only the first."""

    X_fit: Array
    y_fit: NDArray[Any]
    X_new: Array
    y_new: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model with its part of the data, as the pictures need it. `name` is what it is called."""

    method: Method
    name: str
    model: Any
    part: Part
    rows: Rows
    test: Rows
    features: tuple[str, ...]


Tick = Callable[[], None]


def try_split(data: Data, plan: Plan, candidate: Candidate, number: int, tick: Tick) -> Result | Failure:
    """`tick` is called after every fit."""
    begun = time.perf_counter()
    try:
        params, width = choose(data, plan, candidate, number, tick)
        selected = time.perf_counter() - begun
        part, *_ = split_part(data, plan, candidate, number)
        settings = params | _kernel_settings(plan, candidate, part.X_fit, width)
        begun = time.perf_counter()
        model = _estimator(plan, candidate, part, settings).fit(part.X_fit, part.y_fit)
        seconds = time.perf_counter() - begun
        tick()
    except ValueError as error:
        return Failure(candidate.key, number, str(error))
    classes = model.classes_
    f = model.decision_function(part.X_new)
    predicted, margins = judged(model, part, f)
    counts = confusion(part.y_new, predicted, classes)
    auc = area_under_curve(part.y_new, f, classes)
    positive = len(classes) - 1 if plan.positive is None else int(np.searchsorted(classes, plan.positive))
    return Result(
        key=candidate.key,
        split=number,
        params=settings,
        scores=scores(counts, auc, positive),
        confusion=counts,
        train=model.margins(part.X_fit, part.y_fit),
        test=margins,
        norm=float(model.norm_),
        n_fit=len(part.y_fit),
        n_train=len(data.y) - len(part.y_new),
        seconds=seconds,
        selection_seconds=selected if plan.is_tuned(candidate) else 0.0,
        converged=bool(model.converged_),
        gap=float(model.gap_),
    )


def judged(model: Any, part: Part, f: Array) -> tuple[NDArray[Any], Array]:
    """Predicted classes and functional margins of the rows to judge by.

    Both are a matter of the decisions f, which for a kernel method take longer than the fit where rows are many.
    """
    predicted = f.argmax(axis=1) if f.ndim > 1 else (f > 0).astype(np.intp)
    return model.classes_[predicted], margins_of(f, np.searchsorted(model.classes_, part.y_new))


def refit(data: Data, plan: Plan, result: Result) -> Fitted:
    """The model of a result, which holds its parameters but not the model."""
    candidate = plan.candidate(result.key)
    part, rows, test, features = split_part(data, plan, candidate, result.split)
    model = _estimator(plan, candidate, part, result.params).fit(part.X_fit, part.y_fit)
    return Fitted(candidate.method, plan.name(result.key, len(model.classes_)), model, part, rows, test, features)


def split_part(data: Data, plan: Plan, candidate: Candidate, number: int) -> tuple[Part, Rows, Rows, tuple[str, ...]]:
    """The prepared rows of one split, which rows they are, and what the prepared columns are called."""
    rows, test = plan.parts(candidate.method, data.y, number)
    part, features = prepared(data, plan, candidate, rows, test)
    return part, rows, test, features


def choose(data: Data, plan: Plan, candidate: Candidate, number: int, tick: Tick) -> tuple[dict[str, Any], float]:
    """Parameters and width of the best mean score over stratified folds of the training part; ties go to the first.

    The preparation is fitted anew in each fold, so that no row is judged by what was computed from it.
    """
    choices, widths = plan.choices(candidate), plan.widths_for(candidate.method)
    if not plan.is_tuned(candidate):
        return choices[0], widths[0]
    from sklearn.model_selection import StratifiedKFold

    rows, _ = plan.parts(candidate.method, data.y, number)
    if np.unique(data.y[rows], return_counts=True)[1].min() < plan.folds:
        raise ValueError(f"A class has fewer than {plan.folds} of the {len(rows)} rows to choose parameters on.")
    folds = StratifiedKFold(plan.folds, shuffle=True, random_state=plan.seed + number)
    reached = np.zeros((len(widths), len(choices)))
    for inner, held_out in folds.split(rows, data.y[rows]):
        part, _ = prepared(data, plan, candidate, rows[inner], rows[held_out])
        for i, width in enumerate(widths):
            fit_one = _fitter(plan, candidate, part, width)
            for j, params in enumerate(choices):
                model = fit_one(params)
                counts = confusion(part.y_new, model.predict(part.X_new), model.classes_)
                reached[i, j] += scores(counts, np.nan, 0)[plan.criterion]
                tick()
    # Sums of equal scores differ in their last bit when the folds add up in another order: rounded, they tie.
    best = int(np.argmax(reached.round(9)))
    return choices[best % len(choices)], widths[best // len(choices)]


def prepared(
    data: Data, plan: Plan, candidate: Candidate, fit_rows: Rows, new_rows: Rows
) -> tuple[Part, tuple[str, ...]]:
    """The part, and what its columns are called."""
    preparation = clone(data.preparation)
    X_fit = _dense(preparation.fit_transform(data.rows(fit_rows), data.y[fit_rows]))
    X_new = _dense(preparation.transform(data.rows(new_rows)))
    if candidate.method.kernels or plan.nystroem == 0:
        return Part(X_fit, data.y[fit_rows], X_new, data.y[new_rows]), _names(
            preparation, data.features, X_fit.shape[1]
        )
    features = _nystroem(plan, X_fit)
    part = Part(features.fit_transform(X_fit), data.y[fit_rows], features.transform(X_new), data.y[new_rows])
    return part, tuple(f"Nystroem {i + 1}" for i in range(part.X_fit.shape[1]))


def _fitter(plan: Plan, candidate: Candidate, part: Part, width: float) -> Callable[[dict[str, Any]], Any]:
    """Fits with one set of parameters after the other. Kernel methods share the kernel matrix of the part."""
    method = candidate.method
    settings = _kernel_settings(plan, candidate, part.X_fit, width)
    if not method.kernels:
        return lambda params: _estimator(plan, candidate, part, params | settings).fit(part.X_fit, part.y_fit)
    space = KernelSpace(part.X_fit, _kernel(plan, part.X_fit, width))
    return lambda params: _estimator(plan, candidate, part, params | settings).fit_space(space, part.y_fit)


def _estimator(plan: Plan, candidate: Candidate, part: Part, settings: dict[str, Any]) -> Any:
    return new_estimator(candidate.method, len(np.unique(part.y_fit)), plan.several, settings)


def _kernel(plan: Plan, X_fit: Array, width: float) -> Kernel:
    key = plan.kernel
    return key.kernel(1.0 if key.name == "linear" else resolve_gamma(key.gamma, X_fit) * width)


def _kernel_settings(plan: Plan, candidate: Candidate, X_fit: Array, width: float) -> dict[str, Any]:
    """The kernel as parameters of the estimator, as far as it has them."""
    settings: dict[str, Any] = {"fit_intercept": plan.kernel.bias}
    if candidate.method.kernels:
        kernel = _kernel(plan, X_fit, width)
        settings |= {"kernel": kernel.name, "gamma": kernel.gamma, "degree": kernel.degree, "coef0": kernel.coef0}
    known = candidate.method.estimator().get_params()
    return {name: value for name, value in settings.items() if name in known}


def _nystroem(plan: Plan, X_fit: Array) -> Any:
    from sklearn.kernel_approximation import Nystroem

    key = plan.kernel
    if key.name == "linear":
        raise ValueError(
            "A Nystroem map approximates a kernel that bends: choose rbf, poly or laplacian, or 0 features."
        )
    some = X_fit[:: max(1, len(X_fit) // plan.kernel_rows)]  # 'distance' looks at all pairs: a thinned sample will do
    gamma = resolve_gamma(key.gamma, some)
    extra = {"degree": key.degree, "coef0": key.coef0} if key.name == "poly" else {}
    size = min(plan.nystroem, len(X_fit))
    return Nystroem(kernel=key.name, gamma=gamma, n_components=size, random_state=plan.seed, **extra)


def _dense(X: Any) -> Array:
    return np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.float64)


def _names(preparation: Any, features: tuple[str, ...], columns: int) -> tuple[str, ...]:
    if "columns" in getattr(preparation, "named_steps", {}):
        return feature_names(preparation)
    try:
        names = tuple(map(str, preparation.get_feature_names_out(features or None)))
    except (AttributeError, ValueError):  # a transformer of the user's own need not say
        names = ()
    return names if len(names) == columns else tuple(f"column {i + 1}" for i in range(columns))
