"""MICRA: the mistake-controlled rule algorithm (Tsampouka & Shawe-Taylor 2007)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mdcore.methods.online.base import BiasByFeature, hard_objective, mark_smallest
from mdcore.solvers.micra import Micra
from mdcore.spec import Interval, Method, Paper, Param, Search, Setting, Slider

POSITIVE = Interval(0, np.inf, open_low=True, open_high=True)

BETA = Param(
    "beta",
    "β",
    1.0,
    POSITIVE,
    Slider(2**-10, 2**10, log=True),
    "The initial target margin, in units of the features: after t updates, an example leads to an update if y u·x ≤ "
    "β / t^ε. A larger β gives a larger margin at the end and takes more updates. Tune it for each data set.",
    search=Search((0.01, 0.1, 1.0, 10.0), first=(0.1, 1.0), grows=True),
)
ETA = Param(
    "eta",
    "η",
    1.0,
    POSITIVE,
    Slider(2**-10, 2**10, log=True),
    "Length of the first step, u ← u + η / t^ζ y x, before u is scaled back to length one.",
    search=Search((0.01, 0.1, 1.0, 10.0), first=(0.1, 1.0), grows=True),
)
EPS = Param(
    "eps",
    "ε",
    0.5,
    Interval(0, 10, open_low=True),
    Slider(0.01, 2, step=0.01),
    "How fast the target margin falls with the updates; a slower fall gives a larger margin and takes more updates.",
)
ZETA = Param(
    "zeta",
    "ζ",
    0.9,
    Interval(0, 10),
    Slider(0, 2, step=0.01),
    "How fast the steps shrink with the updates; above 1, they may vanish before the data are separated.",
)


@dataclass(eq=False, repr=False)
class MICRA(BiasByFeature):
    """MICRA, a perceptron with ||u|| = 1 that sets u <- (u + eta / t^zeta y x) / ||.|| when y u.x <= beta / t^eps.

    t is the number of updates so far; the first update sets u = y x / ||x||. When the learner stops, every margin on
    the rows (x, -R) exceeds beta / t^eps; how close the smallest is to the largest possible margin depends on beta.
    """

    parameters: ClassVar[tuple[Setting, ...]] = (BETA, ETA, EPS, ZETA)
    learner = Micra

    beta: float = 1.0
    eta: float = 1.0
    eps: float = 0.5
    zeta: float = 0.9


METHOD = Method(
    key="micra",
    name="MICRA",
    summary="A perceptron of length one; target margin and step size fall as powers of the number of updates.",
    estimator=MICRA,
    latex=(
        r"y\,u_t\cdot x\le\beta/t^{\varepsilon}:\quad"
        r" u_{t+1}=\frac{u_t+\eta t^{-\zeta}\,y x}{\|u_t+\eta t^{-\zeta}\,y x\|}"
    ),
    objective=hard_objective,
    paper=Paper(
        "P. Tsampouka, J. Shawe-Taylor",
        "Approximate maximum margin algorithms with rules controlled by the number of mistakes",
        "ICML 2007",
        "PUMMA paper, section 4.2",
    ),
    color="#D255E8",
    marks=mark_smallest,
    limits="With ε = ζ = 1, it behaves like the perceptron with margin, whose length grows with its updates.",
    support="examples that made an update",
    certificate="none",
    unit="mean margin",
    bias="own",
    complexity="O(nonzeros) per example, O(d) per update.",
    family="online",
)
