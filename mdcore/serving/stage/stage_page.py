"""The configuration of each page built on the stage: its first picture and the controls and charts it offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from mdcore.experiment import Experiment
from mdcore.experiment.query import OPENING
from mdcore.experiment.run import Run
from mdcore.serving.stage.arrays import Arrays
from mdcore.serving.stage.header import LectureScene, MulticlassScene, OnlineScene

Array = NDArray[np.float64]
PageScene = OnlineScene | MulticlassScene | LectureScene
Extra = Callable[[Experiment, Mapping[str, Run], Array], tuple[PageScene, Arrays]]


@dataclass(frozen=True)
class StagePage:
    """The configuration of one page.

    `query` is the first picture, and supplies every key that an address omits. `charts` are names from `charts.js`.
    `methods` are offered first, in this order, followed by all others. `extra` returns additional header entries and
    arrays for the page's own charts, computed from the same runs and the histogram's bin edges. While the header has a
    true `unfinished`, the browser requests the same picture again, and each time `fit_more` first continues the missing
    computations. `lead` names the data options shown above the picture. If `several`, data with several classes open
    with all classes instead of a pair. `address` converts the page's URL parameters to a query.
    """

    key: str
    query: str
    methods: tuple[str, ...] = ()
    charts: tuple[str, ...] = ("histogram", "cumulative")
    extra: Extra = lambda experiment, runs, edges: (LectureScene(), {})
    fit_more: Callable[[Experiment], None] = lambda experiment: None
    lead: tuple[str, ...] = ()
    several: bool = False
    address: Callable[[Sequence[tuple[str, str]]], str] = urlencode


PLAYGROUND = StagePage("playground", OPENING)
