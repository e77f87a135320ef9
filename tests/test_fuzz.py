"""Any bytes are used or refused with a message. `make fuzz` runs longer, guided by coverage."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS, check, seeds


@pytest.mark.parametrize(
    ("name", "content"),
    [pytest.param(name, seed, id=f"{name}-{k}") for name in TARGETS for k, seed in enumerate(seeds(name))],
)
def test_what_once_was_worth_keeping_is_still_used_or_refused(name: str, content: bytes) -> None:
    check(name, content)


@st.composite
def mutated(draw: st.DrawFn, name: str) -> bytes:
    """Return a seed with a few pieces cut, doubled or replaced; most results can still be parsed to some depth."""
    content = draw(st.sampled_from(seeds(name)))
    for _ in range(draw(st.integers(0, 4))):
        begin, end = sorted((draw(st.integers(0, len(content))), draw(st.integers(0, len(content)))))
        piece = draw(
            st.sampled_from(
                [
                    b"",
                    content[begin:end] * 2,
                    b"9" * 400,
                    b"9" * 5000,
                    b"1e400",
                    b"NaN",
                    b"[" * 2000,
                    b"\0",
                    b'"',
                    b"-1",
                    b"\xff",
                ]
            )
            | st.binary(max_size=12)
        )
        content = content[:begin] + piece + content[end:]
    return content


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=150)
@given(data=st.data())
def test_bytes_near_what_is_usual_are_used_or_refused(name: str, data: st.DataObject) -> None:
    check(name, data.draw(mutated(name) | st.binary(max_size=300)))
