"""What a kernel method is fitted on: all training rows, exactly or in the span of landmarks, or a sample of them.

It is decided once and then part of a plan, or of the experiment of a picture, so that another machine computes the
same. Below, a code is its text in an address.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from mdcore.spec import Choice, Interval, Param, Slider

BY_COST, BY_ROWS = "cost", "rows"
KERNEL_FITS = Choice(
    "kernel_fits",
    "exact or landmarks",
    BY_COST,
    (BY_COST, BY_ROWS),
    "cost: a kernel method is fitted exactly unless landmarks save time and lose no accuracy in a trial, or the exact "
    "fits would take too long or too much memory; the page says which and why. rows: you set the number of rows up to "
    "which kernel methods are fitted exactly.",
)
KERNEL_ROWS = Param(
    "kernel_rows",
    "exact rows at most",
    2000,
    Interval(10, 10**6),
    Slider(100, 10000, step=100),
    "Kernel methods are fitted exactly on up to so many training rows. On more, they use all rows through landmarks; "
    "methods without landmarks, or all kernel methods if landmarks is 0, are fitted on a stratified random subsample "
    "of this size, and the tables say so. Linear methods use all rows.",
    integer=True,
)
LANDMARKS = Param(
    "landmarks",
    "landmarks",
    256,
    Interval(0, 10_000),
    Slider(0, 2000, step=64),
    "If there are more training rows than that, this many of them span the space in which kernel methods are fitted to "
    "all rows. The table bounds the distance to the exact kernel problem. 0 fits a subsample.",
    integer=True,
)

EXACT_CODE, LANDMARKS_CODE, ROWS_CODE = "exact", "landmarks", "rows"


@dataclass(frozen=True)
class Within:
    """All training rows with the exact kernel, unless `landmarks` or `rows` is above 0.

    With `landmarks`, all training rows in the span of so many of them; with `rows`, a stratified random sample of so
    many training rows with the exact kernel.
    """

    landmarks: int = 0
    rows: int = 0

    def __post_init__(self) -> None:
        if min(self.landmarks, self.rows) < 0 or (self.landmarks and self.rows):
            raise ValueError(
                f"within: landmarks and rows must be integers of at least 0, one of them 0; got {self.landmarks} and "
                f"{self.rows}."
            )

    @property
    def note(self) -> str:
        """The note beside the name of a method; "" if it uses every row exactly."""
        if self.landmarks:
            return f"{self.landmarks:,} landmarks"
        return f"{self.rows:,} rows" if self.rows else ""

    @property
    def code(self) -> str:
        """The text of an address: `exact`, `landmarks-256` or `rows-2000`."""
        if self.landmarks:
            return f"{LANDMARKS_CODE}-{self.landmarks}"
        return f"{ROWS_CODE}-{self.rows}" if self.rows else EXACT_CODE

    @classmethod
    def parse(cls, code: str) -> Self:
        kind, _, number = code.partition("-")
        if code == EXACT_CODE:
            return cls()
        if kind in (LANDMARKS_CODE, ROWS_CODE) and number.isascii() and number.isdigit() and 0 < int(number) < 10**7:
            return cls(**{kind: int(number)})
        raise ValueError(
            f"what a method is fitted on must be {EXACT_CODE}, {LANDMARKS_CODE}-256 or {ROWS_CODE}-2000, with other "
            f"numbers above 0; got {code[:40]!r}."
        )


EXACT = Within()


def codes_text(within: Mapping[str, Within]) -> str:
    """Return the text of an address for methods by key: `svm-exact,ldm-landmarks-256`."""
    return ",".join(f"{key}-{one.code}" for key, one in within.items())


def parse_codes(text: str) -> dict[str, Within]:
    """Return what methods are fitted on, by key: the inverse of `codes_text`."""
    parts = (part.partition("-") for part in text.split(",") if part)
    return {key: Within.parse(code) for key, _, code in parts}
