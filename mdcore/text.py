"""Numbers as text: three significant digits, a true minus sign. The twin of the stage's `format.js`."""

from __future__ import annotations

import math

NONE = "–"
SMALLEST, LARGEST = 1e-3, 1e5  # between them no exponent
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def short(value: float) -> str:
    """A setting: no zeros at its end, whole numbers below a million as they are."""
    if float(value).is_integer() and abs(value) < 1e6:
        return f"{int(value)}".replace("-", "−")
    text = steady(value)
    digits, exponent, power = text.partition("e")
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + exponent + power


def steady(value: float) -> str:
    """A measurement: always three digits, so that numbers in a column keep one shape."""
    if math.isnan(value):
        return NONE
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0.0:
        return "0"
    digits, _, exponent = f"{value:.2e}".partition("e")
    power = int(exponent)
    if not SMALLEST <= abs(value) < LARGEST:
        return f"{digits}e{power}".replace("-", "−")
    return f"{float(f'{digits}e{exponent}'):.{max(2 - power, 0)}f}".replace("-", "−")


def power_of_two(exponent: int) -> str:
    """2⁻⁸ says more than 0.00391."""
    return "2" + str(exponent).translate(RAISED)


def duration(seconds: float) -> str:
    """A time to wait, in the unit that one would say it in."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = seconds / 60
    return f"{round(minutes)} min" if minutes < 90 else f"{minutes / 60:.1f} h"
