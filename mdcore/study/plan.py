"""The plan of a comparison as a value: methods, parameters, splits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from mdcore.data import SEED, TEST
from mdcore.data.splitting import KIND_OF, RANDOM, Codes, Kind, Rows, Scheme, split_rows, stratified
from mdcore.methods.one_versus_rest import OWN, SEVERAL, is_one_versus_rest, title_of
from mdcore.query import KernelKey
from mdcore.spec import Choice, Interval, Method, Param, Slider
from mdcore.study.references import LEARNERS
from mdcore.study.splits import SCHEME, seed_of, seed_of_split
from mdcore.text import count, label_text, short
from mdcore.within import EXACT, Within

ParamValues = tuple[tuple[str, Any], ...]
Grid = tuple[tuple[str, tuple[Any, ...]], ...]
Tuning = Literal["equal", "none", "papers"]

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
QUICK_CHOICES = 6
QUICK_FOLDS = 3
QUICK_WIDTHS = (2.0**-2, 1.0, 2.0**2)
PAPER_WIDTHS = (2.0**-4, 2.0**-2, 1.0, 2.0**2, 2.0**4)
"""Factors of gamma for the LDM paper's widths 2^-2 δ ... 2^2 δ, the smoothest kernel first."""


@dataclass(frozen=True)
class Candidate:
    """A method with fixed parameters, or with alternatives that are chosen by cross-validation."""

    key: str
    params: ParamValues = ()
    grid: Grid = ()
    most: int = 0
    """Number of combinations tried of a larger grid: a random sample that includes the defaults; 0 means all."""
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
    def quick(cls, key: str) -> Self:
        """Return a candidate that chooses from a few combinations of the paper's grid and the defaults, to save
        time."""
        return replace(cls.tuned(key), most=QUICK_CHOICES)

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

    def choices(self) -> list[dict[str, Any]]:
        """Return every combination, small values first, so that the simpler of two equally good ones wins."""
        names = [name for name, _ in self.grid]
        every = [
            dict(self.params) | dict(zip(names, values, strict=True)) for values in product(*(v for _, v in self.grid))
        ]
        if not self.most or len(every) <= self.most:
            return every
        drawn = np.random.default_rng(0).permutation(len(every))[: self.most - 1]
        return [dict(self.params), *(every[i] for i in sorted(drawn))]


@dataclass(frozen=True)
class Plan:
    """Repeated splits, the same for all candidates: stratified at random, in folds, by groups or in time, as `scheme`
    says.

    Random splits have a seed each. The scheme also applies inside the training part. `widths` are factors of gamma for
    the cross-validation to choose from; `positive` is the positive class of F1, by default the last one; `several` is
    how two-class methods handle more classes. With `held_out`, cross-validation yields decision values for the training
    rows, from which thresholds and probabilities are derived: at no cost where parameters are chosen, for `folds` more
    fits where they are fixed. `balanced` gives all classes the same weight in every method that supports weights.
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
    scheme: Scheme = RANDOM
    held_out: bool = False
    balanced: bool = False

    def __post_init__(self) -> None:
        for setting in (REPEATS, TEST, SEED, FOLDS, CRITERION, NYSTROEM, SEVERAL, SCHEME):
            setting.check(getattr(self, setting.name), "plan")
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
        if any(candidate.most for candidate in self.candidates):
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

    def check(self, y: NDArray[Any], along: Codes | None = None) -> None:
        """Raise ValueError if these labels cannot be used, before anything is fitted."""
        classes, counts = np.unique(y, return_counts=True)
        if len(classes) < 2:
            raise ValueError(f"The labels have one class only, {classes[0]!r}; a comparison needs two.")
        if self.positive is not None and self.positive not in classes:
            raise ValueError(f"plan: positive must be one of the classes {classes.tolist()}; got {self.positive!r}.")
        for candidate in self.candidates:
            is_one_versus_rest(candidate.method, len(classes), self.several)
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

    def choices(self, candidate: Candidate) -> list[dict[str, Any]]:
        """Return the candidate's combinations that are valid for the kernel, or all if none is, so that the fit raises
        the reason."""
        every = candidate.choices()
        return [params for params in every if not candidate.method.conflict(params, self.kernel.name)] or every

    def is_tuned(self, candidate: Candidate) -> bool:
        return self.alternatives(candidate) > 1

    def alternatives(self, candidate: Candidate) -> int:
        return len(self.choices(candidate)) * len(self.widths_for(candidate.method))

    def widths_for(self, method: Method) -> tuple[float, ...]:
        """Return the factors of gamma; (1.0,) for methods or kernels without gamma."""
        return self.widths if method.kernels and self.kernel.name != "linear" else (1.0,)

    def fits(self, candidate: Candidate) -> int:
        """Return the number of fits for one split of a candidate: of tuned ones, also the fit with the defaults."""
        inside = self.folds * self.alternatives(candidate) if self.cross_validates(candidate) else 0
        return 1 + inside + self.is_tuned(candidate)

    def cross_validates(self, candidate: Candidate) -> bool:
        """Return whether a candidate needs cross-validation inside the training part."""
        return self.is_tuned(candidate) or self.held_out
