"""Base classes for several classes by binary SVMs: one-versus-all, one-versus-one and error-correcting codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import astuple, dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from mdcore.basics.threads import SMALL
from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.base import UNKNOWN_NORM
from mdcore.methods.explicit import solve_in_features
from mdcore.methods.fit_result import FitResult, Sample, Weights
from mdcore.methods.ldm import fit_by_dual, is_in_features
from mdcore.methods.multiclass import MulticlassMachine, cost_parameter
from mdcore.methods.params import SolverParams
from mdcore.methods.votes import scores_from_votes, votes_of
from mdcore.solvers.arrays import Array, Index
from mdcore.solvers.certificate import ROUNDED, Certificate, Vector
from mdcore.solvers.ldm import LDMProblem
from mdcore.spaces.exact_gap import SpanCertificate, SumCertificate
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Mark, Setting, Work


@dataclass(eq=False, repr=False)
class CodedSVM(SolverParams, MulticlassMachine):
    """Binary SVMs, one for each column of a code: classes with +1 against classes with -1, without classes with 0.

    `code_` is the code. `objective_` is the sum over the SVMs, and with landmarks `exact_gap_` belongs to that sum;
    `gap_` and `n_iter_` are the largest over the SVMs. `binary_coef_` has a column, `binary_offset_` and
    `binary_norm_` have an entry for each SVM. With two classes the scores are -f/2 and f/2.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (cost_parameter(finite=False),)
    work: ClassVar[Work] = Work(passes=240.0, cubes=0.0)
    matrices: ClassVar[float] = 5.0
    accepts_sparse: ClassVar[bool] = True

    C: float = 10.0

    code_: Array = field(init=False)
    binary_coef_: Array = field(init=False)
    binary_offset_: Array = field(init=False)
    binary_norm_: Array = field(init=False)
    binary_weights_: Array = field(init=False)

    @classmethod
    def models(cls, classes: int) -> float:
        return float(np.square(np.mean(cls.code(classes) != 0.0, axis=0)).sum())

    @staticmethod
    def code(k: int) -> Array:
        """Return the code, with a row for each of k classes and a column for each SVM."""
        raise NotImplementedError

    @staticmethod
    def decode(code: Array) -> Array:
        """Return the weight of each SVM's decision in the score of each class, with a row for each class."""
        raise NotImplementedError

    def problems(self, X: ArrayLike, y: ArrayLike) -> Iterator[tuple[Array, float]]:
        decisions = self.binary_decisions(X)
        signs = self.code_[self._codes(y, len(decisions))]
        for f, sign, norm in zip(decisions.T, signs.T, self.binary_norm_, strict=True):
            yield (sign * f)[sign != 0.0], float(norm)

    def binary_decisions(self, X: ArrayLike) -> Array:
        """Return f_p(x), with a column for each SVM p."""
        check_is_fitted(self)
        rows = self._check_rows(X, reset=False)
        if self.kernel_.name != "linear":
            return self._expand(rows, self.binary_coef_) + self.binary_offset_
        d = rows.shape[1]
        return np.asarray(rows @ self.binary_weights_[:d] + self.binary_weights_[d:].sum(axis=0))

    def _solve(self, sample: Sample) -> FitResult:
        code, codes, space = self.code(len(self.classes_)), sample.labels, sample.space
        shape = (len(codes), code.shape[1])
        previous, beta = self._previous("beta_", shape), np.zeros(shape)
        rows_of = [np.flatnonzero(column[codes]) for column in code.T]
        parts = []
        for p, (column, rows) in enumerate(zip(code.T, rows_of, strict=True)):
            weight = None if sample.weight is None else sample.weight[rows]
            part = Sample(space.part(rows), column[codes[rows]], weight)
            parts.append(self._solve_part(part, None if previous is None else previous[rows, p]))
            beta[rows, p] = parts[-1].fitted["beta_"]
        w, weights, binary = self._combined(space, code, parts, rows_of)
        known = w.norm_error <= ROUNDED or (self.voting and len(code) > 2)
        missing = next((part.shortfall for part in parts if not part.converged), UNKNOWN_NORM)
        proofs = [part.certificate for part in parts]
        return FitResult(
            weights,
            Certificate(*(float(sum(values)) for values in zip(*map(astuple, proofs), strict=True))),
            np.flatnonzero(beta.any(axis=1)),
            max(part.n_iter for part in parts),
            known and all(part.converged for part in parts),
            f"one of the {len(parts)} SVMs: {missing}",
            fitted={
                "gap_": max(proof.gap for proof in proofs),
                "code_": code,
                "beta_": beta,
                "binary_norm_": np.array([part.weights.norm for part in parts]),
                "binary_offset_": np.array([part.weights.offset for part in parts]),
                **binary,
            },
            exact=SumCertificate([_on_all_rows(part, space, rows) for part, rows in zip(parts, rows_of, strict=True)])
            if isinstance(space, LandmarkSpace)
            else None,
        )

    def _solve_part(self, sample: Sample, start: Array | None) -> FitResult:
        """Return one of the binary SVMs."""
        space, tol, max_iter = sample.space, self._tolerance(), self._limit()
        problem = LDMProblem.of(sample.each, C=self.settings()["C"])
        spanned = isinstance(space, LandmarkSpace) or issparse(space.rows) or len(space) > SMALL
        if spanned and is_in_features(space, self.settings()["C"], type(self).__name__):
            return solve_in_features(sample, problem, tol=tol, max_iter=max_iter)
        return fit_by_dual(sample, problem, start, tol=tol, max_iter=max_iter, again=start is not None)

    def _combined(
        self, space: KernelSpace, code: Array, parts: list[FitResult], rows_of: list[Index]
    ) -> tuple[Vector, Weights, dict[str, Array]]:
        """Return the SVMs as one model, and what belongs to each of them."""
        decoding, found = self.decode(code).T, [part.weights for part in parts]
        coefficients = [one.dual_coef for one in found if one.dual_coef is not None]
        if isinstance(space, LandmarkSpace):  # all have coefficients of the same landmarks
            W = np.stack([part.last.solution.point.w for part in parts if part.last is not None], axis=1)
            return *Weights.of(space, None, W @ decoding), {"binary_coef_": np.stack(coefficients, axis=1)}
        A = np.zeros((len(space), len(parts)))
        for p, (rows, a) in enumerate(zip(rows_of, coefficients, strict=True)):
            A[rows, p] = a
        if not space.is_linear:
            return *Weights.of(space, A @ decoding), {"binary_coef_": A}
        linear = [(one.coef, one.intercept) for one in found if one.coef is not None and one.intercept is not None]
        W = np.stack([np.append(*one) for one in linear], axis=1)
        W = W if space.kernel.bias else W[:-1]
        return *Weights.of(space, A @ decoding, W @ decoding), {"binary_coef_": A, "binary_weights_": W}


def _on_all_rows(part: FitResult, space: LandmarkSpace, rows: Index) -> SpanCertificate:
    """Return the certificate of an SVM extended from `rows`, to which it was fitted, to all rows of the space."""
    assert isinstance(part.exact, SpanCertificate)
    v = np.zeros(len(space))
    v[rows] = part.exact.v
    return replace(part.exact, space=space, v=v)


class VotingSVM(CodedSVM):
    """Binary SVMs that vote: each votes for the classes on its side; ties are broken by the sum of the decisions.

    The score of a class is its number of votes, scaled so that a margin of one means a unanimous vote: all SVMs that
    separate the two classes are right. With three or more classes a margin is a share of votes, and there is no
    geometric margin; `norm_` is 1.
    """

    voting: ClassVar[bool] = True

    @property
    def why_no_distances(self) -> str:
        return "with three or more classes, margins count votes" if len(self.classes_) > 2 else ""

    @staticmethod
    def decode(code: Array) -> Array:
        return np.asarray(code / 2.0)

    @staticmethod
    def unanimous(k: int) -> int:
        """Return the largest lead, in votes, that the true class can have over any other of the k classes."""
        raise NotImplementedError

    def votes(self, X: ArrayLike) -> NDArray[np.intp]:
        """Return the votes for each class: with a code without zeros, the code length minus the Hamming distance."""
        return votes_of(self.binary_decisions(X), self.code_)

    def scores(self, X: ArrayLike) -> Array:
        check_is_fitted(self)
        return super().scores(X) if len(self.classes_) == 2 else self.from_decisions(self.binary_decisions(X))

    def from_decisions(self, decisions: Array) -> Array:
        """Return the scores of three or more classes from the decisions, which have a column for each SVM."""
        return scores_from_votes(decisions, self.code_, self.unanimous(len(self.code_)))

    def _solve(self, sample: Sample) -> FitResult:
        result = super()._solve(sample)
        if len(self.classes_) == 2:
            return result
        return replace(result, weights=replace(result.weights, norm=1.0, scores=None))  # sums of decisions, not votes

    def decide(self, cross: Array) -> Array:
        if len(self.classes_) == 2:
            return super().decide(cross)
        return self.from_decisions(np.asarray(cross @ self.binary_coef_ + self.binary_offset_))


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(1.0, 1.0, "unanimous"),)
