"""The axes of a picture, kept from the previous picture while the subject is the same, so that only the data move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mdcore.experiment import Experiment
from mdcore.margin import PARTS, common_edges, grown_edges
from mdcore.projection import Projection, Window
from mdcore.run import Run

Array = NDArray[np.float64]
PLANE = "plane"  # the key of the window that all methods share; the other keys are methods


@dataclass(frozen=True, eq=False)
class Axes:
    """The axes of a picture: the bin edges of the histogram, and the window of each panel."""

    experiment: Experiment | None = None
    edges: Array | None = None
    windows: Mapping[str, Window] = field(default_factory=dict)

    def applicable_to(self, experiment: Experiment) -> Axes:
        """Return the axes that still apply: none for other data or another kernel, and no margin axis for another scale
        or other methods."""
        if self.experiment is None or _subject(self.experiment) != _subject(experiment):
            return Axes(experiment)
        same = (self.experiment.scale, self.experiment.methods) == (experiment.scale, experiment.methods)
        return Axes(experiment, self.edges if same else None, self.windows)

    def edges_for(self, runs: Iterable[Run]) -> Array:
        """Return the bin edges for these runs: the previous edges, extended where margins exceed them."""
        distributions = [run.on_axis(part) for run in runs for part in PARTS]
        return common_edges(distributions) if self.edges is None else grown_edges(self.edges, distributions)


def axes_of(experiment: Experiment, edges: Array, drawn: Mapping[str, Projection]) -> Axes:
    return Axes(experiment, edges, {name: projection.window for name, projection in drawn.items()})


def _subject(experiment: Experiment) -> tuple[object, ...]:
    return experiment.data.source, experiment.data.scaling, experiment.kernel.name, experiment.kernel.bias
