"""Values from a socket are a valid request of the stage, or are refused with a message."""

from __future__ import annotations

import pytest

from mdcore.ui.stage.asked import read_request

GOOD = {"query": "data=moons", "id": 3, "have": "ab"}


def test_a_request_is_what_the_page_sent() -> None:
    request = read_request({**GOOD, "gesture": 7, "fit": True, "file": "picture.py"}, "a run")
    assert (request.file, read_request({**GOOD, "file": "../x"}).file) == ("picture.py", "")
    assert (request.query, request.id, request.have, request.page_run) == ("data=moons", 3, "ab", "a run")
    assert (request.gesture, request.fit, request.save, request.held) == (7, True, False, False)


@pytest.mark.parametrize(
    "asked",
    [
        "text",
        [GOOD],
        {},
        GOOD | {"query": None},
        GOOD | {"query": ["data=moons"]},
        GOOD | {"id": "9" * 5000},
        GOOD | {"id": 10**400},
        GOOD | {"id": float("inf")},
        GOOD | {"id": float("nan")},
        GOOD | {"id": True},
        GOOD | {"id": -1},
        GOOD | {"have": 1},
        GOOD | {"have": "x" * 10_000},
        GOOD | {"gesture": [1]},
        GOOD | {"gesture": 10**400},
    ],
)
def test_what_no_page_sends_is_refused_in_words(asked: object) -> None:
    with pytest.raises(ValueError, match=r"cannot be read: .+ Load the page again\.") as refused:
        read_request(asked)
    assert len(str(refused.value)) < 200
