"""PUMMA: online learning of approximate maximum p-norm margin classifiers with bias (Ishibashi et al. 2009)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import eye_array
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from mdcore.margins.bounds import CountBound, update_bound
from mdcore.methods import distances
from mdcore.methods.fit_result import FitResult, Sample, Weights
from mdcore.methods.kernel_machine import KernelMachine
from mdcore.methods.online.base import OnlineLearner, P, Update, append, fraction, hard_objective, mark_shortfall
from mdcore.methods.online.trace import Trace
from mdcore.solvers.arrays import Array
from mdcore.solvers.certificate import EPS, grown
from mdcore.solvers.learner import Learner
from mdcore.solvers.pnorm import row_norms
from mdcore.solvers.pumma import KernelPumma, Pumma
from mdcore.solvers.rows import Matrix
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Interval, Method, Paper, Param, Search, Setting, Slider, Work

SOFT = Param(
    "soft",
    "λ",
    0.0,
    Interval(0, np.inf, open_high=True),
    Slider(2**-10, 2**10, log=True, zero=True),
    "2-norm soft margin, for p = 2: λ is added to k(x, x) of every example, which makes all data separable. 0 is the "
    "hard margin, which is reached on separable data only.",
    grid=(1.0,),
    search=Search((0.01, 0.1, 1.0, 10.0), first=(1.0,), grows=True),
)


@dataclass(frozen=True, eq=False)
class PairUpdate(Update):
    """An update with its pair: w solves the relaxed problem (3) for this pair and the w of the previous update."""

    x_pos: Array
    x_neg: Array


@dataclass(eq=False, repr=False)
class PUMMA(OnlineLearner, KernelMachine):
    """PUMMA: min 1/2 ||w||_q^2 subject to y_i (w.x_i + b) >= 1 (Eq. 1), to within a fraction `delta` of the largest
    p-norm margin.

    It is linear for any p >= 2, with dense or sparse rows; for p = 2 it also takes a kernel, and the 2-norm soft margin
    k(x_i, x_j) + soft [i = j]. The bias is that of Eq. (16) for every kernel; with `fit_intercept=False` there is no
    bias, and the pair is a single example, as in ROMMA. `margin_` includes the features of the soft margin, in whose
    space the guarantee holds; `norm_` and geometric margins do not. `update_bound_` is the bound of Theorem 2 on
    `n_updates_`, for the hyperplane reached, with `radius_` as its R = max ||x||_p.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (P, fraction("delta", "δ", "PUMMA"), SOFT)
    work: ClassVar[Work] = Work(passes=300.0, cubes=0.0)
    own_bias: ClassVar[bool] = True

    p: float = 2.0
    delta: float = 0.1
    soft: float = 0.0
    kernel: str = field(default="linear", kw_only=True)
    gamma: float | str = field(default="scale", kw_only=True)
    degree: int = field(default=3, kw_only=True)
    coef0: float = field(default=1.0, kw_only=True)

    def _can_stream(self) -> bool:
        if self.kernel != "linear" or self.soft != 0.0:
            raise AttributeError(
                f"PUMMA: partial_fit needs kernel='linear' and soft=0; got kernel={self.kernel!r}, soft={self.soft!r}. "
                "Use fit instead."
            )
        return True

    @available_if(_can_stream)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> PUMMA:
        """Make one pass over a batch of a stream; only for the linear kernel and soft = 0, which keep no examples."""
        return super().partial_fit(X, y, classes)

    def _begin(self, X: ArrayLike, y: ArrayLike) -> tuple[Learner, Any, Array]:
        if self.kernel == "linear":
            return super()._begin(X, y)
        rows = self._check_rows(X, reset=True)
        signs = self._check_labels(y, rows.shape[0])
        self._settings_for(self.kernel)
        return self._begin_in(self._space_of(rows, None), signs)

    @property
    def guaranteed_share(self) -> float:
        return 1.0 - self.delta

    def update_bound(self, margin: float) -> CountBound:
        """Return the bound of Theorem 2 for a hyperplane with this margin on the rows; the largest margin gives the
        smallest bound."""
        return update_bound(p=self.p, delta=self.delta, R=self.radius_, margin=margin)

    def trace_space(self, space: KernelSpace, y: ArrayLike) -> Trace:
        """Return the run of `fit_space(space, y)`. The estimator itself is not changed."""
        model = clone(self)
        model.n_features_in_ = space.rows.shape[1]
        learner, features, signs = model._begin_in(space.plain, model._check_labels(y, len(space)))
        return Trace(model, learner, features, signs, model._limit())

    def _solve(self, sample: Sample) -> FitResult:
        return self._learned(*self._begin_in(sample.space, sample.labels))

    def _begin_in(self, space: KernelSpace, signs: Array) -> tuple[Learner, Any, Array]:
        chosen = self._settings_for(space.kernel.name)
        self.kernel_, self.X_fit_ = space.kernel, space.rows
        if space.kernel.name == "linear":
            return self._new_learner(space.rows, chosen, space.kernel), self._features(space.rows), signs
        learner = KernelPumma(len(space), delta=chosen["delta"], soft=chosen["soft"], bias=bool(self.fit_intercept))
        return learner, space.gram, signs

    def _settings_for(self, kernel: str) -> dict[str, Any]:
        """Return the parameters; raise ValueError if they cannot be combined with this kernel."""
        chosen = self.settings()
        if reason := conflict(chosen, kernel):
            raise ValueError(reason)
        return chosen

    def _new_learner(self, rows: Matrix, chosen: dict[str, Any], kernel: Kernel | None = None) -> Learner:
        self._settings_for("linear")
        self.kernel_ = self._kernel(rows, None) if kernel is None else kernel
        d = rows.shape[1] + (rows.shape[0] if chosen["soft"] else 0)
        return Pumma(d, p=chosen["p"], delta=chosen["delta"], bias=bool(self.fit_intercept))

    def _features(self, rows: Matrix) -> Matrix:
        """Return the rows; with a soft margin, every example gets an additional feature whose square is `soft`."""
        return append(rows, np.sqrt(self.soft) * eye_array(rows.shape[0], format="csr")) if self.soft else rows

    def _weights(self, w: Array) -> Array:
        """Return w without the additional features of the soft margin."""
        return w[: self.n_features_in_].copy() if self.kernel_.name == "linear" else w.copy()

    def _length(self, learner: Learner) -> float:
        return learner.length(learner.w)

    def _model(self, learner: Any, features: Any, signs: Array) -> tuple[Weights, float, dict[str, Any]]:
        w, b = self._weights(learner.w), learner.b
        if self.kernel_.name == "linear":
            f, norm = features[:, : len(w)] @ w, learner.length(w)
            radius = float(row_norms(features, learner.p).max())
            error, apart = EPS * grown(len(w)), distances.between_two(norm)
            weights = Weights(norm, radius, error, self.kernel_, coef=w[None, :], intercept=np.zeros(1), apart=apart)
        else:
            space = KernelSpace(self.X_fit_, self.kernel_, gram=features)
            radius = float(np.sqrt(max(np.diagonal(features).max() + self.soft, 0.0)))
            found, weights = Weights.of(space, w)
            f = found.scores
        value = objective(signs * (f + b), weights.norm, p=learner.p, delta=self.delta, soft=self.soft)
        margin = self._margin(learner, features, signs)
        bound = update_bound(p=self.p, delta=self.delta, R=radius, margin=margin).value
        return replace(weights, reach=radius).with_bias(b), value, {"radius_": radius, "update_bound_": bound}

    def _record(self, learner: Any, example: int, margin: float) -> Update:
        state = (learner.updates, example, self._weights(learner.w), learner.b, margin)
        if not self.fit_intercept:
            return Update(*state)
        x_pos, x_neg = (
            learner.pair[:, : self.n_features_in_].copy()
            if self.kernel_.name == "linear"
            else self.X_fit_[learner.rows_of_pair]
        )
        return PairUpdate(*state, x_pos, x_neg)

    def _remedy(self) -> str:
        return "" if self.soft else " (with p = 2, soft > 0 makes them so, and a kernel may)"


def objective(margins: Array, norm: float, *, p: float, delta: float, soft: float) -> float:
    """Return `hard_objective` if soft = 0, else 1/2 ||w||^2 + sum_i (1 - g_i)_+^2 / (2 soft)."""
    if soft == 0.0:
        return hard_objective(margins, norm)
    return float(0.5 * norm**2 + np.sum(np.maximum(1.0 - margins, 0.0) ** 2) / (2.0 * soft))


def conflict(params: Mapping[str, Any], kernel: str) -> str:
    """Return why the parameters cannot be combined with the kernel, or "": kernels and the soft margin need p = 2."""
    if params["p"] == 2.0 or (kernel == "linear" and params["soft"] == 0.0):
        return ""
    return (
        f"PUMMA: kernels and the soft margin require p = 2; got p={params['p']:g} with kernel={kernel!r} and "
        f"soft={params['soft']:g}. Set p=2, or kernel='linear' and soft=0."
    )


METHOD = Method(
    key="pumma",
    name="PUMMA",
    summary="Largest p-norm margin online, with a free bias: each update solves a relaxed problem for one pair.",
    estimator=PUMMA,
    latex=(
        r"\min_{w,b} \tfrac12\|w\|_q^2 \;\text{ s.t. }\; w\cdot x^{pos}+b\ge 1,\; w\cdot x^{neg}+b\le -1,\;"
        r" w\cdot f(w_{t-1})\ge\|w_{t-1}\|_q^2"
    ),
    objective=objective,
    paper=Paper(
        "K. Ishibashi, K. Hatano, M. Takeda",
        "Online learning of approximate maximum p-norm margin classifiers with bias",
        "2009",
        "Eqs. (1), (3), (12)-(16); Theorem 2",
    ),
    color="#3355FF",
    marks=partial(mark_shortfall, "margin of the pair"),
    limits="As δ → 0, the hard-margin SVM in the p-norm with a free bias; without the bias, for p = 2, ROMMA.",
    support="examples that made an update",
    certificate="none",
    bias="own",
    bound=r"Theorem 2: at most $2(p-1)R^2/(\delta\gamma)^2$ updates; $R$: the largest $p$-norm of a row, $\gamma$: the "
    r"largest margin.",
    complexity="Linear: O(nonzeros) per example, O(d) per update; kernel: O(m) per update, plus the Gram matrix.",
    family="online",
    conflict=conflict,
)
