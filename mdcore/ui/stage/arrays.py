"""The names of the arrays in a message, in one place; the stage has them with their types in `state/scene.js`."""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Kind = Literal[
    "x",  # of every example, or of one method whose panel has a plane of its own
    "y",
    "label",
    "part",
    "row",
    "margin",  # these of one method
    "flag",  # support vectors, or the examples outside the band
    "predicted",
    "field",  # the decision function on the grid
    "region",  # the class predicted on the grid
    "certainty",
    "count",  # margins in bins, of a part, perhaps of one class
    "curve",  # ordered margins, likewise
    "share",  # of training margins in bins, for a number of classes
    "race",
    "weights",
]


def named(kind: Kind, *of: object, pin: str = "") -> str:
    """Return the name of an array: `named("curve", "svm", "train")` is "curve:svm:train"."""
    return ":".join([*([pin] if pin else []), kind, *map(str, of)])
