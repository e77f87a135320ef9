"""The parameters that several estimators have, as fields: a dataclass writes the constructor that scikit-learn reads.

An estimator adds its own fields, which come first and may be given by position; these are given by name. A field with
another default is declared again.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(eq=False, repr=False, kw_only=True)
class KernelParams:
    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    fit_intercept: bool = True


@dataclass(eq=False, repr=False, kw_only=True)
class SolverParams:
    """Of a machine whose problem is solved step by step."""

    tol: float = 1e-8
    max_iter: int = 100
    warm_start: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class EpochParams:
    """Of a learner that passes over the rows again and again."""

    fit_intercept: bool = True
    max_iter: int = 1_000


@dataclass(eq=False, repr=False, kw_only=True)
class RadiusParams:
    """The bias is the weight of an extra feature -R."""

    radius: float | None = None
