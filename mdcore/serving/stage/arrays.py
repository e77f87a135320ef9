"""The names of the arrays in a message; `state/scene.js` declares the same names with their types."""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
Kind = Literal[
    "x",  # coordinates of all examples; per method if each panel has its own plane
    "y",
    "label",
    "part",
    "row",
    "margin",  # this array and the following ones belong to one method
    "flag",  # support vectors, or the examples outside the band
    "predicted",
    "field",  # the decision function on the grid
    "region",  # the class predicted on the grid
    "certainty",
    "count",  # histogram of margins, by part and optionally by class
    "curve",  # sorted margins, by part and optionally by class
    "share",  # histogram of training margins, for a number of classes
    "race",
    "weights",
]


def named(kind: Kind, *of: object, pin: str = "") -> str:
    """Return the name of an array: `named("curve", "svm", "train")` is "curve:svm:train"."""
    return ":".join([*([pin] if pin else []), kind, *map(str, of)])
