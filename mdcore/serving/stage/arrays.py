"""The arrays of a message: their names and types."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
DTYPES = {
    "x": "float32",  # coordinates of all examples; per method if each panel has its own plane
    "y": "float32",
    "label": "uint8",
    "part": "uint8",
    "row": "int32",
    "margin": "float64",  # this array and the following ones belong to one method
    "flag": "uint8",  # support vectors, or the examples outside the band
    "predicted": "uint8",
    "field": "int16",  # the decision function on the grid
    "region": "uint8",  # the class predicted on the grid
    "certainty": "uint8",
    "count": "int32",  # histogram of margins, by part and optionally by class
    "curve": "float64",  # sorted margins, by part and optionally by class
    "share": "float64",  # histogram of training margins, for a number of classes
    "race": "float32",
    "weights": "float32",
}
WHOLE = ("x", "y", "label", "part", "row")  # those of all examples
PINNED = ("field", "curve", "count")  # those that a pinned state has, too


def named(kind: str, *of: object, pin: str = "") -> str:
    """Return the name of an array: `named("curve", "svm", "train")` is "curve:svm:train"."""
    if kind not in DTYPES:
        raise ValueError(f"no kind of array is called {kind!r}.")
    return ":".join([*([pin] if pin else []), kind, *map(str, of)])


def method_of(name: str) -> str:
    """Return the method whose array has this name; "" if it is of all examples."""
    return name.partition(":")[2].partition(":")[0]
