"""Multi-class optimal margin distribution machine (Zhang & Zhou, ICML 2017)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from mdcore.margins.bounds import Bound, multiclass_bound
from mdcore.methods.fit_result import FitResult, Sample
from mdcore.methods.multiclass import MulticlassMachine, features_of, fit_at
from mdcore.methods.odm import LAM, MU, THETA, marks, objective
from mdcore.methods.params import SolverParams
from mdcore.solvers.arrays import Array
from mdcore.solvers.mcodm import solve_mcodm
from mdcore.solvers.odm import ODMProblem
from mdcore.spaces.exact_gap import UNKNOWN, Distance
from mdcore.spec import Fitted, Method, Paper, Setting, Work


@dataclass(eq=False, repr=False)
class MCODM(SolverParams, MulticlassMachine):
    """Multi-class optimal margin distribution machine (Eq. 1):
    min 1/2 sum_l ||w_l||^2 + lam/m sum_i (xi_i^2 + mu eps_i^2) / (1 - theta)^2
    subject to 1 - theta - xi_i <= w_{y_i}.phi_i - max_{l != y_i} w_l.phi_i <= 1 + theta + eps_i.

    With three or more classes the problem is not convex: `gap_` certifies a stationary point, a fit with `warm_start`
    may end at another one than a fresh fit, and `exact_gap_` is nan, since no bound on the optimum is known. With two
    classes `gap_` certifies the optimum, whose objective is half that of ODM(2 lam). `path_` holds the objective at the
    start and after every outer step; it never increases. With `kernel='linear'` no Gram matrix is computed, and X may
    be a CSR matrix. `support_` lists the examples outside the band.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (LAM, MU, THETA)
    work: ClassVar[Work] = Work(cubes=10.0, spans=30.0)
    matrices: ClassVar[float] = 16.0
    accepts_sparse: ClassVar[bool] = True

    lam: float = 256.0
    mu: float = 0.4
    theta: float = 0.4

    path_: Array = field(init=False)

    def _solve(self, sample: Sample) -> FitResult:
        space, codes, chosen, k = sample.space, sample.labels, self.settings(), len(self.classes_)
        solution = solve_mcodm(
            features_of(space),
            codes,
            k,
            **chosen,
            weight=sample.weight,
            start=self._start(space, (len(codes), k)),
            tol=self._gap_tolerance(space),
            max_iter=self._limit(),
        )
        problem = ODMProblem.of(sample.each, **chosen)
        result = fit_at(
            sample,
            problem,
            solution.end,
            tol=self._tolerance(),
            n_iter=solution.n_iter,
            converged=solution.converged,
            convex=k == 2,
        )
        return result.and_fitted(path_=solution.path)

    def _without_certificate(self) -> Distance:
        return UNKNOWN if len(self.classes_) > 2 else super()._without_certificate()


def theorem_1(fitted: Fitted) -> Bound:
    model, radius = fitted.model, float(np.sqrt(fitted.diagonal.max()))
    return multiclass_bound(fitted.margins, model.norm_, radius, len(model.classes_), fitted.params["theta"])


METHOD = Method(
    key="mcodm",
    name="mcODM",
    summary="The ODM for several classes: squared deviations of every margin outside a band around 1.",
    estimator=MCODM,
    latex=(
        r"\min \tfrac12\sum_{l=1}^k\|w_l\|^2 + \frac{\lambda}{m}\sum_{i=1}^m"
        r" \frac{\xi_i^2+\mu\varepsilon_i^2}{(1-\theta)^2}\;\text{ s.t. }\; 1-\theta-\xi_i \le"
        r" \langle w_{y_i},\phi(x_i)\rangle - \max_{l\ne y_i}\langle w_l,\phi(x_i)\rangle \le 1+\theta+\varepsilon_i"
    ),
    objective=objective,
    paper=Paper(
        "T. Zhang, Z.-H. Zhou",
        "Multi-class optimal margin distribution machine",
        "ICML 2017",
        "Eqs. (1)-(24), Algorithms 1 and 2; Theorem 1",
    ),
    color="#A50F15",
    marks=marks,
    limits="With two classes, half the objective of the ODM with 2λ, and the same predictions. As λ → 0, every w "
    "shrinks to 0.",
    support="examples outside the band",
    bound=r"Theorem 1, with probability $1-\delta$: $\text{error} \le \frac1m\sum_{i=1}^m \Phi(\gamma_i) + "
    r"\frac{16 r\Lambda}{1-\theta}\sqrt{2\pi k/m} + 3\sqrt{\ln(2/\delta)/2m}$; $\gamma_i$: the margins, "
    r"$\Phi(\gamma)$: 1 for an error, then $\bigl((1-\theta-\gamma)_+/(1-\theta)\bigr)^2$, $\Lambda = \|w\|$, "
    r"$r$: the largest $\|\phi(x_i)\|$, $k$: the number of classes.",
    bound_of=theorem_1,
    complexity="A sequence of convex problems, each by sweeps, O(mkr) each for k classes and r explicit features; with "
    "a kernel, r ≤ m.",
    convex=False,
)
