"""The multi-class support vector machine of Crammer and Singer (2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mdcore.methods.fit_result import FitResult, Sample
from mdcore.methods.multiclass import MulticlassMachine, cost_parameter, features_of, fit_at
from mdcore.methods.params import SolverParams
from mdcore.methods.svm import marks, objective
from mdcore.solvers.ascent import ClassForces
from mdcore.solvers.class_block import ClassLoss
from mdcore.solvers.ldm import LDMProblem
from mdcore.solvers.mcodm import feasible_rows
from mdcore.solvers.multiclass import Ceiling, MulticlassProblem
from mdcore.spec import Method, Paper, Setting, Work


@dataclass(eq=False, repr=False)
class MCSVM(SolverParams, MulticlassMachine):
    """Multi-class SVM: min 1/2 sum_l ||w_l||^2 + C sum_i (1 - w_{y_i}.phi_i + max_{l != y_i} w_l.phi_i)_+ .

    scikit-learn solves this problem for the linear kernel only, by LinearSVC(multi_class='crammer_singer'). Here the
    solver of mcODM solves it with the hinge loss, for any kernel, and certifies the duality gap. With `kernel='linear'`
    no Gram matrix is computed, and X may be a CSR matrix.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (cost_parameter(finite=True),)
    work: ClassVar[Work] = Work(cubes=9.0, spans=30.0)
    matrices: ClassVar[float] = 16.0
    accepts_sparse: ClassVar[bool] = True

    C: float = 10.0

    def _solve(self, sample: Sample) -> FitResult:
        space, codes, C, k = sample.space, sample.labels, self.settings()["C"], len(self.classes_)
        loss, tol, max_iter = ClassLoss(1.0, 0.0, C, 1.0, 1.0), self._gap_tolerance(space), self._limit()
        classes, ceiling = (
            MulticlassProblem(features_of(space), codes, k, loss, sample.weight),
            Ceiling.none(len(codes)),
        )
        previous = self._start(space, (len(codes), k))
        start = np.zeros((len(codes), k)) if previous is None else feasible_rows(previous, codes, classes.cap)
        found, n_iter = classes.solve(start, ceiling, tol=tol, max_iter=max_iter)
        end = classes.polish(found, ceiling)
        problem, forces = LDMProblem.of(classes.weight, C=C), ClassForces(loss, classes.weight, codes, end.a)
        reached = end.gap <= tol
        return fit_at(sample, problem, end, tol=self._tolerance(), n_iter=n_iter, converged=reached, forces=forces)


METHOD = Method(
    key="mcsvm",
    name="mcSVM",
    summary="One SVM for all classes: a trade-off between norm and the hinge loss of the multi-class margin.",
    estimator=MCSVM,
    latex=(
        r"\min \tfrac12\sum_{l=1}^k\|w_l\|^2 + C\sum_{i=1}^m\bigl(1-\langle w_{y_i},\phi(x_i)\rangle"
        r"+\max_{l\ne y_i}\langle w_l,\phi(x_i)\rangle\bigr)_+"
    ),
    objective=objective,
    paper=Paper(
        "K. Crammer, Y. Singer",
        "On the algorithmic implementation of multiclass kernel-based vector machines",
        "JMLR 2001",
        "mcODM paper, section 6.1",
    ),
    color="#08306B",
    marks=marks,
    limits="With two classes, half the objective of the SVM with 2C, and the same predictions.",
    support="support vectors",
    complexity="Sweeps, O(mkr) each for k classes and r explicit features; with a kernel, r ≤ m.",
)
