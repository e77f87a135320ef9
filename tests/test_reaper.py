"""Expired sessions are released with everything that they hold."""

from __future__ import annotations

import weakref
from typing import Any

from streamlit.runtime.memory_session_storage import MemorySessionStorage

from mdcore import Experiment
from mdcore.ui.workarounds.reaper import release_memory, remove_expired


class Circle:
    """An object that, like a session, refers to itself through another object."""

    def __init__(self, name: str) -> None:
        self.id = name
        self.own = [self]


class Info:
    def __init__(self, name: str) -> None:
        self.session: Any = Circle(name)


def storage_of(names: list[str], seconds: float) -> tuple[MemorySessionStorage, list[weakref.ref[Any]]]:
    storage = MemorySessionStorage(ttl_seconds=seconds)  # type: ignore[arg-type]
    held = []
    for name in names:
        info = Info(name)
        storage.save(info)  # type: ignore[arg-type]
        held.append(weakref.ref(info.session))
    return storage, held


def test_an_expired_session_stays_until_it_is_let_go() -> None:
    storage, held = storage_of(["a"], seconds=0.0)
    assert storage.list() == []
    assert all(reference() for reference in held), "Streamlit lets them go by itself: the workaround can go"
    assert remove_expired(storage) == 1
    assert not any(reference() for reference in held)


def test_those_that_may_come_back_stay() -> None:
    storage, held = storage_of(["a"], seconds=3600.0)
    assert remove_expired(storage) == 0
    assert held[0]() is not None


def test_another_storage_is_left_alone() -> None:
    assert remove_expired(object()) == 0


def test_when_nobody_is_left_nothing_is_kept_to_draw_faster() -> None:
    fit = weakref.ref(Experiment.from_query("data=moons&n=20&methods=mamc").run()["mamc"].fit)
    assert fit() is not None, "a picture asked for again is not computed again"
    release_memory()
    assert fit() is None
