"""Two-dimensional views of one model of a comparison, for two features or many."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.text import label_text
from mdcore.experiment.projection import Projection, Window, distance_view, input_weights, padded, principal_plane
from mdcore.methods.multiclass import MulticlassMixin
from mdcore.methods.one_versus_rest import OneVersusRest
from mdcore.solvers.arrays import Array
from mdcore.study.evaluation import FittedModel

Centre = Literal["mean", "median"]
Sides = tuple[int, int | None]  # a class, and the class it is separated from; None means all the rest

GRID = 80


@dataclass(frozen=True, eq=False)
class View:
    """Points in a plane: the fitted rows, then the test rows.

    `field` holds f on a grid in the plane if f is defined there; for several classes, the index of the predicted class.
    """

    title: str
    projection: Projection
    labels: NDArray[Any]
    classes: NDArray[Any]
    rows: NDArray[np.intp]
    fitted: int
    margins: Array
    unit: float
    field: tuple[Array, Array, NDArray[Any]] | None = None


def boundaries(fitted: FittedModel) -> dict[str, Sides]:
    """Return the boundaries with an exact distance, by name: between two classes, or between one class and the rest for
    one-versus-rest models. None if scores count votes, which are no distances, or where f is constant."""
    model, labels = fitted.model, [label_text(label) for label in fitted.model.classes_]
    if isinstance(model, OneVersusRest):
        apart = [one.distance_norm() for one in model.estimators_]
        return {f"{label} and the rest": (code, None) for code, label in enumerate(labels) if apart[code] > 0.0}
    norms = model.distance_norms_
    pairs = [(a, b) for a, b in combinations(range(len(labels)), 2) if norms[b, a] > 0.0]
    return {f"{labels[a]} and {labels[b]}": (b, a) for a, b in pairs}


def distance(fitted: FittedModel, boundary: str | None = None) -> View:
    """Return the signed distance to a boundary, plotted against the first principal component of the rest."""
    known = boundaries(fitted)
    if boundary is None:
        boundary = next(iter(known), None)
    if boundary not in known:
        raise ValueError(f"{fitted.name} has no boundary {boundary!r} with a distance; it has {', '.join(known)}.")
    model, (first, second) = fitted.model, known[boundary]
    name = fitted.name
    if second is None:
        assert isinstance(model, OneVersusRest)
        model, first, second = model.estimators_[first], 1, 0
        name = fitted.method.name
    X = _inputs(fitted)
    scores = model.scores(X)[:, [first, second]] if isinstance(model, MulticlassMixin) else None
    f = model.decision_function(X) if scores is None else scores @ [1.0, -1.0]
    norm, w = model.distance_norm(first, second), input_weights(model, first, second)
    title = f"the boundary of {name} between {boundary}"
    return _view(fitted, distance_view(X, len(fitted.prepared.fit), f, norm, w, title))


def components(fitted: FittedModel) -> View:
    """Return the plane of the first two principal components."""
    return _view(fitted, principal_plane(_inputs(fitted), len(fitted.prepared.fit)))


def pair(fitted: FittedModel, first: int, second: int, at: Centre) -> View:
    """Return f, or the predicted class, over two prepared columns, with all others at their training mean or median."""
    X_fit, X = fitted.prepared.X_fit, _inputs(fitted)
    d = X.shape[1]
    if first == second or not (0 <= first < d and 0 <= second < d):
        raise ValueError(f"Pick two different columns of the {d}; got {first} and {second}.")
    centre = X_fit.mean(axis=0) if at == "mean" else np.median(X_fit, axis=0)
    points = X[:, [first, second]]
    window = Window(*(padded(points[:, axis]) for axis in (0, 1)))
    xs, ys = window.grid(GRID)
    grid = np.tile(centre, (GRID * GRID, 1))
    grid[:, first], grid[:, second] = (axis.ravel() for axis in np.meshgrid(xs, ys))
    model = fitted.model
    several = len(model.classes_) > 2
    drawn = np.searchsorted(model.classes_, model.predict(grid)) if several else model.decision_function(grid)
    what = "the class predicted" if several else "f"
    note = (
        f"The colours show {what} with the other {d - 2} columns at their training {at}. Points keep their own values "
        "in these columns, so a point on the side of another class need not be an error."
        if d > 2
        else f"Two columns: the colours show {what} itself."
    )
    labels = (fitted.prepared.features[first], fitted.prepared.features[second])
    return _view(fitted, Projection(points, window, labels, note), (xs, ys, drawn.reshape(GRID, GRID)))


def _view(fitted: FittedModel, projection: Projection, field: tuple[Array, Array, NDArray[Any]] | None = None) -> View:
    y = np.concatenate([fitted.prepared.y_fit, fitted.prepared.y_new])
    margins = fitted.model.both_margins(_inputs(fitted), y)
    return View(
        title=fitted.name,
        projection=projection,
        labels=y,
        classes=fitted.model.classes_,
        rows=np.concatenate([fitted.prepared.fit, fitted.prepared.new]),
        fitted=len(fitted.prepared.fit),
        margins=margins.on("geometric").values,
        unit=fitted.method.outer_margin(float(margins.functional[: len(fitted.prepared.fit)].mean())),
        field=field,
    )


def _inputs(fitted: FittedModel) -> Array:
    return np.vstack([fitted.prepared.X_fit, fitted.prepared.X_new])
