"""Base classes for several classes by binary SVMs: one-versus-all, one-versus-one and error-correcting codes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from mdcore.basics.threads import SMALL
from mdcore.margins.distribution import MarginDistribution
from mdcore.methods.base import UNKNOWN_NORM, Outcome
from mdcore.methods.multiclass import MulticlassMachine, cost_parameter
from mdcore.methods.params import SolverParams
from mdcore.methods.svm import SVM
from mdcore.methods.votes import scores_from_votes, votes_of
from mdcore.solvers.certificate import ROUNDED, Vector
from mdcore.solvers.explicit import ExplicitSolution
from mdcore.spaces.costs import Work
from mdcore.spaces.exact_gap import SpanCertificate, SumCertificate
from mdcore.spaces.landmarks import LandmarkSpace
from mdcore.spaces.space import KernelSpace
from mdcore.spec import Mark, Setting

Array = NDArray[np.float64]
Index = NDArray[np.intp]


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

    def _solve(self, space: KernelSpace, signs: Any, weight: Array | None) -> None:
        self.code_ = self.code(len(self.classes_))
        shape = (len(signs), self.code_.shape[1])
        previous = self._previous("beta_", shape)
        self.beta_ = np.zeros(shape)
        parts, sides_of = [], []
        for p, column in enumerate(self.code_.T):
            sides = column[signs]
            rows = np.flatnonzero(sides)
            parts.append(self._part(space, sides, rows, weight, None if previous is None else previous[rows, p]))
            self.beta_[rows, p] = parts[-1].beta_
            sides_of.append(rows)
        self.binary_norm_ = np.array([part.norm_ for part in parts])
        self.binary_offset_ = np.array([part.offset_ for part in parts])
        self._delete_fitted("binary_weights_")
        if isinstance(space, LandmarkSpace):
            w = self._combine_in_span(space, parts, sides_of)
        else:
            w = self._combine(space, parts, sides_of)
        self.support_ = np.flatnonzero(self.beta_.any(axis=1))
        gap = max(part.gap_ for part in parts)
        known = w.norm_error <= ROUNDED or (self.voting and len(self.code_) > 2)
        missing = next((part.status_ for part in parts if not part.converged_), UNKNOWN_NORM)
        self._finish(
            Outcome(
                float(sum(part.objective_ for part in parts)),
                gap,
                max(part.n_iter_ for part in parts),
                known and all(part.converged_ for part in parts),
                f"one of the {len(parts)} SVMs: {missing}",
            )
        )

    def _part(
        self, space: KernelSpace, sides: Array, rows: Index, weight: Array | None, start: Array | None
    ) -> BinaryPart:
        part = BinaryPart(
            C=self.settings()["C"], tol=self._tolerance(), max_iter=self._limit(), warm_start=start is not None
        )
        if start is not None:
            part.beta_ = start
        part.fit_part(space.part(rows), sides[rows], None if weight is None else weight[rows])
        return part

    def _combine(self, space: KernelSpace, parts: list[BinaryPart], rows_of: list[Index]) -> Vector:
        """Combine the SVMs, each with coefficients of its own rows, into one model."""
        self.binary_coef_ = np.zeros_like(self.beta_)
        for p, (part, rows) in enumerate(zip(parts, rows_of, strict=True)):
            self.binary_coef_[rows, p] = part.dual_coef_
        if space.is_linear:
            self.binary_weights_ = np.stack([np.append(part.coef_, part.intercept_) for part in parts], axis=1)
            if not space.kernel.bias:
                self.binary_weights_ = self.binary_weights_[:-1]
        decoding = self.decode(self.code_).T
        W = self.binary_weights_ @ decoding if space.is_linear else None
        return self._adopt(space, self.binary_coef_ @ decoding, W)

    def _combine_in_span(self, space: LandmarkSpace, parts: list[BinaryPart], rows_of: list[Index]) -> Vector:
        """Combine the SVMs, all with coefficients of the same landmarks, into one model."""
        self.binary_coef_ = np.stack([part.dual_coef_ for part in parts], axis=1)
        self._certificate = SumCertificate(
            [part.certificate_on(space, rows) for part, rows in zip(parts, rows_of, strict=True)]
        )
        weights = np.stack([part.weights_ for part in parts], axis=1)
        return self._adopt_weights(space, weights @ self.decode(self.code_).T)


class BinaryPart(SVM):
    """One of the binary SVMs; CodedSVM issues the warnings."""

    weights_: Array

    def fit_part(self, space: KernelSpace, signs: Array, weight: Array | None) -> None:
        self.kernel_ = space.kernel
        spanned = isinstance(space, LandmarkSpace) or issparse(space.rows) or len(space) > SMALL
        solve = self._solve_explicit if spanned and self._is_explicit(space) else self._solve
        solve(space, signs, weight)

    def certificate_on(self, space: LandmarkSpace, rows: Index) -> SpanCertificate:
        """Return the certificate extended from `rows`, on which the SVM was fitted, to all rows of the space."""
        assert isinstance(self._certificate, SpanCertificate)
        v = np.zeros(len(space))
        v[rows] = self._certificate.v
        return replace(self._certificate, space=space, v=v)

    def _note(self, solution: ExplicitSolution, weight: Array) -> None:
        self.weights_ = solution.point.w

    def _warn(self) -> None:
        pass


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

    def _solve(self, space: KernelSpace, signs: Any, weight: Array | None) -> None:
        super()._solve(space, signs, weight)
        if len(self.code_) > 2:
            self.norm_ = 1.0
            self._delete_fitted("_scores")  # the sums of decisions, not of votes

    def decide(self, cross: Array) -> Array:
        if len(self.classes_) == 2:
            return super().decide(cross)
        return self.from_decisions(np.asarray(cross @ self.binary_coef_ + self.binary_offset_))


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(1.0, 1.0, "unanimous"),)
