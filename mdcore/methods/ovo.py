"""One-versus-one SVMs, the mcODM paper's ovoSVM."""

from __future__ import annotations

from mdcore.methods.coded import VotingSVM, marks
from mdcore.methods.svm import objective
from mdcore.methods.votes import pairs_of
from mdcore.solvers.arrays import Array
from mdcore.spec import Method, Paper


class OVO(VotingSVM):
    """One-versus-one SVMs: one for each pair of classes; the class with the most votes wins.

    Votes are counted, rather than decisions summed, because an SVM may have a large but meaningless decision value at a
    point far from both of its classes.
    """

    @staticmethod
    def code(k: int) -> Array:
        return pairs_of(k)

    @staticmethod
    def unanimous(k: int) -> int:
        return k - 1


METHOD = Method(
    key="ovo",
    name="ovoSVM",
    summary="One SVM for each pair of classes; the class with the most votes wins.",
    estimator=OVO,
    latex=(
        r"\text{for each pair } j<l:\quad \min_{w_{jl}} \tfrac12\|w_{jl}\|^2 + C\sum_{i:\,y_i\in\{j,l\}}"
        r"\bigl(1-s_i\langle w_{jl},\phi(x_i)\rangle\bigr)_+,\quad s_i=-1 \text{ for } j,\ +1 \text{ for } l"
    ),
    objective=objective,
    paper=Paper(
        "U. Kressel", "Pairwise classification and support vector machines", "MIT Press, 1998", "mcODM paper, 6.1"
    ),
    color="#1B5E20",
    marks=marks,
    limits="With two classes, the SVM. With three or more, a margin is a share of votes, not a distance.",
    support="support vectors of any SVM",
    complexity="One Gram matrix, and k(k − 1)/2 SVMs, each on the examples of its two classes.",
)
