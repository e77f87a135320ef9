"""What a picture takes over from the last one. It travels to the browser and back with the next request, so that any
process can answer it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mdcore.experiment import Experiment
from mdcore.experiment.projection import Projection, Window
from mdcore.experiment.query import VIEW
from mdcore.experiment.run import Run
from mdcore.margins.distribution import PARTS, common_edges, covered, grown_edges

Array = NDArray[np.float64]
PLANE = "plane"  # the key of the window that all methods share; the other keys are methods
LARGEST = 1e100  # an axis that reaches further is not held
LOOSE = 0.5  # the share of the margin axis that margins cover at least once a hand has let go


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes of a picture: the bin edges of the histogram, and the window of each panel.

    The windows belong to a subject, the data and the kernel; the edges also to a scope, the scale and the methods.
    """

    subject: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    edges: Array | None = None
    windows: Mapping[str, Window] = field(default_factory=dict)

    def applicable_to(self, experiment: Experiment) -> Axes:
        """Return the axes that still apply: none for other data or another kernel, and no margin axis for another scale
        or other methods."""
        if self.subject != _subject(experiment):
            return FRESH
        return self if self.scope == _scope(experiment) else replace(self, edges=None)

    def are_loose_for(self, runs: Iterable[Run]) -> bool:
        """Return whether the margins of these runs leave most of the margin axis empty."""
        distributions = [run.on_axis(part) for run in runs for part in PARTS]
        return self.edges is not None and covered(self.edges, distributions) < LOOSE

    def edges_for(self, runs: Iterable[Run]) -> Array:
        """Return the bin edges for these runs: the previous edges, extended where margins exceed them."""
        distributions = [run.on_axis(part) for run in runs for part in PARTS]
        return common_edges(distributions) if self.edges is None else grown_edges(self.edges, distributions)


FRESH = Axes()


def axes_of(experiment: Experiment, edges: Array, drawn: Mapping[str, Projection]) -> Axes:
    windows = {name: projection.window for name, projection in drawn.items()}
    return Axes(_subject(experiment), _scope(experiment), edges, windows)


@dataclass(frozen=True, eq=False)
class LastPicture:
    """The last picture of a stage: its state, the state at the start of the drag that led to it ("" if it is described
    by itself), its axes, and the contents of its panels by method, and of its points under ""."""

    query: str
    start: str = ""
    gesture: int | None = None
    preview: bool = False
    axes: Axes = FRESH
    contents: Mapping[str, str] = field(default_factory=dict)

    @property
    def recipe(self) -> str:
        """The state without its view."""
        return self.query.partition(f"&{VIEW}")[0]

    def start_of(self, gesture: int | None) -> str:
        """Return the state with which the sentence compares a picture of this gesture."""
        return self.start if gesture is not None and gesture == self.gesture else self.query

    def packed(self) -> dict[str, Any]:
        """Return the picture as JSON data, which `read_last` of validation.py reads."""
        axes = self.axes
        held = axes.edges is not None and np.abs(axes.edges).max() <= LARGEST
        windows = {name: [*window.x, *window.y] for name, window in axes.windows.items()}
        return {
            "query": self.query,
            "start": self.start,
            "gesture": self.gesture,
            "preview": self.preview,
            "subject": axes.subject,
            "scope": axes.scope,
            "edges": axes.edges.tolist() if held and axes.edges is not None else None,
            "contents": dict(self.contents),
            "windows": {name: ends for name, ends in windows.items() if max(map(abs, ends)) <= LARGEST},
        }


def _subject(experiment: Experiment) -> tuple[str, ...]:
    data, kernel = experiment.data, experiment.kernel
    return data.source, data.scaling, kernel.name, str(kernel.bias)


def _scope(experiment: Experiment) -> tuple[str, ...]:
    return experiment.scale, *experiment.methods
