"""SVMs on exhaustive error-correcting output codes (Dietterich & Bakiri 1995), the mcODM paper's ecocSVM."""

from __future__ import annotations

import numpy as np

from mdcore.methods.coded import VotingSVM, marks
from mdcore.methods.svm import objective
from mdcore.solvers.arrays import Array
from mdcore.spec import Method, Paper

MOST_CLASSES = 15


class ECOC(VotingSVM):
    """SVMs on an exhaustive code: one for each of the 2^(k-1) - 1 splits of k classes into two groups.

    The class with the nearest code word (Hamming distance) wins.
    """

    @classmethod
    def models(cls, classes: int) -> float:
        return 2.0 ** (classes - 1) - 1.0

    @staticmethod
    def code(k: int) -> Array:
        if k > MOST_CLASSES:
            raise ValueError(
                f"ECOC: the exhaustive code of {k} classes has 2^{k - 1} - 1 = {2 ** (k - 1) - 1:,} columns, an SVM "
                f"for each; at most {MOST_CLASSES} classes ({2 ** (MOST_CLASSES - 1) - 1:,} columns) are supported. "
                "Use OVA, OVO or MCSVM."
            )
        columns = np.arange(1, 2 ** (k - 1))
        return np.asarray(1.0 - 2.0 * ((2 * columns[None, :] >> np.arange(k)[:, None]) & 1), dtype=np.float64)

    @staticmethod
    def unanimous(k: int) -> int:
        return int(2 ** (k - 2))


METHOD = Method(
    key="ecoc",
    name="ecocSVM",
    summary="One SVM for every split of the classes into two groups; the class with the nearest code word wins.",
    estimator=ECOC,
    latex=(
        r"\text{for each column } p \text{ of the code } M\in\{-1,1\}^{k\times(2^{k-1}-1)}:\quad"
        r" \min_{w_p} \tfrac12\|w_p\|^2 + C\sum_{i=1}^m \bigl(1-M_{y_i p}\langle w_p,\phi(x_i)\rangle\bigr)_+"
    ),
    objective=objective,
    paper=Paper(
        "T. G. Dietterich, G. Bakiri",
        "Solving multiclass learning problems via error-correcting output codes",
        "JAIR 1995",
        "exhaustive codes; mcODM paper, section 6.1",
        "10.1613/jair.105",
    ),
    color="#C2A33A",
    marks=marks,
    limits="With two classes, the SVM. With three or more, a margin is a share of votes, not a distance.",
    support="support vectors of any SVM",
    complexity="One Gram matrix, and 2ᵏ⁻¹ − 1 SVMs on all m examples: practical for a few classes only.",
)
