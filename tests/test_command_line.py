"""`python -m mdcore`: how commands are found, and the message for an unknown one."""

from __future__ import annotations

import pytest

from mdcore.__main__ import WRONG_USE, main
from mdcore.commands import INTERRUPTED


def test_without_a_command_the_commands_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == WRONG_USE
    assert main(["--help"]) == 0
    assert "COMMAND" in capsys.readouterr().out


def test_an_unknown_command_is_said_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nothing"]) == WRONG_USE
    said = capsys.readouterr()
    assert "unknown command 'nothing'" in said.err
    assert not said.out


def test_an_interrupted_command_ends_in_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(argv: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("mdcore.commands.compare.main", interrupt)
    assert main(["compare"]) == INTERRUPTED
    assert capsys.readouterr().err == "mdcore compare: interrupted.\n"
