"""What kernel methods are fitted on for an interactive picture: exactly, if that takes no longer than the picture."""

from __future__ import annotations

from dataclasses import dataclass

from mdcore.basics.memory import free_memory
from mdcore.spaces.costs import FEW_ROWS, MEMORY, Costs, Pace, exact_bytes, in_seconds, pace_of
from mdcore.spaces.kernels import KernelName
from mdcore.spaces.within import EXACT, Within, codes_text, parse_codes
from mdcore.spec import Method

PICTURE_SECONDS = 2.0  # for the fits of all methods of a picture, which share them equally
PICTURE_BYTES = 2**30  # for the kernel matrices of a method, as sessions share the memory
SPANNED = Within(landmarks=256)  # otherwise; few, because they follow a slider


@dataclass(frozen=True)
class Decided:
    """What each method is fitted on, for so many training rows of a picture with these kernel methods, or fewer."""

    rows: int
    within: tuple[tuple[str, Within], ...]

    @property
    def text(self) -> str:
        """The text of an address: `4200,svm-exact,ldm-landmarks-256`."""
        return f"{self.rows},{codes_text(dict(self.within))}"

    @classmethod
    def parse(cls, text: str) -> Decided:
        rows, _, codes = text.partition(",")
        if not (rows.isascii() and rows.isdigit() and len(rows) < 10):
            raise ValueError(f"within must begin with a number of training rows; got {text[:40]!r}.")
        found = parse_codes(codes)
        if any(within.rows for within in found.values()):
            raise ValueError("within: a picture is fitted to all rows, exactly or in landmarks, not to a sample.")
        return cls(int(rows), tuple(found.items()))


@dataclass(frozen=True)
class Case:
    """The training rows of a picture, the kernel, and the seconds for each of its methods."""

    rows: int
    columns: int
    classes: int
    kernel: KernelName
    seconds: float

    @property
    def decides(self) -> bool:
        """Whether there is anything to decide."""
        return self.rows > FEW_ROWS and self.kernel != "linear"

    def within(self, method: Method) -> Within:
        """Return what a method is fitted on, decided for this machine."""
        if not (self.decides and method.landmarks):
            return EXACT
        return EXACT if self._costs(method).exact <= self.seconds and self._has_room(method) else SPANNED

    def note(self, method: Method, within: Within) -> str:
        """Return one line with the estimated seconds, "" for few rows and for methods without a kernel matrix."""
        if self.rows <= FEW_ROWS or not self._needs_matrix(method):
            return ""
        costs = self._costs(method)
        if within == EXACT:
            return f"exact kernel: about {in_seconds(costs.exact)} a fit, estimated"
        return (
            f"{within.note}: about {in_seconds(costs.spanned(within.landmarks))} a fit; the exact kernel would take "
            f"about {in_seconds(costs.exact)}, and a picture has {in_seconds(self.seconds)} for it (estimated)"
        )

    def refusal(self, method: Method, within: Within, most_seconds: float) -> str:
        """Return why the exact kernel would take longer than `most_seconds` or too much memory, or ""."""
        if within != EXACT or not self._needs_matrix(method) or self.rows <= FEW_ROWS:
            return ""
        seconds = self._costs(method).exact
        if self._has_room(method) and seconds <= most_seconds:
            return ""
        return (
            f"{self.rows:,} training examples are too many for {method.name} in a picture: the exact kernel needs "
            f"about {in_seconds(seconds)} and {exact_bytes(method, self.rows) / 2**30:.2g} GiB"
        )

    def _needs_matrix(self, method: Method) -> bool:
        return method.kernels and not (self.kernel == "linear" and method.explicit)

    def _has_room(self, method: Method) -> bool:
        return exact_bytes(method, self.rows) <= min(PICTURE_BYTES, MEMORY * free_memory())

    def _costs(self, method: Method) -> Costs:
        return Costs.of(method, self.rows, self.columns, self.classes, self._pace)

    @property
    def _pace(self) -> Pace:
        return pace_of(self.kernel)
