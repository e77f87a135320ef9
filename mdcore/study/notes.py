"""Notes on a comparison that point out what is easily missed: leaks, drift, duplicates, and reductions of the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mdcore.data.splitting import GROUPS, RANDOM, TIME
from mdcore.study.comparison import Comparison
from mdcore.study.data import Data, Way
from mdcore.study.differences import WHAT_TESTS_SAY, corrected_factor, standard_error
from mdcore.study.plan import Candidate
from mdcore.study.run import compare
from mdcore.study.scores import SCORES
from mdcore.study.suspects import duplicate_codes, equal_columns, predictive_columns
from mdcore.text import in_sentence, percent, short

CONTRAST_REPEATS = 5
MIN_GAP = 0.03  # smaller differences of a score between two ways to split are not reported
MIN_ERRORS = 2.5  # standard errors from which a difference is reported
MIN_GROUPS = 10
MOST_NAMED = 8  # columns named in a note


@dataclass(frozen=True, eq=False)
class SchemeContrast:
    """One method with fixed parameters, on the plan's splits and on another kind of splits."""

    method: str
    score: str
    planned_splits: str
    other_splits: str
    planned: NDArray[np.float64]
    other: NDArray[np.float64]
    schemes: tuple[str, str]
    noise: float
    """Standard error of the gap."""

    @property
    def gap(self) -> float:
        """Mean score on the planned splits minus mean score on the others."""
        return float(self.planned.mean() - self.other.mean())

    @property
    def easier(self) -> str:
        """The kind of splits with the higher scores."""
        return self.schemes[int(self.gap < 0)]

    @property
    def differs(self) -> bool:
        """Whether the gap is large enough to report, in absolute terms and relative to its standard error."""
        return abs(self.gap) > max(MIN_GAP, MIN_ERRORS * self.noise)


def contrast_schemes(data: Data, comparison: Comparison, score: str, way: Way | None) -> SchemeContrast | None:
    """Compare the plan's splits with splits by `way` (at random if None), and return the method with the largest gap.

    Methods whose gap is worth reporting take precedence. None if the rows cannot be split in this way.
    """
    done = [key for key in comparison.keys_done if len(comparison.of(key)) > 1]
    found = [side for key in done if (side := _contrast(data, comparison, score, way, key)) is not None]
    return max(found, key=lambda side: (side.differs, abs(side.gap)), default=None)


def _contrast(data: Data, comparison: Comparison, score: str, way: Way | None, key: str) -> SchemeContrast | None:
    """Compare the splits for one method, with the parameters of its first split."""
    params, plan = comparison.of(key)[0].params, comparison.plan
    fixed = Candidate.fixed(key, **{name: params[name] for name, _ in plan.candidate(key).params})
    kernel = replace(plan.kernel, gamma=params["gamma"]) if isinstance(params.get("gamma"), float) else plan.kernel
    scheme = RANDOM if way is None else way.scheme
    side = replace(
        plan, candidates=(fixed,), kernel=kernel, widths=(1.0,), scheme=scheme, repeats=CONTRAST_REPEATS, held_out=False
    )
    try:
        found = compare(data.X, data.y, data.preparation, side, along=None if way is None else way.codes)
    except ValueError:  # too few groups or times to split by
        return None
    if len(found.of(key)) < 2:
        return None
    names = {RANDOM: "with random splits", GROUPS: "with groups kept together", TIME: "in the order of time"}
    planned, other = (values[np.isfinite(values)] for values in (comparison.score(key, score), found.score(key, score)))
    noise = float(np.hypot(_error(comparison, planned), _error(found, other)))
    schemes = plan.scheme, scheme
    return SchemeContrast(
        comparison.names[key], score, names[plan.scheme], names[scheme], planned, other, schemes, noise
    )


def _error(comparison: Comparison, values: NDArray[np.float64]) -> float:
    """Return the standard error of a mean accuracy or balanced accuracy over splits.

    Random splits and splits by groups overlap, so their error is that of the corrected test. Windows of time share no
    test rows, and differences between them are drift rather than error, so their error is the binomial one.
    """
    plan = comparison.plan
    if plan.scheme != TIME:
        return standard_error(values, corrected_factor(len(values), 1.0 - plan.test, plan.test))
    counts = np.unique(comparison.y[np.concatenate([test for _, test in comparison.splits])], return_counts=True)[1]
    mean = float(values.mean())
    return float(np.sqrt(mean * (1.0 - mean) * (1.0 / counts).sum()) / len(counts))


def notes(data: Data, comparison: Comparison, score: str) -> list[str]:
    """Return the notes, most important first."""
    found = (_leaks, _of_copies)
    return [
        *(note for find in found for note in find(data, comparison, score)),
        *_of_columns(data),
        *_of_plan(comparison),
    ]


def _leaks(data: Data, comparison: Comparison, score: str) -> Iterator[str]:
    """Yield a note for each other way to split whose scores differ from the planned ones in the direction of a leak."""
    plan = comparison.plan
    for way in (*([None] if plan.scheme != RANDOM else []), *data.ways):
        if way is not None and way.scheme == plan.scheme:
            continue
        found = contrast_schemes(data, comparison, score, way)
        if found is None or not found.differs or found.easier != (RANDOM if way is None else plan.scheme):
            continue
        means = (
            f"{found.method}: {in_sentence(SCORES[score])} {percent(found.planned.mean())} {found.planned_splits}, "
            f"{percent(found.other.mean())} {found.other_splits}."
        )
        schemes = {plan.scheme, RANDOM if way is None else way.scheme}
        if GROUPS in schemes and schemes != {GROUPS, TIME}:
            yield (
                f"Leak: {means} Rows of one group resemble each other, and with random splits a model has already seen "
                "the groups of the test rows. For new groups, trust the scores with groups kept together."
            )
        elif TIME in schemes:
            later = found.other if way is not None else found.planned
            course = ", ".join(percent(value) for value in later)
            column = f" by {way.column!r}" if way is not None else ""
            yield (
                f"Drift: {means} Window by window{column}: {course}. What is learned from earlier rows holds less for "
                "later ones: for future rows, trust the scores in the order of time."
            )


def _of_copies(data: Data, comparison: Comparison, score: str) -> Iterator[str]:
    """Yield a note if duplicate rows raise the scores."""
    codes = duplicate_codes(data.X) if comparison.plan.scheme == RANDOM else None
    if codes is None:
        return
    found = contrast_schemes(data, comparison, score, Way(GROUPS, "", codes))
    if found is not None and found.differs and found.easier == RANDOM:
        again = len(codes) - len(np.unique(codes))
        means = f"{percent(found.planned.mean())} {found.planned_splits}, {percent(found.other.mean())}"
        yield (
            f"Leak: {again:,} of {len(codes):,} rows are copies of another row. {found.method}: "
            f"{in_sentence(SCORES[score])} {means} with copies kept together. A model fitted on one copy "
            "knows the class of the others: keep one row of each."
        )


def _of_columns(data: Data) -> Iterator[str]:
    """Yield notes on columns with equal content and on columns that predict the class on their own."""
    if not hasattr(data.X, "columns"):
        return
    for names in equal_columns(data.X):
        named = names[: MOST_NAMED - 1] if len(names) > MOST_NAMED else names[:-1]
        last = repr(names[-1]) if len(names) - len(named) == 1 else f"{len(names) - len(named)} more"
        listed = f"{', '.join(map(repr, named))} and {last}"
        yield f"Columns {listed} carry the same information: one of them suffices, and none matters alone."
    for name, reached in predictive_columns(data.X, data.y).items():
        yield (
            f"Leak? Column {name!r} alone predicts the classes, with balanced accuracy {percent(reached)}. Is it known "
            "before the class? If it is recorded afterwards, leave it out."
        )


def _distance_text(exact_gap: float) -> str:
    optimum = "the optimum of the exact kernel problem"
    if exact_gap < 1.0:
        return f"{optimum} is at most {percent(exact_gap, 2)} lower"
    if exact_gap >= 1.0:
        return f"the bound on the distance to {optimum} is vacuous, above 100 %: more landmarks would tighten it"
    return f"there is no bound on the distance to {optimum}"


def _of_plan(comparison: Comparison) -> Iterator[str]:
    plan = comparison.plan
    yield WHAT_TESTS_SAY[plan.scheme]
    if plan.scheme == GROUPS and comparison.along is not None:
        groups = len(np.unique(comparison.along))
        few = ": with so few groups, do not rely on p-values" if groups < MIN_GROUPS else ""
        yield f"{groups:,} groups; none is in both parts of any split, also inside the training part{few}."
    if plan.balanced:
        yield "The classes are unequal: each has the same weight in methods that support weights (class_weight)."
        unweighted = [comparison.names[c.key] for c in plan.candidates if not c.method.weights]
        if unweighted:
            yield f"Without support for weights, so that every row has the same weight: {', '.join(unweighted)}."
    for key in comparison.keys_done:
        first = comparison.of(key)[0]
        if first.landmarks:
            yield (
                f"{comparison.names[key]} uses all {first.n_fit:,} training rows through {first.landmarks} landmarks: "
                f"this problem is solved to a gap of {short(first.gap, 2)}, and {_distance_text(first.exact_gap)}."
            )
        if first.n_fit < first.n_train:
            yield (
                f"{comparison.names[key]} is fitted on {first.n_fit:,} of the {first.n_train:,} training rows, a "
                "stratified random sample."
            )
        unconverged = sum(not result.converged for result in comparison.of(key))
        if unconverged:
            yield f"{comparison.names[key]} did not converge on {unconverged} of {len(comparison.of(key))} splits."
        if all(np.count_nonzero(result.confusion.sum(axis=0)) == 1 for result in comparison.of(key)):
            yield f"{comparison.names[key]} predicts the same class for all test rows, on every split."
    for failure in {failure.reason: failure for failure in comparison.failures}.values():
        yield f"{comparison.names[failure.key]} failed on split {failure.split + 1}: {failure.reason}"
