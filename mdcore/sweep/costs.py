"""The kinds of fits in a sweep, for estimates of the time left: fits of the same kind take about the same time."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mdcore.sweep.axis import affects, is_shared
from mdcore.sweep.plan import Place, Sweep

# Assumed costs until fits have been timed: of a fit on new data or a new kernel, and of a warm start.
COLD_COST, WARM_COST = 1.0, 0.2
REPEATED = "made"


def cost_sequence(sweep: Sweep) -> Iterator[tuple[Hashable, float]]:
    """Yield (kind, cost) for every result, in the order of `points`.

    Fits of a method have the same kind if the same axes moved since its last fit. A result that is only repeated,
    because the axis that moved does not affect the method, has kind REPEATED and cost 0.
    """
    axes = {
        method: [number for number, axis in enumerate(sweep.axes) if affects(axis.key, method)]
        for method in sweep.experiment.methods
    }
    outer = {number for number, axis in enumerate(sweep.axes) if is_shared(axis.key)} | set(sweep.order[:-1])
    for _ in range(sweep.repeats):
        last: dict[str, Place] = {}
        made: set[tuple[str, Place]] = set()
        for place in sweep.path():
            for method, numbers in axes.items():
                own = tuple(place[number] for number in numbers)
                if (method, own) in made:
                    yield REPEATED, 0.0
                    continue
                made.add((method, own))
                before = last.get(method)
                last[method] = own
                if before is None:
                    yield (method,), COLD_COST
                    continue
                moved = tuple(number for number, here, there in zip(numbers, own, before, strict=True) if here != there)
                yield (method, moved), COLD_COST if set(moved) & outer else WARM_COST
