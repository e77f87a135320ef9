"""Slow requests are logged and counted, without any user data."""

from __future__ import annotations

import logging

import pytest
from prometheus_client import generate_latest

from mdcore.serving.jobs import timing
from mdcore.serving.jobs.job import Job
from mdcore.serving.jobs.timing import alias, timed

COUNT = 'margin_lab_seconds_count{kind="x"}'


def test_what_was_slow_is_said_with_an_alias_of_its_session(monkeypatch, caplog) -> None:
    monkeypatch.setattr(timing, "SLOW", 0.0)
    with caplog.at_level(logging.WARNING), timed("picture", "the session's own name"):
        pass
    (record,) = caplog.records
    assert record.getMessage().startswith("picture took 0.0 s for session ")
    assert alias("the session's own name") in record.getMessage()
    assert "own name" not in record.getMessage()


def test_what_was_quick_is_counted_and_not_said(caplog) -> None:
    def counted() -> float:
        found = [line for line in generate_latest().decode().splitlines() if line.startswith(COUNT)]
        return float(found[0].split()[-1]) if found else 0.0

    before = counted()
    with pytest.raises(ValueError, match="why"), timed("x", ""):
        raise ValueError("why")
    assert counted() == before + 1
    assert not caplog.records


def test_jobs_at_work_and_waiting_are_counted() -> None:
    job = Job("subject", lambda report: iter([1]), needs=0.0)
    job.wait()
    lines = generate_latest().decode().splitlines()
    assert 'margin_lab_jobs{state="waiting"} 0.0' in lines
