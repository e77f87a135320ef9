"""What is mended around Streamlit is on one list, and each entry is still needed."""

from __future__ import annotations

import inspect
import re
from importlib.metadata import version
from pathlib import Path

import pytest
import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "mdcore" / "ui" / "workarounds"
LIST = (FOLDER / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([^`]+)` \| (.+?) \| (.+?) \| (.+?) \|$", LIST, re.M)


def test_every_file_is_on_the_list_and_every_entry_is_a_file() -> None:
    python = {path.name for path in FOLDER.glob("*.py")} - {"__init__.py"}
    scripts = {f"assets/workarounds/{path.name}" for path in (ROOT / "mdcore/ui/assets/workarounds").glob("*.js")}
    assert {file for file, *_ in ROWS} == python | scripts


def test_the_list_was_looked_at_for_the_streamlit_that_is_installed() -> None:
    seen = re.search(r"Seen in Streamlit (\d+\.\d+)\.", LIST)
    assert seen
    assert version("streamlit").startswith(f"{seen[1]}."), "look at the list again, and say so in it"


@pytest.mark.parametrize("test", re.findall(r"`(tests/[\w/]+\.py::\w+)`", LIST))
def test_the_tests_that_tell_exist(test: str) -> None:
    file, _, name = test.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")


def test_a_server_begins_with_the_pages_of_the_folder() -> None:
    source = inspect.getsource(PagesManager)
    assert "uses_pages_directory" in source, "Streamlit has no pages directory any more: pages_manager.py can go"


def test_streamlit_tells_nobody_that_a_session_has_lost_its_browser() -> None:
    told = [name for name in dir(st) if re.search(r"disconnect|session_end|on_close", name)]
    assert not told, f"Streamlit has {told}: sessions.py can go"
