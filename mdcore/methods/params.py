"""Parameters that several estimators share, as dataclass fields, from which the constructor is generated.

Each estimator adds its own fields, which come first and may be positional; shared parameters are keyword-only. An
estimator redeclares a shared field to change its default.
"""

from __future__ import annotations

from dataclasses import dataclass

from mdcore.spec import Search

PRICES = Search((0.1, 1.0, 10.0, 100.0), first=(1.0, 10.0), grows=True)  # of an example's loss, beside ½‖w‖²


@dataclass(eq=False, repr=False, kw_only=True)
class KernelParams:
    kernel: str = "rbf"
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 1.0
    fit_intercept: bool = True


@dataclass(eq=False, repr=False, kw_only=True)
class SolverParams:
    """Parameters of a machine with an iterative solver."""

    tol: float = 1e-8
    max_iter: int = 100
    warm_start: bool = False


@dataclass(eq=False, repr=False, kw_only=True)
class EpochParams:
    """Parameters of a learner that makes several passes over the rows."""

    fit_intercept: bool = True
    max_iter: int = 1_000


@dataclass(eq=False, repr=False, kw_only=True)
class RadiusParams:
    """The radius R of a learner whose bias is the weight of an extra feature -R."""

    radius: float | None = None
