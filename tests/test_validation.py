"""Values from a socket are a valid request of the stage, or are refused with a message."""

from __future__ import annotations

import json

import numpy as np
import pytest

from mdcore import Experiment
from mdcore.serving.stage.last_picture import LARGEST, LastPicture
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.serving.stage.validation import read_last, read_request

GOOD = {"query": "data=moons", "id": 3, "have": "ab"}


def test_a_request_is_what_the_page_sent() -> None:
    request = read_request({**GOOD, "gesture": 7, "fit": True, "file": "picture.py"})
    assert (request.file, read_request({**GOOD, "file": "../x"}).file) == ("picture.py", "")
    assert (request.query, request.id, request.have, request.room) == ("data=moons", 3, "ab", None)
    assert read_request({**GOOD, "room": {"code": "AB", "key": "k"}}).room == ("AB", "k")
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


def last() -> LastPicture:
    """Return what a drag over two pictures in two panels hands on."""
    before = None
    for number in (1, 2):
        request = Request(f"data=breast-cancer&methods=svm,ldm&svm.C={number}", gesture=number)
        _, before = answer(request, before)
    assert before is not None
    return before


def sent() -> dict[str, object]:
    """Return it as it comes back from the browser."""
    found: dict[str, object] = json.loads(json.dumps(last().packed()))
    return found


def test_the_last_picture_comes_back_as_it_went() -> None:
    before = last()
    found = read_last(json.loads(json.dumps(before.packed())))
    assert found is not None
    assert (found.query, found.start, found.gesture, found.preview) == (before.query, before.start, 2, False)
    assert Experiment.from_query(found.start).settings("svm")["C"] == 1.0
    assert found.axes.edges is not None
    assert before.axes.edges is not None
    assert found.axes.edges.tolist() == before.axes.edges.tolist()
    assert (found.axes.subject, found.axes.scope) == (before.axes.subject, before.axes.scope)
    assert dict(found.axes.windows) == dict(before.axes.windows)
    assert dict(found.contents) == dict(before.contents)
    assert set(found.contents) == {"", "svm", "ldm"}
    assert read_last(None) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"query": 1},
        {"start": None},
        {"gesture": -1},
        {"subject": "moons"},
        {"subject": ["x" * 1000]},
        {"scope": ["x"] * 1000},
        {"edges": "0"},
        {"edges": [1.0]},
        {"edges": [0.0, 1.0, 1.0]},
        {"edges": [0.0, float("nan")]},
        {"edges": [0.0, 10.0 * LARGEST]},
        {"edges": [0, 10**400]},
        {"edges": [*map(float, range(10_000))]},
        {"edges": [False, True]},
        {"contents": ["svm"]},
        {"contents": {"svm": 1}},
        {"contents": {"svm": "x" * 1000}},
        {"contents": {str(number): "x" for number in range(1000)}},
        {"windows": []},
        {"windows": {"plane": [0.0, 1.0, 0.0]}},
        {"windows": {"plane": [1.0, 0.0, 0.0, 1.0]}},
        {"windows": {"plane": [0.0, float("inf"), 0.0, 1.0]}},
        {"windows": {str(number): [0.0, 1.0, 0.0, 1.0] for number in range(1000)}},
    ],
)
def test_axes_that_no_picture_has_are_refused_in_words(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"cannot be read: .+ Load the page again\.") as refused:
        read_last(sent() | wrong)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize("wrong", ["text", [], 0])
def test_a_last_picture_is_an_object(wrong: object) -> None:
    with pytest.raises(ValueError, match="last is not a picture"):
        read_last(wrong)


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e99])
def test_held_axes_of_any_legal_size_are_extended(size: float) -> None:
    held = {"edges": [0.0, size, 2.0 * size], "windows": {"svm": [0.0, size, 0.0, size]}}
    message, _ = answer(Request("data=breast-cancer&methods=svm,ldm&svm.C=3"), read_last(sent() | held))
    edges = np.array(decode(message)[0]["histogram"]["edges"])
    assert (np.diff(edges) > 0.0).all()
    assert np.isfinite(edges).all()
