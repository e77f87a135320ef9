"""Numbers as text: three significant digits, a true minus sign; 0.000934, but 9.34 × 10⁻⁵.

The stage's `format.js` follows the same rules; tests/numbers.json has the test cases of both.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

NONE = "–"
SMALLEST, LARGEST = 1e-4, 1e5  # numbers between these are written without a power of ten
WHOLE = 1e6  # whole numbers below this are written in full
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
TIMES = "\u202f×\u202f"  # between narrow spaces at which no line breaks


def short(value: float | str | None, digits: int = 3) -> str:
    """Format a setting: without trailing zeros, whole numbers in full, words unchanged."""
    if isinstance(value, str):
        return value
    if value is None or not math.isfinite(value):
        return _without_digits(value)
    if float(value).is_integer() and abs(value) < WHOLE:
        return _minus(str(int(value)))
    mantissa, power = _significant(value, digits)
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    if power and mantissa in ("1", "-1"):
        return _minus(mantissa[:-1]) + power_of(10, power)
    return _with_power(mantissa, power)


def steady(value: float | None, digits: int = 3) -> str:
    """Format a measurement with a fixed number of digits, so that the numbers of a column line up."""
    if value is None or not math.isfinite(value):
        return _without_digits(value)
    return _with_power(*_significant(value, digits)) if value else "0"


def percent(share: float | None, digits: int = 3) -> str:
    """Format a share as a percentage; the shares 0 and 1 are written without decimals."""
    if share is None or not math.isfinite(share):
        return NONE
    return f"{short(100.0 * share) if share in (0.0, 1.0) else steady(100.0 * share, digits)} %"


def fixed(value: float, decimals: int) -> str:
    """Format a number with a fixed number of decimals, as the papers' tables do; a number rounded to 0 has no sign."""
    text = f"{value:.{decimals}f}"
    return _minus(text if float(text) else text.removeprefix("-"))


def plus_minus(mean: float, deviation: float | None, decimals: int = 3) -> str:
    """Format a score and its deviation with the same decimals; without a deviation, as from one split, the score."""
    if deviation is None or math.isnan(deviation):
        return fixed(mean, decimals)
    return f"{fixed(mean, decimals)} ± {fixed(deviation, decimals)}"


def signed(value: float, decimals: int) -> str:
    """Format a difference with its sign and a fixed number of decimals."""
    return _minus(f"{value:+.{decimals}f}")


def points(share: float) -> str:
    """Format a difference of scores in points of a hundred: two decimals below one point, else one."""
    value = 100.0 * share
    text = f"{value:+.{1 if abs(value) >= 1.0 else 2}f}"
    return _minus(text) if float(text) else "0"


def p_text(p: float) -> str:
    """Format a p-value with two digits."""
    return "< 0.001" if p < 0.001 else steady(p, 2) if p < 1 else "1"


def count(number: int, noun: str) -> str:
    """Format a number with its noun in the singular or plural: "1 split", "2,000 splits"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def label_text(label: object) -> str:
    """Return the text of a class label, with a minus sign in place of the hyphen of a negative number."""
    return re.sub(r"^-(?=\d)", "−", str(label))


def shortened(text: str, most: int = 16) -> str:
    """Return a text, cut to `most` characters if it is longer."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def listed(names: Sequence[str], word: str = "and", most: int = 0) -> str:
    """Join names as in a sentence: "SVM, LDM and ODM"; after the first `most`, if given, the others are counted."""
    if most and len(names) > most:
        names = [*names[:most], f"{len(names) - most:,} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"


def in_sentence(title: str) -> str:
    """Return a title as written inside a sentence: "Accuracy" in lower case, "AUC" and "F1" unchanged."""
    return title[:1].lower() + title[1:] if title[1:].islower() else title


def quoted(given: object, most: int = 80) -> str:
    """Return a given value as an error message quotes it; long texts are cut."""
    text = repr(given)
    return text if len(text) <= most else f"{text[:most]}… ({len(text):,} characters)"


def as_markdown(words: str) -> str:
    """Escape a text for Markdown: names of files, columns and labels may contain any character."""
    return re.sub(r"[\\`*_\[\]<>|&~$]", r"\\\g<0>", words)


def power_of(base: int, exponent: int) -> str:
    """Format a power: 2⁻⁸ is easier to read than 0.00391."""
    return str(base) + str(exponent).translate(RAISED)


def duration(seconds: float) -> str:
    """Format a waiting time in seconds, minutes or hours."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _significant(value: float, digits: int) -> tuple[str, int]:
    """Return `digits` significant digits and the power of ten that they are times, rounding half away from zero as
    JavaScript does."""
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(Decimal(value))
    power = rounded.adjusted()
    if SMALLEST <= abs(value) < LARGEST:
        return f"{rounded:.{max(digits - 1 - power, 0)}f}", 0
    return f"{rounded.scaleb(-power):.{digits - 1}f}", power


def _with_power(digits: str, power: int) -> str:
    return _minus(digits) + (TIMES + power_of(10, power) if power else "")


def _without_digits(value: float | None) -> str:
    if value is None or math.isnan(value):
        return NONE
    return "∞" if value > 0 else "−∞"


def _minus(text: str) -> str:
    return text.replace("-", "−")


def gap_words(gap: float, exact_gap: float) -> str:
    """Describe the gap of the landmark problem, and the bound on the distance from the exact kernel problem, where the
    reader can choose the number of landmarks."""
    solved = "no certified gap" if math.isnan(gap) else f"approximate problem {short(gap, 2)}"
    advice = ", set more landmarks" if exact_gap >= 1.0 else ""
    return f"{solved}, {exact_gap_words(exact_gap)}{advice}"


def exact_gap_words(exact_gap: float) -> str:
    if math.isnan(exact_gap):
        return "no bound on the gap to the exact problem"
    if exact_gap >= 1.0:
        return "exact problem: bound vacuous (above 100 %)"
    return f"exact problem at most {percent(exact_gap, 2)}"
