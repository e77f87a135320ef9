"""Every chart of a page with a stage has a place in each of its layouts: wide, narrow, projector."""

from __future__ import annotations

import re

import pytest

from mdcore.serving.bundle import BROWSER
from mdcore.serving.stage.stage_page import PLAYGROUND, StagePage
from mdcore.serving.stage_pages.multiclass import MULTICLASS
from mdcore.serving.stage_pages.online import ONLINE

CSS = BROWSER / "css"
OF_EVERY_PAGE = {"panels", "table"}
TEMPLATE = re.compile(r"([^{}]*)\{[^{}]*?grid-template:([^;]*);")


@pytest.mark.parametrize("opening", [PLAYGROUND, MULTICLASS, ONLINE], ids=lambda opening: opening.key)
def test_every_chart_has_a_place(opening: StagePage) -> None:
    layouts = TEMPLATE.findall((CSS / f"{opening.key}.css").read_text(encoding="utf-8"))
    layouts = [(selector.strip(), rows) for selector, rows in layouts if ".ml-views" in selector]
    assert layouts
    for selector, rows in layouts:
        places = {name for row in re.findall(r'"([^"]*)"', rows) for name in row.split()} - {"."}  # not a chart
        assert places == OF_EVERY_PAGE | set(opening.charts), selector
        assert f'[data-page="{opening.key}"]' in selector


def test_no_other_sheet_places_charts() -> None:
    pages = {PLAYGROUND.key, MULTICLASS.key, ONLINE.key}
    for sheet in CSS.glob("*.css"):
        placed = [selector for selector, _ in TEMPLATE.findall(sheet.read_text(encoding="utf-8"))]
        assert sheet.stem in pages or not any(".ml-views" in selector for selector in placed), sheet.name
        assert sheet.stem in pages or "data-page" not in sheet.read_text(encoding="utf-8"), sheet.name
