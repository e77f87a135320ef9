"""Where points are drawn: the plane of two features, or, for more, the exact signed-distance view of one run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.data import Prepared
from mdcore.margin import over
from mdcore.memo import while_it_lives
from mdcore.run import Run
from mdcore.text import count

Array = NDArray[np.float64]

PADDING = 0.12
MOST_COLUMNS = 500  # whose components are those of all rows while a part of them is drawn
DISTANCE_LABEL = "signed distance f(x)/‖w‖"


@dataclass(frozen=True)
class Window:
    """The rectangle shown."""

    x: tuple[float, float]
    y: tuple[float, float]

    def holds(self, points: Array) -> bool:
        low, high = (self.x[0], self.y[0]), (self.x[1], self.y[1])
        return bool(((points >= low) & (points <= high)).all())

    def grown(self, other: Window) -> Window:
        """Return the smallest that holds both."""
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
    """Coordinates of the training rows, then the test rows; f at the grid positions of the window."""

    points: Array
    window: Window
    labels: tuple[str, str]
    note: str = ""


def plane(prepared: Prepared, held: Window | None = None) -> Projection:
    """Return two features as they are, in a square window, so that distances look alike in both directions.

    The window is the one `held` before where there is one, else that of the unedited sample, and grows only for a point
    outside it: it must not move under the hand that drags a point or a slider.
    """
    points = np.vstack([prepared.X_train, prepared.X_test])
    window = held or _square(prepared.scaling.apply(prepared.unedited.X))
    if not window.holds(points):
        window = _square(np.vstack([window.corners, points]))
    return Projection(points, window, (prepared.dataset.features[0], prepared.dataset.features[1]))


def signed_distance(run: Run, held: Window | None = None) -> Projection:
    """Return the view of one run in which its boundary is the vertical line at 0; see `distance_view`.

    Its window is the one `held` before where that holds the points, else grows from there.
    """
    prepared = run.prepared
    X = np.vstack([prepared.X_train, prepared.X_test])
    signs = np.where(np.concatenate([prepared.y_train, prepared.y_test]) == run.model.classes_[1], 1.0, -1.0)
    functional = signs * np.concatenate([run.fit.train, run.fit.test])
    view = distance_view(
        X,
        len(prepared.X_train),
        functional,
        run.norm,
        input_weights(run.model),
        f"{run.name}'s boundary",
        _upwards(prepared.all_rows or prepared, run.model.classes_[1]),
        _scatter_of_all(prepared),
    )
    if held is None:
        return view
    return replace(view, window=held if held.holds(view.points) else held.grown(view.window))


@while_it_lives
def _upwards(prepared: Prepared, positive: Any) -> Array:
    """Return a direction of the input that no method has a say in: mostly the first component, the positive class
    upwards.

    Some of the second is in it, for a method whose w is along the first.
    """
    X, own = prepared.X_train, prepared.y_train == positive
    components = _components(X, min(2, X.shape[1]))
    first = components[:, 0]
    if X[own].mean(axis=0) @ first < X[~own].mean(axis=0) @ first:
        first = -first
    return np.asarray(first + 0.5 * components[:, -1] if components.shape[1] > 1 else first)


def input_weights(model: Any, first: int = 1, second: int = 0) -> Array | None:
    """w of f_first - f_second, of two classes that of f, in the input; None where it lives in a kernel's space."""
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
    """x: signed distance to the boundary in the method's own space; y: first principal component of what is left.

    For a linear method what is left is the part of the input orthogonal to w, so no direction is drawn twice; with a
    kernel there is no such part in the input, and y is the input's first principal component. No feature is filled in.
    The first `fitted` rows of X are those the model was fitted on; f are its values at all of them, `norm` its ||w||.
    y grows in the direction of `up`, which several methods have in common. Components are those of the rows fitted on,
    or of more rows, whose `scatter` is given: a sample of them is then drawn in their place.
    """
    distance = over(f, norm)
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
    note = (
        f"{count(X.shape[1], 'feature')}: x is the exact distance to {boundary}, y the {label}. "
        "The boundary is the vertical line at 0."
    )
    return Projection(points, Window(padded(distance, 0.0), padded(y)), (DISTANCE_LABEL, label), note)


def principal_plane(X: Array, fitted: int, scatter: Array | None = None) -> Projection:
    """Return the first two principal components of the rows fitted on, the first `fitted` of X, or of more rows, whose
    `scatter` is given. It knows no method."""
    centred = X - X[:fitted].mean(axis=0)
    points = centred @ (_components(X[:fitted], 2) if scatter is None else _leading(scatter, 2))
    if points.shape[1] == 1:  # a single feature has no second component
        points = np.column_stack([points, np.zeros(len(X))])
    variance = points[:fitted].var(axis=0) / max(float(centred[:fitted].var(axis=0).sum()), 1e-300)
    labels = (f"1st component ({variance[0]:.0%} of the variance)", f"2nd component ({variance[1]:.0%})")
    note = "A boundary in all features has no line in this plane."
    return Projection(points, Window(padded(points[:, 0]), padded(points[:, 1])), labels, note)


def several_plane(prepared: Prepared) -> Projection:
    """Several classes with more than two features: the plane of principal components, in a square window.

    It is the same for every method, and shows where the examples lie, not where a method parts the classes.
    """
    X = np.vstack([prepared.X_train, prepared.X_test])
    flat = principal_plane(X, len(prepared.X_train), _scatter_of_all(prepared))
    note = f"the plane of largest variance of {X.shape[1]} features: boundaries have no line in it"
    return Projection(flat.points, _square(flat.points), flat.labels, note)


def _components(X: Array, count: int) -> Array:
    """Directions of largest variance, in columns, the largest entry of each positive, so that no picture flips."""
    if X.shape[0] >= X.shape[1]:
        return _leading(_scatter(X), count)
    return _turned(np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2][:count].T)  # thousands of columns


def _leading(scatter: Array, count: int) -> Array:
    return _turned(np.linalg.eigh(scatter)[1][:, ::-1][:, :count])


def _scatter(X: Array) -> Array:
    centred = X - X.mean(axis=0)
    return np.asarray(centred.T @ centred)


def _scatter_of_all(prepared: Prepared) -> Array | None:
    """Return that of all training rows where these are a part of them; None of thousands of columns."""
    every = prepared.all_rows
    return None if every is None or every.X_train.shape[1] > MOST_COLUMNS else _known_scatter(every)


@while_it_lives
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
    """Return the reach of the values, and of these also, with some room at both ends."""
    low, high = min(values.min(), *also, np.inf), max(values.max(), *also, -np.inf)
    pad = PADDING * (high - low) / 2.0 or 0.5
    return float(low - pad), float(high + pad)
