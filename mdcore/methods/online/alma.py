"""ALMA_p: a new approximate maximal margin classification algorithm (Gentile 2001)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mdcore.methods.online.base import BiasByFeature, P, fraction, hard_objective, mark_smallest
from mdcore.solvers.alma import Alma
from mdcore.spec import Method, Paper, Setting


@dataclass(eq=False, repr=False)
class ALMA(BiasByFeature):
    """ALMA_p, a p-norm perceptron with ||w||_q <= 1 that, after k - 1 updates, updates when y w.x <= (1 - alpha) g_k.

    Here g_k = sqrt(8)/alpha sqrt((p-1)/k), the step in the dual is sqrt(2)/sqrt((p-1) k), and every row, including the
    feature -R, is divided by its p-norm. On separable data the margin of these rows is at least (1 - alpha) of the
    largest when the learner stops.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (P, fraction("alpha", "α", "ALMA"))
    learner = Alma

    p: float = 2.0
    alpha: float = 0.1

    def _exponent(self) -> float:
        return self.p


METHOD = Method(
    key="alma",
    name="ALMA_p",
    summary="A p-norm perceptron whose target margin shrinks with its updates; it reaches a set share of the largest.",
    estimator=ALMA,
    latex=(
        r"y\,w\cdot\hat x\le(1-\alpha)\tfrac{\sqrt8}{\alpha}\sqrt{\tfrac{p-1}{k}}:\quad"
        r" \theta\leftarrow\theta+\tfrac{\sqrt2}{\sqrt{(p-1)k}}\,y\hat x,\; w=f^{-1}(\theta)/\max\{1,\|\cdot\|_q\}"
    ),
    objective=hard_objective,
    paper=Paper(
        "C. Gentile",
        "A new approximate maximal margin classification algorithm",
        "JMLR, 2001",
        "Theorem 3; PUMMA paper, section 4.1",
    ),
    color="#E0306A",
    marks=mark_smallest,
    limits="As α → 0, the largest p-norm margin of the rows scaled to length one; as α → 1, a p-norm perceptron.",
    support="examples that made an update",
    certificate="none",
    unit="mean margin",
    bias="own",
    complexity="O(nonzeros) per example, O(d) per update.",
    family="online",
)
