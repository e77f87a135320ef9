"""A room on its own: for any messages in any order, a device has one vote, and answers are not revealed early."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcore import Experiment
from mdcore.serving.lecture.lesson import Lesson
from mdcore.serving.lecture.lesson_files import find_lesson
from mdcore.serving.lecture.questions import KINDS
from mdcore.serving.lecture.questions.curve import LEVELS
from mdcore.serving.lecture.questions.kind import NoAnswer
from mdcore.serving.room.network import public_host, qr_code, reaches_others
from mdcore.serving.room.room import MAX_DURATION, PACE, RATE, TIMEOUT_UNUSED, TIMEOUT_USED, Refused, Room
from mdcore.serving.room.rooms import Rooms
from mdcore.serving.room.small_picture import small_picture
from mdcore.serving.stage.message import decode, encode
from mdcore.serving.stage.packed_field import GRID
from mdcore.serving.stage_pages.lecture import picture_of

CURVE = {"kind": "curve", "text": "?", "method": "ldm", "axis": [-1, 1]}
CHOICE = {"kind": "choice", "text": "?", "options": ["a", "b", "c"], "answer": 1}
DRAWN = KINDS["curve"]
STATE = "data=moons&n=40&methods=svm,ldm"


def lesson(*questions: dict[str, Any] | None) -> Lesson:
    steps = [
        {"title": f"step {n}", "state": STATE, "reveal": {"state": STATE}} | ({"question": q} if q else {})
        for n, q in enumerate(questions, start=1)
    ]
    return Lesson({"title": "T", "steps": steps})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def room(*questions: dict[str, Any] | None, clock: Callable[[], float] | None = None) -> Room:
    return Room("ABCDE", lesson(*questions), clock=clock or Clock())


def refused(status: int, act: Callable[[], object]) -> None:
    with pytest.raises(Refused) as caught:
        act()
    assert caught.value.status == status


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2)), max_size=60))
def test_every_device_has_one_vote_its_last(votes: list[tuple[int, int]]) -> None:
    clock = Clock()
    own = room(CHOICE, clock=clock)
    devices = [own.new_device() for _ in range(6)]
    last: dict[int, int] = {}
    for device, option in votes:
        clock.now += 1.0
        own.answer(devices[device], 1, option)
        last[device] = option
    told = own.public()
    assert told["votes"] == len(last)
    assert "results" not in told
    assert "answer" not in told["question"]
    own.present(1, "reveal", opened=False, round=1)
    (found,) = own.public()["results"]
    assert found["counts"] == [list(last.values()).count(option) for option in range(3)]
    assert own.public()["answer"] == 1


def test_nothing_is_told_before_the_presenter_opens_it() -> None:
    own = room(CHOICE, CURVE)
    device = own.new_device()
    own.answer(device, 1, 2)
    assert "results" not in own.public()
    own.present(1, "ask", opened=True, round=1)
    assert own.public()["results"] == [{"counts": [0, 0, 1]}]
    assert "answer" not in own.public()


def test_the_second_vote_stands_beside_the_first() -> None:
    own = room(CHOICE)
    first, second = own.new_device(), own.new_device()
    own.answer(first, 1, 0)
    own.answer(second, 1, 0)
    own.present(1, "ask", opened=False, round=2)
    own.answer(first, 1, 1)
    assert own.public()["votes"] == 1
    own.present(1, "ask", opened=True, round=2)
    assert own.public()["results"] == [{"counts": [2, 0, 0]}, {"counts": [0, 1, 0]}]


def test_what_a_room_does_not_take() -> None:
    own = room(CHOICE, None)
    device = own.new_device()
    refused(403, lambda: own.answer("", 1, 0))
    refused(403, lambda: own.answer("made-up.0123", 1, 0))
    refused(403, lambda: own.answer(room(CHOICE).new_device(), 1, 0))
    for step in (2, 0, 3, -1, None, "1", True, 1.0):
        refused(404, lambda step=step: own.answer(device, step, 0))
    for answer in (3, -1, "0", None, True, 0.0, [0]):
        refused(422, lambda answer=answer: own.answer(device, 1, answer))
    other = own.new_device()
    own.present(1, "reveal", opened=False, round=1)
    refused(409, lambda: own.answer(other, 1, 0))
    refused(422, lambda: own.present(3, "ask", opened=False, round=1))
    own.end()
    refused(410, lambda: own.answer(other, 1, 0))


def test_a_device_that_never_stops_is_slowed_down_and_later_heard_again() -> None:
    clock = Clock()
    own = room(CHOICE, clock=clock)
    device = own.new_device()
    for _ in range(RATE):
        own.answer(device, 1, 0)
    refused(429, lambda: own.answer(device, 1, 1))
    own.answer(own.new_device(), 1, 1)
    clock.now += 20.0
    own.answer(device, 1, 1)


def test_a_reload_keeps_ones_answers_and_an_ended_room_keeps_none() -> None:
    own = room(CHOICE, CURVE)
    device = own.new_device()
    own.answer(device, 1, 2)
    assert own.answers_of(device)["answers"]["1"] == {"answer": 2, "round": 1}
    assert own.answers_of(own.new_device()) == {"answers": {}}
    own.show(picture_of(STATE))
    own.end()
    assert own.answers_of(device) == {"answers": {}}
    assert own.public() == {"ended": True}
    assert set(own.news(presents=False)) == {"state"}


def test_phones_get_the_newest_picture_at_a_limited_rate_and_the_presenter_none() -> None:
    clock = Clock()
    own = room(CHOICE, clock=clock)
    heard: list[float] = []
    own.listen(heard.append)
    first, second = (picture_of(f"{STATE}&svm.C={price}") for price in (1, 2))
    own.show(first)
    own.show(second)
    own.listen(lambda delay: heard.append(-delay))
    assert heard == [PACE, -PACE]  # once for both pictures, and once for the phone that joins before it is sent
    assert "scene" not in own.news(presents=False)
    clock.now += PACE
    stamp, sent = own.news(presents=False)["scene"]
    assert json.loads(sent.split(b"data: ")[1]) == small_picture(second)
    assert own.news(presents=False)["scene"] == (stamp, sent)
    assert "scene" not in own.news(presents=True)
    own.show(first)
    assert own.news(presents=False)["scene"] == (stamp, sent)
    clock.now += PACE
    assert own.news(presents=False)["scene"][0] > stamp


def test_the_true_curve_is_told_with_the_reveal() -> None:
    truth = np.linspace(-0.5, 0.5, LEVELS).tolist()
    own = room(CURVE)
    own.answer(own.new_device(), 1, truth)
    own.store_truth(1, truth)
    assert "truth" not in own.public()
    own.present(1, "reveal", opened=False, round=1)
    assert own.public()["truth"] == truth


def test_the_true_curve_is_that_of_the_run() -> None:
    lesson = find_lesson("margins")
    revealed = Experiment.from_query(lesson.states(6)[1])
    run = revealed.run()["ldm"]
    assert DRAWN.truth is not None
    truth = DRAWN.truth(lesson.question(6) or {}, revealed)
    assert truth[0] == run.train.min
    assert truth[-1] == run.train.values.max()
    assert truth == pytest.approx([float(run.train.quantile(q)) for q in np.linspace(0, 1, LEVELS)])


@given(st.lists(st.floats(-1, 1), min_size=LEVELS, max_size=LEVELS))
def test_a_drawn_curve_is_taken_if_it_rises_and_stays_on_the_paper(values: list[float]) -> None:
    assert DRAWN.read(CURVE, sorted(values)) == sorted(values)
    if values != sorted(values):
        with pytest.raises(NoAnswer, match="must not decrease"):
            DRAWN.read(CURVE, values)
    with pytest.raises(NoAnswer, match="ends of the axis"):
        DRAWN.read(CURVE, [*sorted(values)[:-1], 1.5])


@pytest.mark.parametrize("sent", [None, [], [0.0] * 20, [0.0] * 20 + ["1"], [0.0] * 20 + [float("nan")], {"a": 1}, 3])
def test_what_is_no_curve_is_refused(sent: Any) -> None:
    with pytest.raises(NoAnswer, match="a list of 21 margins"):
        DRAWN.read(CURVE, sent)


def test_many_curves_are_told_as_their_median_and_no_more_than_can_be_drawn() -> None:
    curves = [sorted(np.random.default_rng(seed).uniform(-1, 1, LEVELS).tolist()) for seed in range(500)]
    told = DRAWN.tally(CURVE, curves)
    assert told["median"] == pytest.approx(np.median(curves, axis=0).tolist())
    assert len(told["curves"]) == 300


@pytest.mark.parametrize("kind", ["curve", "points", "runs"])
def test_phones_hear_no_more_from_a_full_hall_than_from_a_small_one(kind: str) -> None:
    question = {
        "curve": CURVE,
        "points": {"kind": "points", "text": "?", "class": 1},
        "runs": {"kind": "runs", "text": "?", "param": "seed", "statistic": "accuracy", "low": 0, "high": 999},
    }[kind]
    own = room(question)
    draws = np.random.default_rng(0)
    for value in range(300):
        sent = {"curve": sorted(draws.uniform(-1, 1, LEVELS).tolist()), "points": draws.normal(size=2).tolist()}
        own.answer(own.new_device(), 1, sent.get(kind, value))
        own.store_run(1, value, dict.fromkeys(("svm", "ldm", "odm", "msvmav"), draws.uniform()))
    own.present(1, "reveal", opened=True, round=1)
    _, told = own.news(presents=False)["state"]
    assert len(told) < 2_000
    _, screen = own.news(presents=True)["state"]
    (shown,) = json.loads(screen.split(b"data: ")[1])["results"]
    assert len(next(value for key, value in shown.items() if key in ("curves", "points", "values"))) == 300


def test_rooms_come_to_an_end_by_themselves() -> None:
    clock = Clock()
    rooms = Rooms(clock=clock)
    lonely, used, led = (rooms.open(lesson(CHOICE)) for _ in range(3))
    used.answer(used.new_device(), 1, 0)
    clock.now = TIMEOUT_UNUSED + 1
    led.is_presenter(led.key)
    refused(404, lambda: rooms.find(lonely.code))
    assert lonely.ended
    assert rooms.find(used.code.lower()) is used
    clock.now = TIMEOUT_USED + 1
    refused(404, lambda: rooms.find(used.code))
    clock.now = MAX_DURATION + 1
    led.is_presenter(led.key)
    refused(404, lambda: rooms.find(led.code))
    assert len(rooms) == 0


def test_only_so_many_rooms_and_the_unused_make_way() -> None:
    rooms = Rooms(most=2, clock=Clock())
    unused, used = rooms.open(lesson(CHOICE)), rooms.open(lesson(CHOICE))
    used.answer(used.new_device(), 1, 0)
    third = rooms.open(lesson(CHOICE))
    assert unused.ended
    third.answer(third.new_device(), 1, 0)
    refused(503, lambda: rooms.open(lesson(CHOICE)))


def test_the_code_of_a_room_says_whose_it_is() -> None:
    rooms = Rooms(letter="B")
    codes = {rooms.open(lesson(CHOICE)).code for _ in range(20)}
    assert len(codes) == 20
    assert {(code[0], len(code)) for code in codes} == {("B", 6)}
    for unreadable in ("b", "O", "AB"):
        with pytest.raises(ValueError, match="MARGIN_LAB_ROOM_LETTER must be one of"):
            Rooms(letter=unreadable)


def unpacked(picture: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
    assert picture is not None
    return decode(zlib.decompress(base64.b64decode(picture)))


def test_the_picture_for_phones_is_the_stages_own_with_fewer_nodes_and_examples() -> None:
    opening = "data=moons&n=900&noise=0.25&outliers=6&gamma=1&methods=svm,ldm,odm,msvmav"
    message = picture_of(opening)
    (header, arrays), (small, fewer) = decode(message), unpacked(small_picture(message))
    assert small["plane"] == header["plane"]
    assert len(fewer["x"]) == len(fewer["label"]) == len(fewer["margin:ldm"]) <= 400
    assert set(zip(fewer["row"], fewer["x"], strict=True)) < set(zip(arrays["row"], arrays["x"], strict=True))
    for panel in small["panels"]:
        key, nodes = panel["key"], panel["grid"]
        field, whole = fewer[f"field:{key}"].reshape(nodes, nodes), arrays[f"field:{key}"].reshape(GRID, GRID)
        corners = np.ix_((0, -1), (0, -1))
        assert (field[corners] == whole[corners]).all()
        curve, ordered = fewer[f"curve:{key}:train"], arrays[f"curve:{key}:train"]
        assert [curve[0], curve[-1]] == pytest.approx([ordered[0], ordered[-1]])


@pytest.mark.parametrize(
    "query",
    [
        "data=moons&n=300&noise=0.25&outliers=6&gamma=1&methods=svm,ldm,odm,msvmav",
        "data=blobs-k&each=200&classes=4&methods=mcodm,mcsvm",
        "data=breast-cancer&methods=ldm",
    ],
)
def test_phones_get_small_pictures_of_whatever_data(query: str) -> None:
    picture = small_picture(picture_of(query))
    assert len(picture or "") < 35_000
    assert {panel["grid"] for panel in unpacked(picture)[0]["panels"]} <= {34, 100}


def test_a_boundary_that_fewer_nodes_would_move_keeps_them_all() -> None:
    steep = find_lesson("margins").states(3)[1]
    wide, narrow = unpacked(small_picture(picture_of(steep)))[0]["panels"]
    assert (wide["key"], wide["grid"], narrow["key"], narrow["grid"]) == ("svm", 34, "ldm", 100)


def test_no_phone_gets_a_private_table_or_a_refusal() -> None:
    header, arrays = decode(picture_of(STATE))
    assert small_picture(encode(header | {"source": "own:table"}, arrays)) is None
    assert small_picture(encode({"error": {"message": "No."}}, {})) is None


@pytest.mark.parametrize(
    "host", ["localhost:8501", "127.0.0.1:8501", "[::1]:8501", "0.0.0.0:8501", "localhost", "a.localhost"]
)
def test_the_address_for_phones_is_never_this_machines_own_name_for_itself(host: str) -> None:
    found = public_host(host)
    assert "localhost" not in found
    assert "::" not in found
    assert found.endswith(":8501") == (":8501" in host)


def test_a_host_that_others_know_is_kept() -> None:
    assert public_host("lab.example.org") == "lab.example.org"
    assert public_host("10.1.2.3:80") == "10.1.2.3:80"
    assert reaches_others("10.1.2.3:80")
    assert not reaches_others("127.0.0.1:80")
    assert qr_code("http://10.1.2.3/join/ABCDE").startswith(b"<svg")
