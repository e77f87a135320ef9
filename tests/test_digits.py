"""Numbers as a reader meets them: three significant digits, and the number that is meant."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcore.text import short, steady

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def read(text: str) -> float:
    return float(text.replace("−", "-"))


@given(NUMBERS.filter(lambda value: value == 0 or abs(value) > 1e-300))
def test_what_is_read_is_the_number_to_three_digits(value: float) -> None:
    for text in (short(value), steady(value)):
        assert read(text) == pytest.approx(value, rel=5.01e-3)


@given(NUMBERS)
def test_a_minus_sign_is_one(value: float) -> None:
    assert "-" not in short(value) + steady(value)


@given(st.integers(-999_999, 999_999))
def test_a_whole_setting_stands_as_it_is(value: int) -> None:
    assert read(short(float(value))) == value


@given(st.floats(1e-3, 999).filter(lambda value: value >= 1e-3))
def test_a_measurement_keeps_its_zeros(value: float) -> None:
    assert len(steady(value).replace(".", "").lstrip("0")) == 3


def test_as_the_stage_writes_them() -> None:
    assert [short(v) for v in (0.0, 0.5, 0.12345, 1234.5, 256.0, -1e-7)] == [
        "0",
        "0.5",
        "0.123",
        "1230",
        "256",
        "−1e−7",
    ]
    assert [steady(v) for v in (0.0, 0.5, 1.0, 12.345, 123456.7)] == ["0", "0.500", "1.00", "12.3", "1.23e5"]
    assert [steady(v) for v in (math.nan, math.inf, -math.inf)] == ["–", "∞", "−∞"]
