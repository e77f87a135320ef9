"""Numbers as text, in Python and on the stage: three significant digits, and no misleading rounding."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcore.basics import text
from mdcore.basics.text import (
    TIMES,
    exact_gap_words,
    gap_words,
    in_sentence,
    label_text,
    points,
    short,
    shortened,
    steady,
)

# test_javascript runs the same cases against format.js.
CASES = json.loads((Path(__file__).parent / "numbers.json").read_text(encoding="utf-8"))
LOWERED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


def read(written: str) -> float:
    digits, times, power = written.replace("−", "-").partition(TIMES)
    if not times and "10" in digits and (found := re.fullmatch(r"(-?)10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", digits)):
        digits, power = f"{found[1]}1", f"10{found[2]}"
    return float(f"{digits}e{power.removeprefix('10').translate(LOWERED) or 0}")


@pytest.mark.parametrize(("name", "given", "written"), CASES)
def test_the_table_of_cases(name: str, given: list[Any], written: str) -> None:
    assert getattr(text, name)(*(float(value) if isinstance(value, str) else value for value in given)) == written


@given(NUMBERS.filter(lambda value: value == 0 or abs(value) > 1e-300))
def test_what_is_read_is_the_number_to_three_digits(value: float) -> None:
    for written in (short(value), steady(value)):
        assert read(written) == pytest.approx(value, rel=5.01e-3)


@given(NUMBERS)
def test_a_minus_sign_is_one(value: float) -> None:
    assert "-" not in short(value) + steady(value)


@given(st.integers(-999_999, 999_999))
def test_a_whole_setting_stands_as_it_is(value: int) -> None:
    assert read(short(float(value))) == value


@given(st.floats(1e-3, 999).filter(lambda value: value >= 1e-3))
def test_a_measurement_keeps_its_zeros(value: float) -> None:
    assert len(steady(value).replace(".", "").lstrip("0")) == 3


@pytest.mark.parametrize(("label", "read"), [(-1, "−1"), (1, "1"), ("-2.5", "−2.5"), ("a-1", "a-1"), ("-", "-")])
def test_the_name_of_a_class_below_zero_has_a_minus_sign(label: object, read: str) -> None:
    assert label_text(label) == read


def test_a_bound_of_the_whole_optimum_or_more_is_called_vacuous() -> None:
    assert gap_words(4e-7, 0.031) == "approximate problem 4 × 10⁻⁷, exact problem at most 3.1 %"
    for far in (1.0, math.inf):
        assert exact_gap_words(far) == "exact problem: bound vacuous (above 100 %)"
        assert gap_words(4e-7, far).endswith(f"{exact_gap_words(far)}, set more landmarks")
    assert gap_words(math.nan, math.nan) == "no certified gap, no bound on the gap to the exact problem"


def test_a_long_name_is_shortened_and_a_title_goes_into_a_sentence() -> None:
    assert [shortened("setosa"), shortened("a class with a rather long name")] == ["setosa", "a class with a…"]
    assert [in_sentence(title) for title in ("Balanced accuracy", "AUC", "F1")] == ["balanced accuracy", "AUC", "F1"]


def test_a_score_and_its_deviation_have_the_same_decimals_and_zero_has_no_sign() -> None:
    assert text.fixed(-0.0004, 3) == "0.000"
    assert text.fixed(-0.25, 1) == "−0.2"
    assert text.plus_minus(0.247, 4.9e-17) == "0.247 ± 0.000"
    assert text.plus_minus(-0.5, 0.25, 1) == "−0.5 ± 0.2"
    assert text.plus_minus(0.5, math.nan) == text.plus_minus(0.5, None) == "0.500"


@pytest.mark.parametrize(("share", "said"), [(0.0123, "+1.2"), (-0.0005, "−0.05"), (0.00001, "0"), (0.25, "+25.0")])
def test_a_difference_of_scores_is_told_in_points(share: float, said: str) -> None:
    assert points(share) == said
