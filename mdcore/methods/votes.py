"""Votes of models that each tell some classes from others, as scores of the classes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mdcore.solvers.arrays import Array


def pairs_of(k: int) -> Array:
    """Return the code of one model for each pair of k classes: rows are classes, columns are models, -1 and +1 are the
    two sides, and 0 means that the model does not know the class."""
    pairs = np.array(list(combinations(range(k), 2)))
    code, columns = np.zeros((k, len(pairs))), np.arange(len(pairs))
    code[pairs[:, 0], columns], code[pairs[:, 1], columns] = -1.0, 1.0
    return code


def votes_of(decisions: Array, code: Array) -> NDArray[np.intp]:
    """Return the votes for each class: every model votes for all classes on its side."""
    signs = np.where(decisions > 0.0, 1.0, -1.0)
    return np.stack([(signs == word).sum(axis=-1) for word in code], axis=-1)


def scores_from_votes(decisions: Array, code: Array, unanimous: int) -> Array:
    """Return the votes for each class as a share of a `unanimous` vote; ties are broken by the sum of the decisions."""
    sums = decisions @ code.T
    tie_breaker = sums / (3.0 * (np.abs(sums) + 1.0))
    return np.asarray((votes_of(decisions, code) + tie_breaker) / unanimous)
