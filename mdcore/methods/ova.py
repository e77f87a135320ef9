"""One-versus-all SVMs, the mcODM paper's ovaSVM."""

from __future__ import annotations

import numpy as np

from mdcore.methods.coded import CodedSVM
from mdcore.methods.svm import marks, objective
from mdcore.solvers.arrays import Array
from mdcore.spec import Method, Paper


class OVA(CodedSVM):
    """One-versus-all SVMs: one for each class against all others; the score of a class is half its SVM's decision."""

    @staticmethod
    def code(k: int) -> Array:
        return 2.0 * np.eye(k) - 1.0

    @staticmethod
    def decode(code: Array) -> Array:
        return 0.5 * np.eye(len(code))  # so that binary margins of one give a margin of one


METHOD = Method(
    key="ova",
    name="ovaSVM",
    summary="One SVM for each class against all the others; the largest decision wins.",
    estimator=OVA,
    latex=(
        r"\text{for each class } l:\quad \min_{w_l} \tfrac12\|w_l\|^2 + C\sum_{i=1}^m"
        r"\bigl(1-s_{il}\langle w_l,\phi(x_i)\rangle\bigr)_+,\quad s_{il}=\pm1 \text{ as } y_i=l \text{ or not}"
    ),
    objective=objective,
    paper=Paper("V. Vapnik", "The nature of statistical learning theory", "Springer, 1995", "mcODM paper, section 6.1"),
    color="#1295A6",
    marks=marks,
    limits="With two classes, the SVM, fitted twice.",
    support="support vectors of any SVM",
    complexity="One Gram matrix, and k SVMs, each on all m examples.",
)
