"""The plan of a comparison as a value: methods, parameters, splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.basics.text import count, label_text, short
from mdcore.data import SEED, TEST
from mdcore.data.splitting import KIND_OF, RANDOM, Codes, Kind, Rows, Scheme, split_rows, stratified
from mdcore.experiment.query import KernelKey
from mdcore.methods.one_versus_rest import OWN, PAIRS, REST, WAYS, title_of, way_of
from mdcore.spaces.within import EXACT, Within
from mdcore.spec import Choice, Interval, Method, Param, Slider
from mdcore.study.references import LEARNERS
from mdcore.study.search import LINEAR, WIDTHS, Lattice, Option, axes_of_grid, axes_of_search, per_row
from mdcore.study.splits import SCHEME, seed_of, seed_of_split

ParamValues = tuple[tuple[str, Any], ...]
Grid = tuple[tuple[str, tuple[Any, ...]], ...]
Tuning = Literal["equal", "none", "papers"]
TUNING_NAMES: dict[Tuning, str] = {"equal": "tuned", "none": "default", "papers": "papers"}
"""What users call it, in commands and files."""

REPEATS = Param(
    "repeats",
    "repeats",
    10,
    Interval(1, 1000),
    Slider(1, 100, step=1),
    "Number of random splits into training and test rows. All methods use the same splits; the LDM paper uses 30.",
    integer=True,
)
FOLDS = Param(
    "folds",
    "folds",
    5,
    Interval(2, 20),
    Slider(2, 10, step=1),
    "Folds of the cross-validation that chooses parameters inside the training part; the papers use 5.",
    integer=True,
)
NYSTROEM = Param(
    "nystroem",
    "Nystroem features",
    0,
    Interval(0, 5000),
    Slider(0, 1000, step=50),
    "Above 0, linear methods are fitted to this many features of a Nystroem map, which approximates the kernel on all "
    "rows. 0 fits them to the prepared columns.",
    integer=True,
)
CRITERION = Choice(
    "criterion",
    "chosen by",
    "accuracy",
    ("accuracy", "balanced_accuracy"),
    "What the inner cross-validation maximises. The papers use accuracy; balanced accuracy is fairer to rare classes.",
)
CHOSEN = "chosen"
SEVERAL = Choice(
    "several",
    "several classes",
    CHOSEN,
    (CHOSEN, PAIRS, REST, OWN),
    "With more than two classes, methods for two: one model for each pair of classes (one-versus-one), one for each "
    "class against the rest, or whichever the search for parameters finds better, in each split; own leaves them out.",
)
TUNING_ROWS = Param(
    "tuning_rows",
    "rows for choosing",
    1000,
    Interval(20, 10**7),
    Slider(100, 10000, step=100),
    "Parameters are chosen on at most this many training rows of each split, a stratified random sample, the same for "
    "all methods. The chosen model is then fitted to all training rows.",
    integer=True,
)
EFFORT = 12
"""Candidates that a search may try for each method and reference, in each split."""
EQUAL_FOLDS = 3
PAPER_WIDTHS = (2.0**-4, 2.0**-2, 1.0, 2.0**2, 2.0**4)
"""Factors of gamma for the LDM paper's widths 2^-2 δ ... 2^2 δ, the smoothest kernel first."""


@dataclass(frozen=True)
class Candidate:
    """A method with fixed parameters, or with alternatives that are chosen by cross-validation."""

    key: str
    params: ParamValues = ()
    grid: Grid = ()
    effort: int = 0
    """Above 0, parameters, γ, the linear kernel and the treatment of several classes are chosen by a search that tries
    at most so many candidates and begins as the method's record says. `params` are those that it does not vary."""
    within: Within = EXACT
    """What a kernel method is fitted on."""

    def __post_init__(self) -> None:
        if self.key not in LEARNERS:
            raise ValueError(f"unknown method {self.key!r}; the methods are {', '.join(LEARNERS)}.")
        for name, values in self.grid:
            if not values:
                raise ValueError(f"{self.method.name}: the grid of {name} is empty.")
            for value in values:
                self.method.settings({name: value})
        if self.within != EXACT and not self.method.kernels:
            raise ValueError(f"{self.method.name} needs no kernel matrix: it is fitted on all rows.")
        if self.within.landmarks and not self.method.landmarks:
            raise ValueError(f"{self.method.name} has no landmarks: fit it exactly, or on a sample of the rows.")
        object.__setattr__(self, "params", tuple(self.method.settings(dict(self.params)).items()))

    @classmethod
    def fixed(cls, key: str, **params: Any) -> Self:
        """Return a candidate with the given parameters, the others at their defaults."""
        return cls(key, tuple(params.items()))

    @classmethod
    def tuned(cls, key: str) -> Self:
        """Return a candidate that chooses every parameter with a paper's grid from that grid."""
        params = cls(key).method.params
        return cls(key, grid=tuple((p.name, tuple(sorted(p.grid))) for p in params if isinstance(p, Param) and p.grid))

    @classmethod
    def searched(cls, key: str) -> Self:
        """Return a candidate that chooses by the search of its record, with the same effort as every other."""
        return cls(key, effort=EFFORT)

    @property
    def method(self) -> Method:
        return LEARNERS[self.key]

    @property
    def symbols(self) -> dict[str, str]:
        """Return the symbol of every parameter by its name."""
        return {param.name: param.symbol for param in self.method.params}

    @property
    def settings(self) -> str:
        """Return the fixed parameters as text."""
        values = ((name, short(value) if isinstance(value, float | int) else value) for name, value in self.params)
        return ", ".join(f"{self.symbols[name]} = {value}" for name, value in values)


@dataclass(frozen=True)
class Plan:
    """Repeated splits, the same for all candidates: stratified at random, in folds, by groups or in time, as `scheme`
    says.

    Random splits have a seed each. The scheme also applies inside the training part. `widths` are factors of gamma
    for the cross-validation of grids to choose from; `positive` is the positive class of F1, by default the last
    one; `several` is how two-class methods handle more classes. With `held_out`, cross-validation yields decision
    values for the training rows, from which thresholds and probabilities are derived: at no cost where parameters
    are chosen, for `folds` more fits where they are fixed. `balanced` gives all classes the same weight in every
    method that supports weights. With `one_space`, a search leaves the kernel and γ as they are, so that the margins of
    all methods have the same unit.
    """

    candidates: tuple[Candidate, ...]
    repeats: int = int(REPEATS.default)
    test: float = TEST.default
    seed: int = int(SEED.default)
    folds: int = int(FOLDS.default)
    kernel: KernelKey = field(default_factory=lambda: KernelKey("rbf", "scale", 3, 1.0, True))
    widths: tuple[float, ...] = (1.0,)
    criterion: str = CRITERION.default
    positive: int | str | None = None
    nystroem: int = int(NYSTROEM.default)
    several: str = OWN
    tuning_rows: int = int(TUNING_ROWS.default)
    scheme: Scheme = RANDOM
    held_out: bool = False
    balanced: bool = False
    one_space: bool = False

    def __post_init__(self) -> None:
        for setting in (REPEATS, TEST, SEED, FOLDS, CRITERION, NYSTROEM, SEVERAL, SCHEME):
            setting.check(getattr(self, setting.name), "plan")
        TUNING_ROWS.check(self.tuning_rows, "plan")
        if self.test == 0:
            raise ValueError("plan: test must be above 0; a comparison needs test rows.")
        keys = [candidate.key for candidate in self.candidates]
        if not keys or len(set(keys)) < len(keys):
            raise ValueError(
                f"plan: candidates must be one or more different methods; got {', '.join(keys) or 'none'}."
            )
        if not self.widths or min(self.widths) <= 0:
            raise ValueError(f"plan: widths must be factors in (0, ∞); got {self.widths}.")

    @property
    def tuning(self) -> Tuning:
        """How parameters are chosen: with equal effort for every method, not at all, or from grids, as in the
        papers."""
        if any(candidate.effort for candidate in self.candidates):
            return "equal"
        return "papers" if any(self.is_tuned(candidate) for candidate in self.candidates) else "none"

    @property
    def kind(self) -> Kind:
        """What the splits keep together: nothing, groups, or the order in time."""
        return KIND_OF[self.scheme]

    def candidate(self, key: str) -> Candidate:
        return next(candidate for candidate in self.candidates if candidate.key == key)

    def positive_class(self, classes: NDArray[Any]) -> Any:
        """Return the positive class among the sorted classes."""
        return classes[-1] if self.positive is None else self.positive

    def positive_code(self, classes: NDArray[Any]) -> int:
        """Return the index of the positive class among the sorted classes."""
        return int(np.searchsorted(classes, self.positive_class(classes)))

    def sign(self, classes: NDArray[Any]) -> float:
        """Return the sign that makes decision values of two classes larger for the positive one."""
        return 1.0 if self.positive_code(classes) == 1 else -1.0

    def name(self, key: str, classes: int) -> str:
        """Return the display name of a candidate for this number of classes."""
        return title_of(self.candidate(key).method, classes, self.several)

    def way(self, method: Method, classes: int, several: str = "") -> str:
        """Return how a method treats so many classes, if not as `several` says then as the plan; where a search would
        choose and there is none, one versus the rest."""
        return way_of(method, classes, several or (REST if self.several == CHOSEN else self.several))

    def check(self, y: NDArray[Any], along: Codes | None = None) -> None:
        """Raise ValueError if these labels cannot be used, before anything is fitted."""
        classes, counts = np.unique(y, return_counts=True)
        if len(classes) < 2:
            raise ValueError(f"The labels have one class only, {classes[0]!r}; a comparison needs two.")
        if self.positive is not None and self.positive not in classes:
            raise ValueError(f"plan: positive must be one of the classes {classes.tolist()}; got {self.positive!r}.")
        for candidate in self.candidates:
            self.way(candidate.method, len(classes))
        smallest = min(np.unique(y[train], return_counts=True)[1].min() for train, _ in self.splits(y, along))
        if smallest < self.folds and any(self.cross_validates(candidate) for candidate in self.candidates):
            rare = classes[counts.argmin()]
            raise ValueError(
                f"Class {label_text(rare)} has {count(int(smallest), 'training row')}, fewer than the {self.folds} "
                "folds of the cross-validation. Use more rows of it, lower the number of folds or the test share, or "
                "take fixed parameters."
            )

    def splits(self, y: NDArray[Any], along: Codes | None = None) -> Iterator[tuple[Rows, Rows]]:
        return (self.split(y, number, along) for number in range(self.repeats))

    def split(self, y: NDArray[Any], number: int, along: Codes | None = None) -> tuple[Rows, Rows]:
        """Return training and test rows of one split, ascending; the first random split is that of an Experiment."""
        seed = seed_of_split(self.scheme, self.seed, number, self.test)
        return split_rows(self.scheme, y, along, self.test, seed, number, self.repeats)

    def parts(
        self, candidate: Candidate, y: NDArray[Any], number: int, along: Codes | None = None
    ) -> tuple[Rows, Rows]:
        """Return the rows of one split that a candidate is fitted on, which may be a sample of the training rows, and
        the test rows."""
        train, test = self.split(y, number, along)
        rows, classes = candidate.within.rows, len(np.unique(y))
        if not 0 < rows < len(train):
            return train, test
        if rows < classes:
            raise ValueError(f"{rows} rows cannot hold all {classes} classes. Take at least that many.")
        return train[stratified(y[train], rows, seed_of(self.seed, number))], test

    def needs_matrix(self, candidate: Candidate) -> bool:
        """Return whether the exact fit of a candidate needs the kernel matrix, or columns of it."""
        return candidate.method.kernels and not (self.kernel.name == "linear" and candidate.method.explicit)

    def landmarks_of(self, candidate: Candidate, rows: int) -> int:
        """Return the number of landmarks for this number of fitted rows; 0 for the exact kernel."""
        return min(candidate.within.landmarks, rows) if self.kernel.name != "linear" else 0

    def rows_note(self, candidate: Candidate, rows: int) -> str:
        """Return a short note on landmarks or subsample for this number of training rows; "" if a method uses every row
        as is."""
        if candidate.within.landmarks:
            return candidate.within.note if self.landmarks_of(candidate, rows) else ""
        return candidate.within.note if candidate.within.rows < rows else ""

    def lattice(self, candidate: Candidate, classes: int = 2) -> Lattice:
        """Return the options from which a candidate's cross-validation chooses."""
        method = candidate.method

        def conflict(option: Option) -> str:
            return method.conflict(dict(option.params), "linear" if option.width is LINEAR else self.kernel.name)

        given = Option(dict(candidate.params), 1.0, self.way(method, classes))
        if not candidate.effort:
            return Lattice(axes_of_grid(self.widths_for(method), candidate.grid), given, None, conflict)
        ways = WAYS[::-1] if given.several != OWN and self.several == CHOSEN else ()
        axes = axes_of_search(method, self._searched_widths(method), ways)
        return Lattice(axes, replace(given, per_row=per_row(method)), candidate.effort, conflict)

    def is_tuned(self, candidate: Candidate) -> bool:
        return self.alternatives(candidate) > 1

    def alternatives(self, candidate: Candidate) -> int:
        """Return the number of options of a candidate; of a search, the largest possible."""
        lattice = self.lattice(candidate)
        return candidate.effort if candidate.effort and lattice.is_choice else len(lattice.points)

    def widths_for(self, method: Method) -> tuple[float, ...]:
        """Return the factors of gamma; (1.0,) for methods or kernels without gamma."""
        return self.widths if method.kernels and self.kernel.name != "linear" else (1.0,)

    def _searched_widths(self, method: Method) -> tuple[float | None, ...]:
        """Return the factors of γ with which a search begins; the smoothest of the rbf kernels is the linear kernel."""
        if self.one_space or not method.kernels or self.kernel.name == "linear":
            return ()
        return (LINEAR, *WIDTHS.values) if self.kernel.name == "rbf" else WIDTHS.values

    def tuning_part(self, y: NDArray[Any], rows: Rows, number: int) -> Rows:
        """Return the training rows on which parameters are chosen."""
        if len(rows) <= self.tuning_rows:
            return rows
        return rows[stratified(y[rows], self.tuning_rows, seed_of(self.seed, number))]

    def fits(self, candidate: Candidate) -> int:
        """Return the number of fits for one split of a candidate, of a search at most so many: of tuned ones, also the
        fit with the defaults."""
        whole, inside, _ = self.fits_on(candidate, 0)
        return whole + inside

    def fits_on(self, candidate: Candidate, rows: int) -> tuple[int, int, int]:
        """Return the number of fits to all the fitted rows of a split, of those inside them, and the rows of these."""
        inside = self.folds * self.alternatives(candidate) if self.cross_validates(candidate) else 0
        part = min(rows, self.tuning_rows) if self.is_tuned(candidate) else rows
        return 1 + self.is_tuned(candidate), inside, round(part * (1.0 - 1.0 / self.folds))

    def cross_validates(self, candidate: Candidate) -> bool:
        """Return whether a candidate needs cross-validation inside the training part."""
        return self.is_tuned(candidate) or self.held_out
