"""One room: where the lecture is, and what its audience has answered. Every method holds the one lock."""

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

from mdcore.ui.lecture.lesson import Lesson
from mdcore.ui.room.answers import Answer, distance, read_answer, tally

Phase = Literal["ask", "reveal", "play"]
PHASES: tuple[Phase, ...] = ("ask", "reveal", "play")
ROUNDS = 2  # vote, discuss, vote again
DEVICES = 2000
RATE, PER = 20, 10.0  # answers of one device in so many seconds
LONGEST = 8 * 3600.0  # s that a room lasts
LONELY = 180.0  # s without its presenter, before anybody has answered
ABSENT = 3600.0  # s without its presenter, afterwards

SOON = 0.2  # s within which a change is heard that comes from the audience: many come at once

Listener = Callable[[float], None]  # to be called with the seconds until it should look


class Refused(ValueError):
    """Something a room does not take; `status` is that of the HTTP answer."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass
class _Place:
    """Where the lecture is."""

    step: int = 1
    phase: Phase = "ask"
    opened: bool = False
    round: int = 1


@dataclass
class Room:
    """`code` is typed by the audience, `key` is the presenter's secret, `clock` counts seconds; `shelf` is the name by
    which the lesson can be found again, if it has one."""

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
        self._truths: dict[int, list[float]] = {}
        self._runs: dict[int, dict[float, dict[str, float]]] = {}
        self._scene = b""
        self._stamps = {"place": 0, "scene": 0}
        self._packed: dict[bool, tuple[int, bytes]] = {}
        self._go = (0, "")
        self._listeners: set[Listener] = set()
        self._waiting = False
        self._begun = self._seen = self.clock()
        self.ended = False

    # Who is there

    def new_device(self) -> str:
        """Return a name for a device, which only this room could have given."""
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
        """Whether it has lasted, or been left alone, for too long."""
        now = self.clock()
        alone = ABSENT if self._answers else LONELY
        return self.ended or now - self._begun > LONGEST or now - self._seen > alone

    @property
    def used(self) -> bool:
        return bool(self._answers)

    # What the audience does

    def answer(self, device: str, step: Any, sent: Any) -> str:
        """Keep the answer of a device, in the place of an earlier one; the kind of the question."""
        with self._lock:
            if self.ended:
                raise Refused(410, "This room has ended.")
            if not self.knows(device):
                raise Refused(403, "Open the page of the room first: this device is not known here.")
            self._slow_down(device)
            question = self.lesson.question(step) if isinstance(step, int) and not isinstance(step, bool) else None
            if question is None:
                raise Refused(404, f"There is no question at step {step!r}.")
            if step in self._revealed:
                raise Refused(409, f"The answer of step {step} has been shown: it takes no more votes.")
            try:
                answer = read_answer(question, sent)
            except ValueError as error:
                raise Refused(422, str(error)) from None
            turn = (step, self._place.round if step == self._place.step else 1)
            self._answers.setdefault(turn, {})[device] = answer
            self._change(quietly=True)
            return str(question["kind"])

    def _slow_down(self, device: str) -> None:
        now = self.clock()
        if device not in self._recent and len(self._recent) >= DEVICES:
            raise Refused(503, f"The room is full: {DEVICES} devices take part.")
        recent = self._recent.setdefault(device, deque(maxlen=RATE))
        if len(recent) == RATE and now - recent[0] < PER:
            raise Refused(429, f"At most {RATE} answers in {PER:g} seconds.")
        recent.append(now)

    def mine(self, device: str) -> dict[str, Any]:
        """Return what a device has answered, with the score of its curves where they have been certified."""
        with self._lock:
            own: dict[str, Any] = {}
            for (step, turn), answers in sorted(self._answers.items()):
                if device in answers:
                    own[str(step)] = {"answer": answers[device], "round": turn, **self._score(step, answers[device])}
            return {"answers": own}

    def _score(self, step: int, answer: Answer) -> dict[str, Any]:
        truth = self._truths.get(step)
        if truth is None or step not in self._revealed:
            return {}
        return {"truth": truth, "score": distance(answer, truth)}

    # What the presenter does

    def present(self, step: int, phase: Phase, *, opened: bool, round: int) -> None:
        with self._lock:
            if not 1 <= step <= len(self.lesson.steps) or phase not in PHASES or not 1 <= round <= ROUNDS:
                raise Refused(422, "There is no such place in this lesson.")
            self._place = _Place(step, phase, opened, round)
            if phase != "ask":
                self._revealed.add(step)
            self._change()

    def ask_to_go(self, where: str) -> None:
        """Take a wish of the remote: the presenter's page follows it."""
        with self._lock:
            self._go = (self._go[0] + 1, where)
            self._change()

    def tell_truth(self, step: int, quantiles: list[float]) -> None:
        """Take the certified curve that was to be drawn at a step."""
        with self._lock:
            self._truths[step] = quantiles
            self._change()

    def tell_run(self, step: int, value: float, statistics: dict[str, float]) -> None:
        """Take what one of the audience has come out as."""
        with self._lock:
            self._runs.setdefault(step, {})[value] = statistics
            self._change(quietly=True)

    def show_scene(self, scene: bytes) -> None:
        """Take the picture that followers see: packed once, the same bytes for all."""
        with self._lock:
            self._scene = scene
            self._stamps["scene"] += 1
            self._wake()

    @property
    def place(self) -> tuple[int, Phase]:
        with self._lock:
            return self._place.step, self._place.phase

    def has_run(self, step: int, value: float) -> bool:
        with self._lock:
            return value in self._runs.get(step, {})

    def end(self) -> None:
        """End it: nothing of it is kept."""
        with self._lock:
            self.ended = True
            for kept in (self._answers, self._recent, self._truths, self._runs, self._revealed):
                kept.clear()
            self._scene = b""
            self._change()

    # What everybody hears

    def public(self, *, brief: bool = False) -> dict[str, Any]:
        """Return what all may know: no answer before it is opened, nobody's name ever. `brief`, as phones hear it:
        without what only the projector draws, which grows with the audience."""
        with self._lock:
            if self.ended:
                return {"ended": True}
            at = self._place
            step = self.lesson.steps[at.step - 1]
            question = self.lesson.question(at.step)
            told: dict[str, Any] = {
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
                told["question"] = {key: value for key, value in question.items() if key != "answer"}
                told |= self._results(at, question, brief=brief)
            return told

    def _results(self, at: _Place, question: Any, *, brief: bool) -> dict[str, Any]:
        revealed = at.step in self._revealed
        found: dict[str, Any] = {}
        if at.opened or revealed:
            turns = [list(self._answers.get((at.step, turn), {}).values()) for turn in range(1, at.round + 1)]
            found["results"] = [tally(question, answers, brief=brief) for answers in turns]
            if question["kind"] == "runs" and not brief:
                runs = self._runs.get(at.step, {})
                found["runs"] = [{"value": value, "of": runs[value]} for value in sorted(runs)]
        if revealed and "answer" in question:
            found["answer"] = question["answer"]
        if revealed and at.step in self._truths:
            found["truth"] = self._truths[at.step]
        return found

    def news(self, *, brief: bool = False) -> dict[str, tuple[int, bytes]]:
        """Return the state and the scene as events, each with the number of its version; made once for all phones."""
        with self._lock:
            if self._packed.get(brief, (-1, b""))[0] != self._stamps["place"]:
                self._waiting = False
                told = self.public(brief=brief)
                self._packed[brief] = self._stamps["place"], event("state", json.dumps(told).encode())
            found = {"state": self._packed[brief]}
            if self._scene:
                found["scene"] = self._stamps["scene"], self._scene
            return found

    def listen(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.add(listener)

    def leave(self, listener: Listener) -> None:
        with self._lock:
            self._listeners.discard(listener)

    @property
    def followers(self) -> int:
        return len(self._listeners)

    def _change(self, *, quietly: bool = False) -> None:
        """`quietly`: listeners hear of it soon, of all such changes together."""
        self._stamps["place"] += 1
        if not quietly:
            self._wake()
        elif not self._waiting:
            self._waiting = True
            self._wake(SOON)

    def _wake(self, delay: float = 0.0) -> None:
        for listener in tuple(self._listeners):
            listener(delay)


def event(name: str, data: bytes) -> bytes:
    """Return one server-sent event; the data must hold no line break."""
    return b"event: " + name.encode() + b"\ndata: " + data + b"\n\n"
