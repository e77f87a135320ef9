"""The words for the facts of a comparison: the sentence of every kind of note, what its tests say, and the units of its
margins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mdcore.basics.text import in_sentence, listed, percent, short
from mdcore.data.splitting import EACH_GROUP, GROUPS, K_FOLD, RANDOM, TIME, Scheme
from mdcore.margins.distribution import Scale
from mdcore.study.comparison import Comparison
from mdcore.study.contrast import Condition, Contrast
from mdcore.study.notes import Kind, Note
from mdcore.study.references import is_reference
from mdcore.study.scores import SCORES

MIN_GROUPS = 10
MOST_NAMED = 8  # columns named in a sentence
CONDITIONS: Mapping[Condition, str] = {
    RANDOM: "with random splits",
    GROUPS: "with groups kept together",
    TIME: "in time order",
    "copies": "with copies kept together",
    "twins": "with twins kept together",
    "with": "with them",
    "without": "without them",
}
WHY_TWO_TESTS = (
    "The plain paired t-test, as in the papers, treats the splits as independent samples. They are not: any two of "
    "them share most of their training rows, so the differences vary less than those of fresh samples would, and the "
    "test finds differences that are not there. The corrected resampled t-test (Nadeau and Bengio, 2003) multiplies "
    "the variance of the differences by 1/n + (test rows)/(training rows) instead of 1/n for n splits, so that many "
    "splits alone do not make a difference significant."
)
_GROUPS_COUNT = (
    "The independent observations are the groups, not the rows: the correction counts groups, and the degrees of "
    "freedom are at most their number less one."
)
WHAT_TESTS_SAY: dict[Scheme, str] = {
    RANDOM: "The tests apply to other splits of these rows, and to new rows drawn in the same way.",
    K_FOLD: "The tests apply to other folds of these rows, and to new rows drawn in the same way. Two of k folds share "
    "most of their training rows: the variance is corrected by 1/(k - 1), which no repetition of the folds removes.",
    GROUPS: f"The tests apply to new groups like these. {_GROUPS_COUNT} With fewer than about ten groups, do not rely "
    "on p-values.",
    EACH_GROUP: "The tests apply to new groups like these: each is tested once, and all count the same, whatever their "
    f"size. {_GROUPS_COUNT} With fewer than about ten groups, do not rely on p-values.",
    TIME: "The tests apply to the windows of time that were tried, and to later ones only if nothing drifts. The "
    "windows do not overlap and the training rows grow, while the correction is meant for random splits: read the "
    "results as a description of these windows.",
}


def sentence(note: Note) -> str:
    """Return a note in words."""
    return SENTENCES[note.kind](note)


def _means(one: Contrast) -> str:
    return (
        f"{one.method}: {in_sentence(SCORES[one.score])} {percent(one.planned.mean())} {CONDITIONS[one.as_planned]}, "
        f"{percent(one.other.mean())} {CONDITIONS[one.otherwise]}."
    )


def _groups(note: Note) -> str:
    return (
        f"Leak: {_means(note.contrasts[0])} Rows of one group resemble each other, and with random splits a model has "
        "already seen the groups of the test rows. For new groups, trust the scores with groups kept together."
    )


def _drift(note: Note) -> str:
    course = ", ".join(percent(value) for value in note.figures["windows"])
    column = f" by {note.figures['column']!r}" if note.figures["column"] else ""
    return (
        f"Drift: {_means(note.contrasts[0])} Window by window{column}: {course}. What is learned from earlier rows "
        "holds less for later ones: for future rows, trust the scores in time order."
    )


def _copies(note: Note) -> str:
    alike = f"{note.figures['alike']:,} of {note.figures['rows']:,} rows are equal to another row"
    if not note.prominent:
        return f"{alike}. {_no_gap(note.contrasts)}"
    return (
        f"Leak: {alike}. {_highest(note.contrasts)} A model fitted on one copy knows the class of the others: keep "
        "one row of each."
    )


def _twins(note: Note) -> str:
    alike = f"{note.figures['alike']:,} of {note.figures['rows']:,} rows are nearly equal to another row"
    if not note.prominent:
        return f"{alike}. {_no_gap(note.contrasts)}"
    return (
        f"Leak: {alike}, as if several came from one source, but no column names it. {_highest(note.contrasts)} For "
        "new sources, trust the scores with twins kept together; add a column that names the source, and split by it."
    )


def _no_gap(found: Sequence[Contrast]) -> str:
    if not found:
        return "They cannot be kept together: there are too few groups of them."
    return f"That does not raise the scores measurably. {_highest(found)}"


def _highest(found: Sequence[Contrast]) -> str:
    return _means(max(found, key=lambda one: one.gap))


def _many_levels(note: Note) -> str:
    levels, rows = note.figures["columns"], note.figures["rows"]
    named = [f"{name!r} ({number:,})" for name, number in levels.items()]
    what = "Column" if len(named) == 1 else "Columns"
    told = f"{what} with many levels for {rows:,} rows: {listed(named, most=MOST_NAMED)}."
    if not note.contrasts:
        return told
    costs = [one for one in note.contrasts if one.differs and one.gap < 0]
    if costs:
        return (
            f"{told} {_means(costs[0])} Leave out columns that cost points, or choose another way to encode categories."
        )
    cost = "It costs" if len(named) == 1 else "They cost"
    return f"{told} {cost} no method a measurable part of its score. {_means(note.contrasts[0])}"


def _equal_columns(note: Note) -> str:
    names = listed([repr(name) for name in note.figures["columns"]], most=MOST_NAMED)
    return f"Columns {names} carry the same information: one of them suffices, and none matters alone."


def _telling_columns(note: Note) -> str:
    told = [f"{name!r} ({percent(reached)})" for name, reached in note.figures["columns"].items()]
    one = len(told) == 1
    contrast = f" {_means(note.contrasts[0])}" if note.contrasts else ""
    return (
        f"Leak? {f'Column {told[0]} predicts' if one else f'Columns {listed(told)} each predict'} the classes alone "
        f"(balanced accuracy).{contrast} {'Is it' if one else 'Are they'} known before the class? What is recorded "
        "afterwards should be left out."
    )


def _few_groups(note: Note) -> str:
    groups = note.figures["groups"]
    few = ": with so few groups, do not rely on p-values" if groups < MIN_GROUPS else ""
    return f"{groups:,} groups; none is in both parts of any split, also inside the training part{few}."


def _weights(note: Note) -> str:
    unweighted = ", ".join(note.figures["unweighted"])
    without = f" Without support for weights, so that every row has the same weight: {unweighted}."
    return "The classes are unequal: each has the same weight in methods that support weights (class_weight)." + (
        without if unweighted else ""
    )


def _landmarks(note: Note) -> str:
    figures = note.figures
    return (
        f"{figures['method']} uses all {figures['rows']:,} training rows through {figures['landmarks']} landmarks: "
        f"this problem is solved to a gap of {short(figures['gap'], 2)}, and {_distance(figures['exact_gap'])}."
    )


def _distance(exact_gap: float) -> str:
    optimum = "the optimum of the exact kernel problem"
    if exact_gap < 1.0:
        return f"{optimum} is at most {percent(exact_gap, 2)} lower"
    if exact_gap >= 1.0:
        return f"the bound on the distance to {optimum} is vacuous, above 100 %: more landmarks would tighten it"
    return f"there is no bound on the distance to {optimum}"


SENTENCES: Mapping[Kind, Callable[[Note], str]] = {
    "groups": _groups,
    "drift": _drift,
    "copies": _copies,
    "twins": _twins,
    "many levels": _many_levels,
    "equal columns": _equal_columns,
    "telling columns": _telling_columns,
    "plan": lambda note: WHAT_TESTS_SAY[note.figures["scheme"]],
    "few groups": _few_groups,
    "weights": _weights,
    "landmarks": _landmarks,
    "sample": lambda note: (
        "{method} is fitted on {fitted:,} of the {rows:,} training rows, a stratified random sample.".format(
            **note.figures
        )
    ),
    "tuning rows": lambda note: (
        "Parameters are chosen on {chosen_on:,} of the {rows:,} training rows, a stratified random sample, the same "
        "for every method; each model is then fitted with them as the table says.".format(**note.figures)
    ),
    "not converged": lambda note: "{method} did not converge on {splits} of {of} splits.".format(**note.figures),
    "one class": lambda note: "{method} predicts the same class for all test rows, on every split.".format(
        **note.figures
    ),
    "failed": lambda note: "{method} failed on split {split}: {reason}".format(**note.figures),
}


def off_axis_notes(comparison: Comparison) -> list[str]:
    """Return which methods have no margins that could stand on one axis with others."""
    notes = []
    if comparison.mixed:
        named = ", ".join(comparison.mixed)
        notes.append(f"One versus one on some splits, one versus the rest on others, so not on this axis: {named}.")
    if any(map(is_reference, comparison.keys_done)):
        notes.append("Reference learners have log-odds instead of margins, another unit: they are not on this axis.")
    if comparison.voting:
        named = ", ".join(comparison.voting)
        notes.append(f"Margins that count votes are not comparable with the others on either scale: {named}.")
    return notes


def unit_notes(comparison: Comparison, scale: Scale) -> list[str]:
    """Return what a reader of margins on one axis must know about their units."""
    notes = off_axis_notes(comparison)
    if scale == "geometric" and comparison.flat:
        named = ", ".join(comparison.flat)
        notes.append(
            f"In some split there is no boundary, as f is constant or scores differ by a constant; functional "
            f"margins are shown: {named}."
        )
    if scale == "geometric" and comparison.rulers_differ:
        notes.append(
            "Kernel, its settings or the norm differ between methods, and with them the space in which distances are "
            "measured: compare the shapes of the curves, not how far to the right they lie."
        )
    if scale == "geometric" and comparison.rulers_change:
        notes.append(
            "Kernel or γ were chosen in each split, so that the unit of distances changes between splits, which widens "
            f"the bands: {', '.join(comparison.rulers_change)}."
        )
    return notes
