"""Projections for drawing: the plane of two features or, for more features, the signed-distance view of one run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mdcore.basics.memo import cached_while_alive
from mdcore.basics.text import count
from mdcore.data import Prepared
from mdcore.experiment.run import Run
from mdcore.methods.base import MarginClassifier
from mdcore.solvers.arrays import Array

PADDING = 0.12
MOST_COLUMNS = 500  # columns up to which a part of the rows is drawn with the components of all rows
DISTANCE_LABEL = "signed distance f(x)/‖w‖"
FLAT_LABEL = "f(x), a constant"


@dataclass(frozen=True)
class Window:
    """The rectangle of the plane that is shown."""

    x: tuple[float, float]
    y: tuple[float, float]

    def holds(self, points: Array) -> bool:
        low, high = (self.x[0], self.y[0]), (self.x[1], self.y[1])
        return bool(((points >= low) & (points <= high)).all())

    def grown(self, other: Window) -> Window:
        """Return the smallest window that contains both."""
        return Window(
            (min(self.x[0], other.x[0]), max(self.x[1], other.x[1])),
            (min(self.y[0], other.y[0]), max(self.y[1], other.y[1])),
        )

    @property
    def corners(self) -> Array:
        return np.array([[self.x[0], self.y[0]], [self.x[1], self.y[1]]])

    def grid(self, n: int) -> tuple[Array, Array]:
        return np.linspace(*self.x, n), np.linspace(*self.y, n)


@dataclass(frozen=True, eq=False)
class Projection:
    """The points of the training rows, then of the test rows, with the window, the axis labels and a note.

    In a view by signed distance, f grows by `slope` per unit of x.
    """

    points: Array
    window: Window
    labels: tuple[str, str]
    note: str = ""
    slope: float = 1.0


def plane(prepared: Prepared, held: Window | None = None) -> Projection:
    """Return the two features themselves, in a square window, so that distances look the same in both directions.

    The window is `held`, the previous window, or else that of the unedited sample. It grows only for a point outside,
    because it must not move while the user drags a point or a slider.
    """
    points = np.vstack([prepared.X_train, prepared.X_test])
    window = held or _square(prepared.scaling.apply(prepared.unedited.X))
    if not window.holds(points):
        window = _square(np.vstack([window.corners, points]))
    return Projection(points, window, (prepared.dataset.features[0], prepared.dataset.features[1]))


def signed_distance(run: Run, held: Window | None = None) -> Projection:
    """Return the view of one run in which its boundary is the vertical line at 0; see `distance_view`.

    The window is `held`, the previous window, if that contains the points; otherwise it grows to contain them.
    """
    prepared = run.prepared
    X = np.vstack([prepared.X_train, prepared.X_test])
    signs = np.where(np.concatenate([prepared.y_train, prepared.y_test]) == run.model.classes_[1], 1.0, -1.0)
    functional = signs * np.concatenate([run.fit.train, run.fit.test])
    view = distance_view(
        X,
        len(prepared.X_train),
        functional,
        run.fit.norm,
        input_weights(run.model),
        f"{run.name}'s boundary",
        _upwards(prepared.all_rows or prepared, run.model.classes_[1]),
        _scatter_of_all(prepared),
    )
    if held is None:
        return view
    return replace(view, window=held if held.holds(view.points) else held.grown(view.window))


@cached_while_alive
def _upwards(prepared: Prepared, positive: Any) -> Array:
    """Return an upward direction in the input that is the same for all methods.

    It is mostly the first principal component, with the positive class upwards. Some of the second component is added,
    for methods whose w is along the first.
    """
    X, own = prepared.X_train, prepared.y_train == positive
    components = _components(X, min(2, X.shape[1]))
    first = components[:, 0]
    if X[own].mean(axis=0) @ first < X[~own].mean(axis=0) @ first:
        first = -first
    return np.asarray(first + 0.5 * components[:, -1] if components.shape[1] > 1 else first)


def input_weights(model: MarginClassifier, first: int = 1, second: int = 0) -> Array | None:
    """Return the weights of f_first - f_second in the input, or of f for two-class methods; None unless linear."""
    if not model.is_linear:
        return None
    return np.asarray(model.coef_[first] - model.coef_[second] if model.multiclass else model.coef_[0])


def distance_view(
    X: Array,
    fitted: int,
    f: Array,
    norm: float,
    w: Array | None,
    boundary: str,
    up: Array | None = None,
    scatter: Array | None = None,
) -> Projection:
    """Return the projection with x the signed distance to the boundary in the space of the kernel, and y a component.

    For a linear method, y is the first principal component of the input orthogonal to w, so that no direction is drawn
    twice. With a kernel there is no orthogonal part in the input, and y is the input's first principal component. The
    model was fitted on the first `fitted` rows of X; `f` holds its values at all rows, and f / `norm` is the distance.
    If `norm` is nan, f is constant to working precision, and x is f itself. The component points in the direction of
    `up`, which several methods share. It is computed from the fitted rows, or from `scatter` if X is a sample of more
    rows, whose scatter matrix this is.
    """
    flat = np.isnan(norm)
    slope = 1.0 if flat else norm
    distance = f / slope
    label = "1st component of the input"
    if w is not None:
        label = "1st component orthogonal to w"
        length = np.linalg.norm(w)
        direction = w / length if length > 0 else w
        X = X - np.outer(X @ direction, direction)
        if scatter is not None:
            left = np.eye(len(w)) - np.outer(direction, direction)
            scatter = left @ scatter @ left
    component = (_components(X[:fitted], 1) if scatter is None else _leading(scatter, 1))[:, 0]
    if up is not None and component @ up < 0.0:
        component = -component
    y = (X - X[:fitted].mean(axis=0)) @ component
    points = np.column_stack([distance, y])
    what = f"the exact distance to {boundary}, y the {label}. The boundary is the vertical line at 0."
    if flat:
        what = f"f(x), which is constant: {boundary} does not exist; y is the {label}."
    note = f"{count(X.shape[1], 'feature')}: x is {what}"
    title = FLAT_LABEL if flat else DISTANCE_LABEL
    return Projection(points, Window(padded(distance, 0.0), padded(y)), (title, label), note, slope)


def principal_plane(X: Array, fitted: int, scatter: Array | None = None) -> Projection:
    """Return the plane of the first two principal components, independent of any method.

    They are computed from the first `fitted` rows of X, or from `scatter` if X is a sample of more rows, whose scatter
    matrix this is.
    """
    centred = X - X[:fitted].mean(axis=0)
    points = centred @ (_components(X[:fitted], 2) if scatter is None else _leading(scatter, 2))
    if points.shape[1] == 1:  # a single feature has no second component
        points = np.column_stack([points, np.zeros(len(X))])
    variance = points[:fitted].var(axis=0) / max(float(centred[:fitted].var(axis=0).sum()), 1e-300)
    labels = (f"1st component ({variance[0]:.0%} of the variance)", f"2nd component ({variance[1]:.0%})")
    note = "A boundary in all features is not a line in this plane."
    return Projection(points, Window(padded(points[:, 0]), padded(points[:, 1])), labels, note)


def several_plane(prepared: Prepared) -> Projection:
    """Return the plane of principal components in a square window, for several classes with more than two features.

    It is the same for every method, and shows where the examples are, not where a method separates the classes.
    """
    X = np.vstack([prepared.X_train, prepared.X_test])
    flat = principal_plane(X, len(prepared.X_train), _scatter_of_all(prepared))
    note = f"the plane of largest variance of {X.shape[1]} features, in which boundaries are not lines"
    return Projection(flat.points, _square(flat.points), flat.labels, note)


def _components(X: Array, count: int) -> Array:
    """Return the directions of largest variance as columns; their largest entry is positive, so that no picture
    flips."""
    if X.shape[0] >= X.shape[1]:
        return _leading(_scatter(X), count)
    return _turned(np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:count].T)  # many columns


def _leading(scatter: Array, count: int) -> Array:
    return _turned(np.linalg.eigh(scatter)[1][:, ::-1][:, :count])


def _scatter(X: Array) -> Array:
    centred = X - X.mean(axis=0)
    return np.asarray(centred.T @ centred)


def _scatter_of_all(prepared: Prepared) -> Array | None:
    """Return the scatter matrix of all training rows if `prepared` is a sample of them, else None; also None if there
    are more than MOST_COLUMNS columns."""
    every = prepared.all_rows
    return None if every is None or every.X_train.shape[1] > MOST_COLUMNS else _known_scatter(every)


@cached_while_alive
def _known_scatter(prepared: Prepared) -> Array:
    return _scatter(prepared.X_train)


def _turned(directions: Array) -> Array:
    largest = np.abs(directions).argmax(axis=0)
    return np.asarray(directions * np.sign(directions[largest, np.arange(directions.shape[1])]))


def _square(points: Array) -> Window:
    low, high = points.min(axis=0), points.max(axis=0)
    half = (1.0 + PADDING) * max(float((high - low).max()) / 2.0, 1e-9 * max(1.0, float(np.abs(points).max())))
    centre = (low + high) / 2.0
    return Window(
        (float(centre[0] - half), float(centre[0] + half)), (float(centre[1] - half), float(centre[1] + half))
    )


def padded(values: Array, *also: float) -> tuple[float, float]:
    """Return the range of the values and of the numbers `also`, with some room at both ends."""
    low, high = min(values.min(), *also, np.inf), max(values.max(), *also, -np.inf)
    pad = PADDING * (high - low) / 2.0 or 0.5
    return float(low - pad), float(high + pad)
