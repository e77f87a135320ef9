"""Large scale linear LDM by averaged stochastic gradient descent (Zhang & Zhou, KDD 2014, Algorithm 2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from mdcore.methods.base import MarginClassifier, Outcome, check_weights
from mdcore.methods.ldm import LAMBDA1, LAMBDA2, hinge_parameter, marks, objective, terms
from mdcore.solvers.asgd import AveragedSGD
from mdcore.spec import Interval, Method, Paper, Param, Setting, Slider

Array = NDArray[np.float64]

EPOCHS = Param(
    "epochs",
    "epochs",
    5,
    Interval(1, np.inf, open_high=True),
    Slider(1, 50, log=True),
    "Passes over the sample; the weights are averaged over the second half.",
    grid=(5,),
    integer=True,
)


@dataclass(eq=False, repr=False)
class LinearLDM(MarginClassifier):
    """The LDM problem (14) with the linear kernel, for samples whose kernel matrix would not fit.

    Dense or CSR rows; `partial_fit` continues with a further batch. `coef_`, `intercept_` are averages of stochastic
    iterates: close to the optimum, with no certificate (`gap_` is nan). `converged_` says that the passes asked for
    were made.
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
        m, epochs = len(signs), int(chosen["epochs"])
        self._begin(rows.shape[1], chosen)
        self._sgd.run(rows, signs, m=m, epochs=epochs, average_from=epochs * m // 2)
        return self._take(rows, signs, chosen, epochs)

    def partial_fit(self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None) -> Self:
        """One pass over a batch; C counts for all the examples seen so far. The first call needs both classes."""
        first = not hasattr(self, "_sgd")
        rows = self._check_rows(X, reset=first)
        chosen = self.settings()
        if first:
            self._check_first_labels(y, classes, rows.shape[0])
            self._begin(rows.shape[1], chosen)
        signs = self._signs(y, rows.shape[0])
        seen = self._sgd.steps + len(signs)
        self._sgd.run(rows, signs, m=seen, epochs=1, average_from=min(self._sgd.steps, len(signs) // 2))
        return self._take(rows, signs, chosen, 1)

    def _begin(self, d: int, chosen: dict[str, Any]) -> None:
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31))
        self._sgd = AveragedSGD(
            d, lambda1=chosen["lambda1"], lambda2=chosen["lambda2"], C=chosen["C"], bias=self.fit_intercept, rng=rng
        )

    def _take(self, X: Any, signs: Array, chosen: dict[str, Any], epochs: int) -> Self:
        w = self._sgd.w
        check_weights(w)
        self.coef_, self.intercept_ = w[None, :-1], w[-1:]
        self.norm_ = float(np.linalg.norm(w))
        margins = signs * (X @ w[:-1] + w[-1])
        self.support_ = np.flatnonzero(margins < 1.0)
        self._finish(Outcome(_objective(margins, self.norm_, **chosen), np.nan, epochs, True))
        return self


def _objective(margins: Array, norm: float, *, lambda1: float, lambda2: float, C: float, epochs: int) -> float:
    return objective(margins, norm, lambda1=lambda1, lambda2=lambda2, C=C)


def _terms(margins: Array, norm: float, *, lambda1: float, lambda2: float, C: float, epochs: int) -> dict[str, float]:
    return terms(margins, norm, lambda1=lambda1, lambda2=lambda2, C=C)


METHOD = Method(
    key="linearldm",
    name="LinearLDM",
    summary="The linear LDM by averaged stochastic gradient steps, for large samples.",
    estimator=LinearLDM,
    params=LinearLDM.parameters,
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
    limits="With many epochs the linear LDM; λ₁ = λ₂ = 0 is a linear SVM by stochastic gradients.",
    support="examples inside the margin",
    complexity="O(nonzeros) an epoch; memory for two weight vectors beside the data.",
    certificate="none",
    kernels=False,
    sparse=True,
)
