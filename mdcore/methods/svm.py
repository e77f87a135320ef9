"""The support vector machine with a regularised constant feature (LDM paper, Eq. 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from mdcore.margins.distribution import MarginDistribution
from mdcore.methods import ldm
from mdcore.methods.ldm import LDMMachine, hinge_parameter, leave_one_out_of
from mdcore.solvers.arrays import Array
from mdcore.spec import Mark, Method, Paper, Setting, Work, summed


@dataclass(eq=False, repr=False)
class SVM(LDMMachine):
    """Support vector machine: min_w 1/2 ||w||^2 + C sum_i (1 - y_i f(x_i))_+ .

    `C=inf` is the hard margin. The bias is the weight of a constant feature, regularised with the other weights;
    scikit-learn's SVC does not regularise its bias, so the two differ slightly.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (hinge_parameter(positive=True),)
    work: ClassVar[Work] = Work(passes=240.0, cubes=0.0, columns=True)

    C: float = 10.0


def terms(margins: Array, norm: float, *, C: float, weight: Array | float = 1.0) -> dict[str, float]:
    """Return the summands of 1/2 ||w||^2 + C sum_i (1 - g_i)_+ for the margins g."""
    every = ldm.terms(margins, norm, lambda1=0.0, lambda2=0.0, C=C, weight=weight)
    return {name: every[name] for name in ("½‖w‖²", "C · hinge loss")}


objective = summed(terms)


def marks(params: Mapping[str, Any], train: MarginDistribution) -> tuple[Mark, ...]:
    return (Mark(1.0, 1.0, "hinge at y f = 1", stated=1.0),)


METHOD = Method(
    key="svm",
    name="SVM",
    summary="Largest soft minimum margin: a trade-off between norm and hinge loss.",
    estimator=SVM,
    latex=r"\min_w \tfrac12\|w\|^2 + C\sum_{i=1}^m \bigl(1-y_i\langle w,\phi(x_i)\rangle\bigr)_+",
    objective=objective,
    terms=terms,
    paper=Paper(
        "C. Cortes, V. Vapnik",
        "Support-vector networks",
        "Machine Learning, 1995",
        "LDM paper, Eq. (2)",
        "10.1007/BF00994018",
    ),
    color="#E69F00",
    marks=marks,
    limits="The LDM with λ₁ = λ₂ = 0. As C → ∞, the hard-margin SVM, which maximises the minimum margin "
    "for a ‖w‖ that includes the bias.",
    support="support vectors",
    bound=r"Leave-one-out error $\le \frac1m\bigl(h\sum_{0<\beta_i<C}\beta_i + |\{i : \beta_i = C\}|\bigr)$, "
    r"Theorem 3 of LDM with $\lambda_1 = \lambda_2 = 0$; $\beta$: the dual variables, "
    r"$h$: the largest $\|\phi(x_i)\|^2$.",
    bound_of=leave_one_out_of,
    complexity="One Gram matrix, O(m²d); sweeps, O(m²) each; factorisations of the block of s free βᵢ, O(s³) each.",
)
