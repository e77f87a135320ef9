"""The walks and instructions in CONTRIBUTING name existing files and definitions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WALKS = {walk.partition("\n")[0]: walk for walk in TEXT.partition("## Add a method")[0].split("\n### ")[1:]}
STOP = re.compile(r"^\d+\. `([^`]+)` `([^`]+)`", re.M)
FILE = re.compile(r"`((?:mdcore|tests|pages)/[\w/]+\.(?:py|js)|frame\.py)`")


MOST_STOPS = {
    "A slider to a picture": 20,
    "A fit": 10,
    "A CSV to a report": 25,
    "A sweep to a curve": 10,
    "A table's cell": 10,
    "A vote to the screen": 14,
}


def test_every_walk_is_short_and_each_of_its_stops_has_a_name() -> None:
    assert WALKS.keys() == MOST_STOPS.keys()
    for name, walk in WALKS.items():
        assert 5 <= len(STOP.findall(walk)) <= MOST_STOPS[name], name
        assert len(STOP.findall(walk)) == len(re.findall(r"^\d+\. ", walk, re.M)), f"{name}: a stop without its name"


@pytest.mark.parametrize(("file", "name"), STOP.findall(TEXT))
def test_a_stop_is_defined_in_its_file(file: str, name: str) -> None:
    source = (ROOT / file).read_text(encoding="utf-8")
    defined = rf"^\s*((async |export )*(def|function)|class|export const) {name}\b|^{name}\b.*=|^\s+{name}\(.*\) {{$"
    assert re.search(defined, source, re.M), f"{file} defines no {name}"


@pytest.mark.parametrize("file", sorted(set(FILE.findall(TEXT))))
def test_every_file_that_is_named_exists(file: str) -> None:
    assert (ROOT / file).is_file()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("mdcore/browser/charts/charts.js", "CHARTS"),
        ("mdcore/browser/charts/counts.js", "createCounts(host"),
        ("mdcore/serving/stage/stage_page.py", "extra:"),
        ("mdcore/serving/stage_pages/__init__.py", "STAGE_PAGES"),
        ("mdcore/serving/lecture/questions/kind.py", "class Kind"),
        ("mdcore/ui/shared/drawing.py", "def plot"),
        ("mdcore/ui/frame.py", "def name_page"),
        ("frame.py", "PAGES = ["),
    ],
)
def test_the_recipes_find_what_they_name(file: str, name: str) -> None:
    assert name in (ROOT / file).read_text(encoding="utf-8")
