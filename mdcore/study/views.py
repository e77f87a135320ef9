"""What to look at of one model of a comparison, with two features or with many. No value is made up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mdcore.margin import rescale
from mdcore.projection import Projection, Window, distance_view, principal_plane
from mdcore.study.trial import Fitted

Array = NDArray[np.float64]
Centre = Literal["mean", "median"]

GRID = 80


@dataclass(frozen=True, eq=False)
class View:
    """Points in a plane: the rows fitted on, then the test rows. `field` is f over a grid of it, where it has one."""

    title: str
    projection: Projection
    labels: NDArray[Any]
    classes: NDArray[Any]
    rows: NDArray[np.intp]
    fitted: int
    margins: Array
    unit: float
    field: tuple[Array, Array, Array] | None = None


def distance(fitted: Fitted) -> View:
    """Signed distance to the boundary against the first principal component of the rest."""
    if len(fitted.model.classes_) > 2:
        raise ValueError("The signed distance is that of two classes; use the plane of principal components.")
    f = fitted.model.decision_function(_inputs(fitted))
    name = fitted.method.name
    return _view(fitted, distance_view(_inputs(fitted), len(fitted.rows), f, fitted.model, name))


def components(fitted: Fitted) -> View:
    """The plane of the two directions of largest variance."""
    return _view(fitted, principal_plane(_inputs(fitted), len(fitted.rows)))


def pair(fitted: Fitted, first: int, second: int, at: Centre) -> View:
    """f over two prepared columns, all others held at their training mean or median, which the note says."""
    X_fit, X = fitted.part.X_fit, _inputs(fitted)
    d = X.shape[1]
    if first == second or not (0 <= first < d and 0 <= second < d):
        raise ValueError(f"Pick two different columns of the {d}; got {first} and {second}.")
    centre = X_fit.mean(axis=0) if at == "mean" else np.median(X_fit, axis=0)
    points = X[:, [first, second]]
    window = Window(*(_reach(points[:, axis]) for axis in (0, 1)))
    xs, ys = window.grid(GRID)
    grid = np.tile(centre, (GRID * GRID, 1))
    grid[:, first], grid[:, second] = (axis.ravel() for axis in np.meshgrid(xs, ys))
    if len(fitted.model.classes_) > 2:
        raise ValueError("Two columns are drawn with the f of two classes; use the plane of principal components.")
    f = fitted.model.decision_function(grid).reshape(GRID, GRID)
    note = (
        f"The colours are f where the other {d - 2} columns are at their training {at}. A point keeps its own values "
        "of them: it may lie on the side of the other class without being an error. Errors have a ring."
        if d > 2
        else "Two columns: the colours are f itself."
    )
    labels = (fitted.features[first], fitted.features[second])
    return _view(fitted, Projection(points, window, labels, note), (xs, ys, f))


def _view(fitted: Fitted, projection: Projection, field: tuple[Array, Array, Array] | None = None) -> View:
    y = np.concatenate([fitted.part.y_fit, fitted.part.y_new])
    functional = fitted.model.margins(_inputs(fitted), y)
    mean = float(functional[: len(fitted.rows)].mean())
    return View(
        title=fitted.method.name,
        projection=projection,
        labels=y,
        classes=fitted.model.classes_,
        rows=np.concatenate([fitted.rows, fitted.test]),
        fitted=len(fitted.rows),
        margins=rescale(functional, fitted.model.norm_, "geometric"),
        unit=mean if fitted.method.unit == "mean margin" and mean > 0 else 1.0,
        field=field,
    )


def _inputs(fitted: Fitted) -> Array:
    return np.vstack([fitted.part.X_fit, fitted.part.X_new])


def _reach(values: Array) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    pad = 0.06 * (high - low) or 0.5
    return low - pad, high + pad
