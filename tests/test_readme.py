"""The README's table of methods is generated from the methods. test_docs.py checks the documents."""

from __future__ import annotations

import pytest

from tests.readme import README, between, replaced, table

TEXT = README.read_text(encoding="utf-8")


def test_the_table_of_methods_is_the_rendered_one() -> None:
    assert between(TEXT, "methods") == table(), "renew it: .venv/bin/python -m tests.readme --write"


def test_replacing_keeps_the_rest() -> None:
    text = "a\n<!-- x:begin -->\nold\n<!-- x:end -->\nb\n"
    assert replaced(text, "x", "new") == text.replace("old", "new")
    with pytest.raises(ValueError, match="x:begin"):
        replaced("no markers", "x", "new")
