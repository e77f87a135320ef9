"""Large scale linear LDM (Zhang & Zhou, KDD 2014, Eq. 14): Newton's method on a growing sample, or Algorithm 2.

With few columns the problem is solved on a sample of the rows, which is doubled until the objective on all rows
settles. With many columns, and for streams, the paper's averaged stochastic gradient descent is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from mdcore.methods.base import MarginClassifier
from mdcore.methods.checks import check_weights
from mdcore.methods.fit_result import FitResult, Weights
from mdcore.methods.ldm import LAMBDA1, LAMBDA2, hinge_parameter, marks, terms
from mdcore.solvers.arrays import Array
from mdcore.solvers.asgd import AveragedSGD
from mdcore.solvers.certificate import ROUNDED, Certificate, certify
from mdcore.solvers.explicit import solve_explicit
from mdcore.solvers.ldm import LDMProblem
from mdcore.solvers.margin_newton import Start
from mdcore.solvers.pnorm import row_norms
from mdcore.solvers.rows import Matrix
from mdcore.spaces.kernels import Kernel
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Interval, Method, Paper, Param, Setting, Slider, summed

FEW_COLUMNS = 500  # up to this number Newton's method is used, which solves linear systems of this order
FIRST_ROWS, ROWS_PER_COLUMN = 8_000, 100  # the first sample has the larger of both numbers of rows
ROUGH, EXACT = 1e-3, 1e-8  # tolerances for a sample and for all rows
SETTLED = 5e-3  # relative change of the objective, after doubling the sample or one more epoch, that counts as settled

EPOCHS = Param(
    "epochs",
    "epochs",
    5,
    Interval(1, np.inf, open_high=True),
    Slider(1, 50, log=True),
    "Number of passes of stochastic gradient descent, used with more than 500 columns; the second half is averaged.",
    grid=(5,),
    integer=True,
)


@dataclass(eq=False, repr=False)
class LinearLDM(MarginClassifier):
    """The LDM with a linear kernel, problem (14), for many rows, dense or CSR.

    Up to 500 columns, the problem is solved on growing samples of the rows. If it was solved on all rows, `gap_`
    certifies the optimum; if a sample was enough, `gap_` is nan and `converged_` means that the objective on all rows
    changed by at most 0.5 % when the sample was doubled. Beyond 500 columns, `fit` makes `epochs` passes of averaged
    stochastic gradient descent, and `converged_` means the same for the last pass. `partial_fit` takes a stream, batch
    by batch, by stochastic gradient descent.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (LAMBDA1, LAMBDA2, hinge_parameter(positive=True, finite=True), EPOCHS)
    accepts_sparse: ClassVar[bool] = True

    lambda1: float = 16.0
    lambda2: float = 16.0
    C: float = 10.0
    epochs: int = 5
    fit_intercept: bool = field(default=True, kw_only=True)
    random_state: int | np.random.RandomState | None = field(default=0, kw_only=True)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        rows = self._check_rows(X, reset=True)
        signs = self._check_labels(y, rows.shape[0])
        chosen = self.settings()
        if rows.shape[1] <= FEW_COLUMNS:
            return self._fit_parts(rows, signs, chosen)
        m, epochs = len(signs), int(chosen["epochs"])
        sgd = self._begin(rows.shape[1], chosen)
        sgd.run(rows, signs, m=m, epochs=max(epochs - 1, 1), average_from=epochs * m // 2)
        before = self._value(rows, signs, sgd.w, chosen)
        if epochs > 1:
            sgd.run(rows, signs, m=m, epochs=1, average_from=epochs * m // 2)
        now = self._value(rows, signs, sgd.w, chosen)
        fell = abs(before[0] - now[0]) / now[1]
        missing = f"the last of {epochs} epochs moved the objective by {100.0 * fell:.2g} %. Raise epochs, or scale X."
        settled = epochs > 1 and fell <= SETTLED
        return self._adopt(rows, signs, sgd.w, chosen, n_iter=epochs, converged=settled, missing=missing, _sgd_=sgd)

    def _fit_parts(self, rows: Matrix, signs: Array, chosen: dict[str, Any]) -> Self:
        """Solve the problem on samples of the rows, each twice as large, until the objective on all rows settles.

        If it does not settle, solve the problem on all rows, and certify the solution.
        """
        m, kernel = len(signs), Kernel("linear", bias=bool(self.fit_intercept))
        problem = LDMProblem.of(np.ones(m), **{name: chosen[name] for name in ("lambda1", "lambda2", "C")})
        to_solve = problem.in_features()
        order = np.random.default_rng(check_random_state(self.random_state).randint(2**31)).permutation(m)
        size, before, steps = max(FIRST_ROWS, ROWS_PER_COLUMN * rows.shape[1]), np.inf, 0
        start: Start | None = None
        while size < m:
            part = np.sort(order[:size])
            Z = KernelSpace(rows[part], kernel).features(kernel.bias)
            w = solve_explicit(Z, signs[part], to_solve.of(part), start=start, tol=ROUGH).point.w
            start = Start(w)
            steps += 1
            value, scale = self._value(rows, signs, w, chosen)
            if abs(before - value) <= SETTLED * scale:
                return self._adopt(rows, signs, w, chosen, n_iter=steps)
            before, size = value, 2 * size
        space = KernelSpace(rows, kernel)
        solution = solve_explicit(space.features(kernel.bias), signs, to_solve, start=start, tol=EXACT)
        point = solution.point
        model = space.vector(np.empty(0), point.w)
        dual = problem.dual_point(point.a, point.s)
        lower = space.lower_bound(dual, signs, np.empty(0), model)
        margins = signs * model.scores
        found = certify(problem, model.square, model.slack, margins, model.blur, lower)
        missing = f"relative duality gap {found.gap:.1e} after {solution.n_iter} steps."
        reached, n_iter = found.gap <= ROUNDED, steps + solution.n_iter
        return self._adopt(rows, signs, point.w, chosen, found, n_iter=n_iter, converged=reached, missing=missing)

    def _value(self, rows: Matrix, signs: Array, w: Array, chosen: dict[str, Any]) -> tuple[float, float]:
        """Return the objective on all rows, and the sum of the absolute values of its terms."""
        every = _terms(signs * self._scores(rows, w), float(np.linalg.norm(w)), **chosen).values()
        return sum(every), sum(map(abs, every))

    def _scores(self, rows: Matrix, w: Array) -> Array:
        d = rows.shape[1]
        return np.asarray(rows @ w[:d] + w[d:].sum())

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """Make one pass over a batch. The hinge loss with C is summed over all examples seen so far.

        The first call needs both classes, in y or in `classes`.
        """
        sgd: AveragedSGD | None = self.__dict__.get("_sgd_")
        rows = self._check_rows(X, reset=sgd is None)
        chosen = self.settings()
        if sgd is None:
            self._check_first_labels(y, classes, rows.shape[0])
            sgd = self._begin(rows.shape[1], chosen)
        signs = self._signs(y, rows.shape[0])
        sgd.run(rows, signs, m=sgd.steps + len(signs), epochs=1, average_from=min(sgd.steps, len(signs) // 2))
        return self._adopt(rows, signs, sgd.w, chosen, n_iter=1, _sgd_=sgd)

    def _begin(self, d: int, chosen: dict[str, Any]) -> AveragedSGD:
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        price = {name: chosen[name] for name in ("lambda1", "lambda2", "C")}
        return AveragedSGD(d, **price, bias=self.fit_intercept, rng=rng)

    def _adopt(
        self,
        rows: Matrix,
        signs: Array,
        w: Array,
        chosen: dict[str, Any],
        certificate: Certificate | None = None,
        *,
        n_iter: int,
        converged: bool = True,
        missing: str = "",
        **fitted: object,
    ) -> Self:
        check_weights(w)
        d, norm, margins = rows.shape[1], float(np.linalg.norm(w)), signs * self._scores(rows, w)
        reach, intercept = float(row_norms(rows, 2.0).max()), w[d:] if len(w) > d else np.zeros(1)
        certificate = certificate or Certificate(_objective(margins, norm, **chosen))
        weights, support = Weights(norm, reach, coef=w[None, :d], intercept=intercept), np.flatnonzero(margins < 1.0)
        return self._set_fitted(FitResult(weights, certificate, support, n_iter, converged, missing, fitted=fitted))


def _terms(margins: Array, norm: float, *, lambda1: float, lambda2: float, C: float, epochs: int) -> dict[str, float]:
    return terms(margins, norm, lambda1=lambda1, lambda2=lambda2, C=C)


_objective = summed(_terms)


METHOD = Method(
    key="linearldm",
    name="LinearLDM",
    summary="The linear LDM for large samples: exact on as many rows as needed, or by stochastic gradient descent.",
    estimator=LinearLDM,
    latex=(
        r"\min_w \tfrac12\|w\|^2 + \frac{2\lambda_1}{m^2}\, w^\top(mXX^\top - Xyy^\top X^\top)w"
        r" - \frac{\lambda_2}{m}(Xy)^\top w + C\sum_{i=1}^m \max\{0, 1-y_i w^\top x_i\}"
    ),
    objective=_objective,
    terms=_terms,
    paper=Paper(
        "T. Zhang, Z.-H. Zhou",
        "Large margin distribution machine",
        "KDD 2014",
        "Eqs. (14)-(17), Algorithm 2",
        "10.1145/2623330.2623710",
    ),
    color="#8F5B34",
    marks=marks,
    limits="The problem of the LDM with a linear kernel; with λ₁ = λ₂ = 0, a linear SVM.",
    support="examples inside the margin",
    complexity="O(d²) for each row used; with many columns, O(nonzeros) per epoch, and memory for two weight vectors.",
)
