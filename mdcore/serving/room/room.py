"""The state of one lecture room: the position in the lesson, and the audience's answers. One lock guards all changes to
both."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from mdcore.serving.lecture.lesson import Lesson
from mdcore.serving.lecture.questions import kind_of
from mdcore.serving.lecture.questions.kind import Answer, Question
from mdcore.serving.room.small_picture import small_picture

Phase = Literal["ask", "reveal", "play"]
PHASES: tuple[Phase, ...] = ("ask", "reveal", "play")
ROUNDS = 2  # vote, discuss, vote again
DEVICES = 2000
RATE, PER = 20, 10.0  # the most answers of one device, in this many seconds
MAX_DURATION = 8 * 3600.0  # s after which a room ends
TIMEOUT_UNUSED = 180.0  # s without its presenter, before anybody has answered
TIMEOUT_USED = 3600.0  # s without its presenter, afterwards

SOON = 0.2  # s by which the audience's changes are delayed, because many come at once
PACE = 0.25  # s between two pictures sent to phones

Listener = Callable[[float], None]  # called with the seconds to wait before reading the news


class Refused(ValueError):
    """A request that a room refuses; `status` is the HTTP status of the response."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class _Place:
    """The position in the lesson."""

    step: int = 1
    phase: Phase = "ask"
    opened: bool = False
    round: int = 1


@dataclass
class Room:
    """A lecture room.

    The audience types `code`; `key` is the presenter's secret; `clock` returns seconds. `shelf` is the name of the
    lesson, or None for a lesson given as text.
    """

    code: str
    lesson: Lesson
    shelf: str | None = None
    key: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._lock = threading.RLock()
        self._place = _Place()
        self._answers: dict[tuple[int, int], dict[str, Answer]] = {}
        self._recent: dict[str, deque[float]] = {}
        self._revealed: set[int] = set()
        self._truths: dict[int, Any] = {}
        self._runs: dict[int, dict[Answer, Any]] = {}
        self._scene = b""
        self._message: bytes | None = None  # the presenter's newest picture, if it is not packed as the scene yet
        self._due = 0.0  # when it may be
        self._stamps = {"place": 0, "scene": 0}
        self._packed: dict[bool, tuple[int, bytes]] = {}  # the latest state, as packed for the presenter or not
        self._go = (0, "")
        self._listeners: set[Listener] = set()
        self._waiting = False
        self._begun = self._seen = self.clock()
        self.ended = False

    # Devices and the presenter

    def new_device(self) -> str:
        """Return a signed name for a new device, which only this room can issue."""
        name = secrets.token_hex(12)
        return f"{name}.{self._sign(name)}"

    def knows(self, device: str) -> bool:
        name, _, signature = device.partition(".")
        return hmac.compare_digest(signature, self._sign(name))

    def is_presenter(self, key: str) -> bool:
        same = hmac.compare_digest(key.encode(), self.key.encode())
        if same:
            self._seen = self.clock()
        return same

    def _sign(self, name: str) -> str:
        return hmac.new(self.key.encode(), name.encode(), hashlib.sha256).hexdigest()[:24]

    @property
    def over(self) -> bool:
        """Whether the room has ended, reached its longest duration, or been without its presenter for too long."""
        now = self.clock()
        timeout = TIMEOUT_USED if self._answers else TIMEOUT_UNUSED
        return self.ended or now - self._begun > MAX_DURATION or now - self._seen > timeout

    @property
    def used(self) -> bool:
        return bool(self._answers)

    # Actions of the audience

    def answer(self, device: str, step: Any, sent: Any) -> Answer:
        """Store the answer of a device, replacing an earlier one, and return it as stored."""
        with self._lock:
            if self.ended:
                raise Refused(410, "This room has ended.")
            if not self.knows(device):
                raise Refused(403, "Open the page of the room first: this device is not known here.")
            self._check_rate(device)
            question = self.lesson.question(step) if isinstance(step, int) and not isinstance(step, bool) else None
            if question is None:
                raise Refused(404, f"There is no question at step {step!r}.")
            if step in self._revealed:
                raise Refused(409, f"The answer to step {step} has been shown: voting is closed.")
            try:
                answer = kind_of(question).read(question, sent)
            except ValueError as error:
                raise Refused(422, str(error)) from None
            turn = (step, self._place.round if step == self._place.step else 1)
            self._answers.setdefault(turn, {})[device] = answer
            self._change(quietly=True)
            return answer

    def _check_rate(self, device: str) -> None:
        now = self.clock()
        if device not in self._recent and len(self._recent) >= DEVICES:
            raise Refused(503, f"The room is full: {DEVICES} devices have answered.")
        recent = self._recent.setdefault(device, deque(maxlen=RATE))
        if len(recent) == RATE and now - recent[0] < PER:
            raise Refused(429, f"At most {RATE} answers in {PER:g} seconds.")
        recent.append(now)

    def answers_of(self, device: str) -> dict[str, Any]:
        """Return the latest answers of a device by step, each with its round."""
        with self._lock:
            given = sorted(self._answers.items())
            own = {str(step): {"answer": of[device], "round": turn} for (step, turn), of in given if device in of}
            return {"answers": own}

    # Actions of the presenter

    def present(self, step: int, phase: Phase, *, opened: bool, round: int) -> None:
        with self._lock:
            if not 1 <= step <= len(self.lesson.steps) or phase not in PHASES or not 1 <= round <= ROUNDS:
                raise Refused(422, "There is no such step, phase or round in this lesson.")
            self._place = _Place(step, phase, opened, round)
            if phase != "ask":
                self._revealed.add(step)
            self._change()

    def store_command(self, command: str) -> None:
        """Store a command of the remote, which the presenter's page carries out."""
        with self._lock:
            self._go = (self._go[0] + 1, command)
            self._change()

    def store_truth(self, step: int, truth: Any) -> None:
        """Store what the reveal of a step shows beside the answers."""
        with self._lock:
            self._truths[step] = truth
            self._change()

    def store_run(self, step: int, answer: Answer, found: Any) -> None:
        """Store the run of an answer."""
        with self._lock:
            self._runs.setdefault(step, {})[answer] = found
            self._change(quietly=True)

    def show(self, message: bytes) -> None:
        """Store the presenter's picture, a message of the stage, for the phones, which get it within PACE seconds."""
        with self._lock:
            if self._message is None:
                self._due = self.clock() + PACE
                self._wake(PACE)
            self._message = message

    def has_run(self, step: int, answer: Answer) -> bool:
        with self._lock:
            return answer in self._runs.get(step, {})

    def end(self) -> None:
        """End the room and delete its contents."""
        with self._lock:
            self.ended = True
            for kept in (self._answers, self._recent, self._truths, self._runs, self._revealed):
                kept.clear()
            self._scene, self._message = b"", None
            self._change()

    # News for all listeners

    def public(self) -> dict[str, Any]:
        """Return the state that everyone may see: results only once they are opened or revealed, and never a device's
        name."""
        with self._lock:
            if self.ended:
                return {"ended": True}
            at = self._place
            step = self.lesson.steps[at.step - 1]
            question = self.lesson.question(at.step)
            state: dict[str, Any] = {
                "lesson": self.lesson.title,
                "shelf": self.shelf,
                "step": at.step,
                "steps": len(self.lesson.steps),
                "phase": at.phase,
                "title": step["title"],
                "round": at.round,
                "votes": len(self._answers.get((at.step, at.round), {})),
                "phones": len(self._recent),
                "opened": at.opened,
                "closed": at.step in self._revealed,
                "go": self._go,
            }
            if question is not None:
                state["question"] = {key: value for key, value in question.items() if key != "answer"}
                state |= self._results(at, question)
            return state

    def _results(self, at: _Place, question: Question) -> dict[str, Any]:
        kind, revealed = kind_of(question), at.step in self._revealed
        found: dict[str, Any] = {}
        if at.opened or revealed:
            turns = [list(self._answers.get((at.step, turn), {}).values()) for turn in range(1, at.round + 1)]
            found["results"] = [kind.tally(question, answers) for answers in turns]
            if kind.run is not None:
                runs = self._runs.get(at.step, {})
                found["runs"] = [{"value": answer, "of": runs[answer]} for answer in sorted(runs)]
        if revealed and "answer" in question:
            found["answer"] = question["answer"]
        if revealed and at.step in self._truths:
            found["truth"] = self._truths[at.step]
        return found

    def news(self, *, presents: bool) -> dict[str, tuple[int, bytes]]:
        """Return the state and, except for the presenter, the picture as events with version numbers. Each version is
        packed once for all listeners."""
        with self._lock:
            if self._packed.get(presents, (-1, b""))[0] != self._stamps["place"]:
                self._waiting = False
                state = self.public() if presents else for_phones(self.public())
                self._packed[presents] = self._stamps["place"], event("state", json.dumps(state).encode())
            found = {"state": self._packed[presents]}
            if presents:
                return found
            if self._message is not None and self.clock() >= self._due:
                self._pack_picture(self._message)
            return found | ({"scene": (self._stamps["scene"], self._scene)} if self._scene else {})

    def _pack_picture(self, message: bytes) -> None:
        self._message, picture = None, small_picture(message)
        if picture is not None:
            self._scene = event("scene", json.dumps(picture).encode())
            self._stamps["scene"] += 1

    def listen(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.add(listener)
            if self._message is not None:
                listener(PACE)

    def leave(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.discard(listener)

    @property
    def followers(self) -> int:
        return len(self._listeners)

    def _change(self, *, quietly: bool = False) -> None:
        """Record a change and wake the listeners; if `quietly`, within SOON seconds, together for all such changes."""
        self._stamps["place"] += 1
        if not quietly:
            self._wake()
        elif not self._waiting:
            self._waiting = True
            self._wake(SOON)

    def _wake(self, delay: float = 0.0) -> None:
        for listener in tuple(self._listeners):
            listener(delay)


def for_phones(state: dict[str, Any]) -> dict[str, Any]:
    """Return the public state without the single answers and runs."""
    if "results" not in state:
        return state
    results = [kind_of(state["question"]).brief(each) for each in state["results"]]
    return {key: value for key, value in state.items() if key != "runs"} | {"results": results}


def event(name: str, data: bytes) -> bytes:
    """Return a server-sent event; the data must not contain a line break."""
    return b"event: " + name.encode() + b"\ndata: " + data + b"\n\n"
