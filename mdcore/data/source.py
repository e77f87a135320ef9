"""The record of a source of data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mdcore.data.dataset import Dataset
from mdcore.data.preparation import ScalingName
from mdcore.spec import Setting


@dataclass(frozen=True)
class Source:
    """A source of data. `make` takes exactly the options, all of them; `scaling` is the one it opens with."""

    key: str
    title: str
    summary: str
    options: tuple[Setting, ...]
    make: Callable[..., Dataset]
    scaling: ScalingName
    planar: bool
