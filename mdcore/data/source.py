"""The record of a source of data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

from mdcore.basics.text import quoted
from mdcore.data.dataset import Examples
from mdcore.data.preparation import ScalingName
from mdcore.spaces.kernels import GAMMA_DEFAULT, KernelName
from mdcore.spec import Choice, Setting

KEEP = "keep"  # the option that selects the classes of a source
EVERY_CLASS = "all"


@dataclass(frozen=True)
class Source:
    """A source of data. `make` takes all of the options, by name, and nothing else.

    `scaling`, `kernel` and `gamma` are the settings with which a page opens the source; if `kernel` is None, the page
    keeps its own kernel.
    """

    key: str
    title: str
    summary: str
    options: tuple[Setting, ...]
    make: Callable[..., Examples]
    scaling: ScalingName
    planar: bool
    _: KW_ONLY
    kernel: KernelName | None = None
    gamma: float | str = GAMMA_DEFAULT

    def recipe(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options in order: the given ones after checking them, the others at their defaults."""
        known = {option.name: option for option in self.options}
        for given in options:
            if given not in known:
                has = f"its options are {', '.join(known)}" if known else "it has none"
                raise ValueError(f"{self.key} has no option {quoted(given)}; {has}.")
        return {name: _resolved(option, options.get(name, option.default), self.key) for name, option in known.items()}


def _resolved(option: Setting, value: Any, owner: str) -> int | float | str:
    """Return the checked value as a plain int, float or str, so that equal recipes have equal keys and equal texts."""
    checked = option.parse(value, owner) if isinstance(value, str) else option.check(value, owner)
    if isinstance(option, Choice):
        return str(checked)
    return int(checked) if option.integer else float(checked)
