"""Several classes by binary SVMs: what one-versus-all, one-versus-one and error-correcting codes share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from mdcore.margin import MarginDistribution
from mdcore.methods.kernel_machine import ROUNDED, blur, kernel_norm
from mdcore.methods.multiclass import MulticlassMachine, price_parameter
from mdcore.methods.params import SolverParams
from mdcore.methods.svm import objective
from mdcore.solvers.ldm import LDMSolution, dual_matrix, relative_gap, solve_ldm
from mdcore.space import KernelSpace
from mdcore.spec import Mark, Setting

Array = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(eq=False, repr=False)
class CodedSVM(SolverParams, MulticlassMachine):
    """An SVM for each column of a code: the classes with +1 against those with -1, those with 0 left out.

    `objective_` is the sum over the SVMs, `gap_` and `n_iter_` are the largest, `code_` is the code; `binary_coef_` and
    `binary_norm_` belong to the SVMs, a column and an entry for each. For two classes the scores are -f/2 and f/2.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (price_parameter(finite=False),)

    C: float = 16.0

    code_: Array = field(init=False)
    binary_coef_: Array = field(init=False)
    binary_norm_: Array = field(init=False)

    @staticmethod
    def code(k: int) -> Array:
        """A row for each of k classes, a column for each SVM."""
        raise NotImplementedError

    @staticmethod
    def decode(code: Array) -> Array:
        """The weight of each SVM's decision in the sum that scores a class, a row for each class."""
        raise NotImplementedError

    def problems(self, X: ArrayLike, y: ArrayLike) -> Iterator[tuple[Array, float]]:
        decisions = self.binary_decisions(X)
        signs = self.code_[self._codes(y, len(decisions))]
        for f, sign, norm in zip(decisions.T, signs.T, self.binary_norm_, strict=True):
            yield (sign * f)[sign != 0.0], float(norm)

    def binary_decisions(self, X: ArrayLike) -> Array:
        """f_p(x), a column for each SVM."""
        check_is_fitted(self)
        return self._expand(self._check_rows(X, reset=False), self.binary_coef_)

    def _solve(self, space: KernelSpace, signs: Any, weight: Array | None) -> None:
        self.code_ = self.code(len(self.classes_))
        shape = (len(signs), self.code_.shape[1])
        previous = self._previous("beta_", shape)
        self.beta_, self.binary_coef_ = np.zeros(shape), np.zeros(shape)
        norms, objectives, solutions = [], [], []
        each = np.ones(len(signs)) if weight is None else weight
        for p, column in enumerate(self.code_.T):
            sides = column[signs]
            rows = np.flatnonzero(sides)
            start = None if previous is None else previous[rows, p]
            solution, margins = self._solve_one(space, rows, sides[rows], each[rows], start)
            a = sides[rows] * solution.u
            self.beta_[rows, p], self.binary_coef_[rows, p] = solution.b, a
            norms.append(kernel_norm(a, sides[rows] * margins, np.diagonal(space.gram)[rows]))
            objectives.append(objective(margins, norms[-1], C=self.C, weight=each[rows]))
            solutions.append(solution)
        self.binary_norm_ = np.array(norms)
        self._adopt_scores(space, self.binary_coef_ @ self.decode(self.code_).T)
        self.support_ = np.flatnonzero(self.binary_coef_.any(axis=1))
        self.objective_ = float(sum(objectives))
        self.gap_ = float(max(solution.gap for solution in solutions))
        self.n_iter_ = max(solution.n_iter for solution in solutions)
        self.converged_ = all(solution.converged for solution in solutions)
        if not self.converged_:
            self._warn_unconverged(f"largest relative duality gap of an SVM {self.gap_:.1e}.")

    def _solve_one(
        self, space: KernelSpace, rows: Index, sides: Array, weight: Array, start: Array | None
    ) -> tuple[LDMSolution, Array]:
        C, m = self.settings()["C"], len(rows)
        G = space.gram if m == len(space) else space.gram[np.ix_(rows, rows)]
        p = np.full(m, 1.0 / m)
        H = dual_matrix(G, sides, p, 0.0)
        problem: dict[str, Any] = {"lambda1": 0.0, "lambda2": 0.0, "upper": C * weight, "p": p}
        tol = self._tolerance()
        solution = solve_ldm(G, sides, H, start=start, tol=tol, max_iter=self._limit(), **problem)
        u, lengths = solution.u, np.sqrt(np.diagonal(G))
        margins = sides * (G @ (sides * u))
        gap = relative_gap(u, solution.b, margins, H, lengths, blur(u, lengths), **problem)
        converged = solution.converged and gap <= max(tol, ROUNDED)
        return replace(solution, gap=gap, converged=converged), margins


class VotingSVM(CodedSVM):
    """Each SVM votes for the classes on its side; ties are broken by the sum of the decisions.

    The score of a class is its number of votes, scaled so that a margin of one is a unanimous one: all SVMs that tell
    the two classes apart are right. From three classes on a margin is such a share of votes and no distance, so that
    `norm_` is one and the geometric scale the functional one.
    """

    voting: ClassVar[bool] = True

    @staticmethod
    def decode(code: Array) -> Array:
        return np.asarray(code / 2.0)

    @staticmethod
    def unanimous(k: int) -> int:
        """How many votes the true class can be ahead of any other, for k classes."""
        raise NotImplementedError

    def votes(self, X: ArrayLike) -> NDArray[np.intp]:
        """How many SVMs decide for each class: with a code without zeros, its length less the Hamming distance."""
        return self._votes(self.binary_decisions(X))

    def scores(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return super().scores(X) if len(self.classes_) == 2 else self.from_decisions(self.binary_decisions(X))

    def from_decisions(self, decisions: Array) -> Array:
        """Scores of three classes or more, from the decisions of the SVMs, which stand in columns."""
        sums = decisions @ self.code_.T
        tie_breaker = sums / (3.0 * (np.abs(sums) + 1.0))
        return np.asarray((self._votes(decisions) + tie_breaker) / self.unanimous(len(self.code_)))

    def _votes(self, decisions: Array) -> NDArray[np.intp]:
        signs = np.where(decisions > 0.0, 1.0, -1.0)
        return np.stack([(signs == word).sum(axis=-1) for word in self.code_], axis=-1)

    def _solve(self, space: KernelSpace, signs: Any, weight: Array | None) -> None:
        super()._solve(space, signs, weight)
        if len(self.code_) > 2:
            self.norm_ = 1.0


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(1.0, 1.0, "unanimous"),)
