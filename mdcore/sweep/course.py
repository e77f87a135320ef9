"""What kinds of work the results of a sweep are, for who foretells how long it takes: fits of one kind take alike."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mdcore.sweep.axis import affects, is_shared
from mdcore.sweep.plan import Place, Sweep

# What a fit is thought to cost until some are made: one where much is new, and one that goes on from its neighbour's.
AFRESH, MOVED = 1.0, 0.2
MADE = "made"


def course(sweep: Sweep) -> Iterator[tuple[Hashable, float]]:
    """Yield kind and cost of every result in the order of `points`: fits of a method after the same axes have moved.

    What does not concern a method moves it for nothing: its result is there.
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
                    yield MADE, 0.0
                    continue
                made.add((method, own))
                before = last.get(method)
                last[method] = own
                if before is None:
                    yield (method,), AFRESH
                    continue
                moved = tuple(number for number, here, there in zip(numbers, own, before, strict=True) if here != there)
                yield (method, moved), AFRESH if set(moved) & outer else MOVED
