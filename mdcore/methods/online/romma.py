"""ROMMA: the relaxed online maximum margin algorithm, aggressive (Li & Long 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from mdcore.methods.online.base import BiasByFeature, fraction, hard_objective, mark_shortfall
from mdcore.solvers.pumma import Pumma
from mdcore.spec import Method, Paper, Setting


@dataclass(eq=False, repr=False)
class ROMMA(BiasByFeature):
    """ROMMA, which updates when y w.x < 1 - delta, to w_t = argmin 1/2 ||w||^2 subject to y w.x >= 1 for that example
    and w.w_{t-1} >= ||w_{t-1}||^2.

    On separable data, the margin on the rows (x, -R) is at least (1 - delta) of the largest when the learner stops; in
    the original space the fraction may be smaller, see `BiasByFeature`.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (fraction("delta", "δ", "ROMMA"),)
    learner = partial(Pumma, p=2.0, bias=False)

    delta: float = 0.1

    @property
    def guaranteed_share(self) -> float | None:
        """1 - delta without a bias; None with the extra feature, whose guarantee is for the margin on (x, -R)."""
        return None if self.fit_intercept else 1.0 - self.delta


METHOD = Method(
    key="romma",
    name="ROMMA",
    summary="Largest margin online, by one relaxed problem per update; the bias is the weight of an extra feature.",
    estimator=ROMMA,
    latex=r"w_t=\arg\min_w \tfrac12\|w\|^2 \;\text{ s.t. }\; y\,w\cdot x\ge 1,\; w\cdot w_{t-1}\ge\|w_{t-1}\|^2",
    objective=hard_objective,
    paper=Paper(
        "Y. Li, P. M. Long",
        "The relaxed online maximum margin algorithm",
        "Machine Learning, 2002",
        "PUMMA paper, Eq. (2), section 1",
        "10.1023/A:1012435301888",
    ),
    color="#4DAF1F",
    marks=partial(mark_shortfall, "margin of the last example"),
    limits="PUMMA with p = 2, without its bias. As δ → 0, the hard-margin SVM with a regularised bias.",
    support="examples that made an update",
    certificate="none",
    bias="own",
    complexity="O(nonzeros) per example, O(d) per update.",
    family="online",
)
