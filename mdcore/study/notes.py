"""Facts about a comparison that are easily missed: leaks, drift, duplicates, and reductions of the data.

A note holds a fact with its figures; `sentence` of `mdcore/study/wording.py` puts it into words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from mdcore.data.splitting import GROUPS, RANDOM, TIME
from mdcore.data.tables.columns import has_many_levels
from mdcore.study.comparison import Comparison
from mdcore.study.contrast import Contrast, contrast_ways, contrast_without
from mdcore.study.data import Data, SplitOption
from mdcore.study.suspects import duplicate_codes, equal_columns, levels_of, predictive_columns, twin_codes

Kind = Literal[
    "groups",  # rows of one group in both parts raise the scores
    "drift",  # what is learned from earlier rows holds less for later ones
    "copies",  # rows that are equal to others, and what they do to the scores
    "twins",  # rows that are nearly equal to others, and what they do to the scores
    "many levels",  # categories with many levels against the rows, and what they do to the scores
    "equal columns",
    "telling columns",  # each of them gives the class away on its own
    "plan",  # everything else follows from the plan and from how its fits ended
    "few groups",
    "weights",
    "landmarks",
    "sample",
    "tuning rows",
    "not converged",
    "one class",
    "failed",
]


@dataclass(frozen=True, eq=False)
class Note:
    """A fact: its kind, its figures, and the contrasts that show what it does to the scores, most telling first.

    A prominent note belongs beside the headline.
    """

    kind: Kind
    figures: Mapping[str, Any] = field(default_factory=dict)
    contrasts: tuple[Contrast, ...] = ()
    prominent: bool = False


def notes(data: Data, comparison: Comparison, score: str) -> list[Note]:
    """Return the notes, most important first."""
    return [
        *_leaks(data, comparison, score),
        *_of_likeness(data, comparison, score),
        *_of_levels(data, comparison, score),
        *_of_columns(data, comparison, score),
        *_of_plan(comparison),
    ]


def _leaks(data: Data, comparison: Comparison, score: str) -> Iterator[Note]:
    """Yield a note for each other way to split whose scores differ from the planned ones in the direction of a leak."""
    plan = comparison.plan
    for way in (*([None] if plan.kind != RANDOM else []), *data.ways):
        if way is not None and way.scheme == plan.kind:
            continue
        found = contrast_ways(data, comparison, score, way)
        scheme = RANDOM if way is None else way.scheme
        too_easy = 1.0 if way is not None else -1.0  # random splits are the easier ones
        if not found or not found[0].differs or too_easy * found[0].gap < 0:
            continue
        if GROUPS in (plan.kind, scheme) and TIME not in (plan.kind, scheme):
            yield Note("groups", {}, tuple(found), prominent=True)
        elif TIME in (plan.kind, scheme):
            windows = found[0].other if way is not None else found[0].planned
            figures = {"column": way.column if way else "", "windows": windows.tolist()}
            yield Note("drift", figures, tuple(found), prominent=True)


def _of_likeness(data: Data, comparison: Comparison, score: str) -> Iterator[Note]:
    """Yield a note if more rows are equal, or nearly equal, than chance explains: prominent if that raises scores."""
    if comparison.plan.kind != RANDOM:
        return
    kind: Literal["copies", "twins"] = "copies"
    codes = duplicate_codes(data.X)
    if codes is None:
        kind, codes = "twins", twin_codes(data.X)
    if codes is None:
        return
    found = contrast_ways(data, comparison, score, SplitOption(GROUPS, "", codes), kind)
    figures = {"alike": int((np.bincount(codes)[codes] > 1).sum()), "rows": len(codes), "groups": len(np.unique(codes))}
    yield Note(kind, figures, tuple(found), prominent=any(one.confirms for one in found))


def _of_levels(data: Data, comparison: Comparison, score: str) -> Iterator[Note]:
    """Yield a note on categories with many levels: prominent if a method scores higher without them."""
    levels = {name: number for name, number in levels_of(data.X).items() if has_many_levels(number, len(data.y))}
    if levels:
        found = contrast_without(data, comparison, score, list(levels))
        costs = any(one.differs and one.gap < 0 for one in found)
        yield Note("many levels", {"columns": levels, "rows": len(data.y)}, tuple(found), prominent=costs)


def _of_columns(data: Data, comparison: Comparison, score: str) -> Iterator[Note]:
    """Yield notes on columns with equal content and on columns that predict the class on their own."""
    if not hasattr(data.X, "columns"):
        return
    for names in equal_columns(data.X):
        yield Note("equal columns", {"columns": names}, prominent=True)
    telling = predictive_columns(data.X, data.y)
    if telling:
        found = tuple(contrast_without(data, comparison, score, list(telling)))
        yield Note("telling columns", {"columns": telling}, found, prominent=True)


def _of_plan(comparison: Comparison) -> Iterator[Note]:
    plan = comparison.plan
    yield Note("plan", {"scheme": plan.scheme})
    if plan.kind == GROUPS and comparison.along is not None:
        yield Note("few groups", {"groups": len(np.unique(comparison.along))})
    if plan.balanced:
        unweighted = [comparison.names[c.key] for c in plan.candidates if not c.method.weights]
        yield Note("weights", {"unweighted": unweighted})
    train, _ = comparison.splits[0]
    if len(train) > plan.tuning_rows and any(plan.is_tuned(candidate) for candidate in plan.candidates):
        yield Note("tuning rows", {"chosen_on": plan.tuning_rows, "rows": len(train)})
    for key in comparison.keys_done:
        done, about = comparison.of(key), {"method": comparison.names[key]}
        first = done[0]
        if first.landmarks:
            size = {"rows": first.n_fit, "landmarks": first.landmarks}
            yield Note("landmarks", about | size | {"gap": first.gap, "exact_gap": first.exact_gap})
        if first.n_fit < first.n_train:
            yield Note("sample", about | {"fitted": first.n_fit, "rows": first.n_train})
        unconverged = sum(not result.converged for result in done)
        if unconverged:
            yield Note("not converged", about | {"splits": unconverged, "of": len(done)})
        if all(np.count_nonzero(result.confusion.sum(axis=0)) == 1 for result in done):
            yield Note("one class", about)
    for failure in {failure.reason: failure for failure in comparison.failures}.values():
        about = {"method": comparison.names[failure.key]}
        yield Note("failed", about | {"split": failure.split + 1, "reason": failure.reason})
