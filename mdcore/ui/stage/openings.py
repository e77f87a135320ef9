"""The pages that live on the stage: what each begins with, offers and shows. The stage is the same for all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from mdcore.experiment import Experiment
from mdcore.query import OPENING
from mdcore.run import Run

if TYPE_CHECKING:
    from mdcore.ui.stage.scene import Drawn

Array = NDArray[np.float64]
Extra = Callable[[Experiment, Mapping[str, Run], Array], tuple[dict[str, Any], dict[str, NDArray[Any]]]]


@dataclass(frozen=True)
class Opening:
    """`query` is the first picture and gives what an address leaves out; `charts` are those of `charts.js`, by name.

    `methods` are offered first, in this order, the others behind them. `extra` adds to the message what the page's
    own charts draw, from the same runs and in the histogram's bins; while its header has a true `unfinished`, the
    browser asks for the same picture again, and before it is made, `fit_more` does a little more of what is missing.
    `lead` names options of the data that stand over the picture. `several`: a set of several classes opens with all of
    them, not with a pair. `address` reads the page's own address as a query; `drawn` is told of every picture and of
    the request that asked for it.
    """

    key: str
    query: str
    methods: tuple[str, ...] = ()
    charts: tuple[str, ...] = ("histogram", "cumulative")
    extra: Extra = lambda experiment, runs, edges: ({}, {})
    fit_more: Callable[[Experiment], None] = lambda experiment: None
    lead: tuple[str, ...] = ()
    several: bool = False
    address: Callable[[Sequence[tuple[str, str]]], str] = urlencode
    drawn: Callable[[Mapping[str, Any], Drawn], None] = lambda asked, now: None


PLAYGROUND = Opening("playground", OPENING)
