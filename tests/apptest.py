"""Helpers for tests that run a page with AppTest: pages, widgets by label, texts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

from tests.waiting import PATIENCE

# AppTest reads the metadata of every installed package at each run; nothing is installed during the tests.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)

PAGES = Path(__file__).parents[1] / "pages"


def page_of(name: str) -> AppTest:
    """Return a page before its first run."""
    return AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=PATIENCE)


def open_page(name: str) -> AppTest:
    page = page_of(name).run()
    assert not page.exception
    return page


def button(page: AppTest, label: str) -> Any:
    return next(found for found in page.button if found.label == label)


def widget(found: Iterable[Any], label: str) -> Any:
    """Return the only element with a label."""
    (one,) = (element for element in found if element.label == label)
    return one


def press(page: AppTest, label: str) -> AppTest:
    button(page, label).click().run()
    assert not page.exception
    return page


def captions(page: AppTest) -> str:
    return " ".join(caption.value for caption in page.caption)


def shown(page: AppTest) -> str:
    """Return all texts of the page, without the escapes of Markdown."""
    kinds = (page.markdown, page.caption, page.info, page.warning, page.error)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")


def entries(page: AppTest) -> dict[str, str]:
    """Return the terms that a page explains, from all its notes."""
    notes = "".join(note.proto.body for note in page.get("html") if 'class="terms"' in note.proto.body)
    return {unescape(word): unescape(meaning) for word, meaning in re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", notes)}


def unexplained(page: AppTest) -> list[str]:
    """Return the table headings and axis titles of a page that it does not explain.

    The preview of the visitor's file, the only table with numbered rows, is skipped.
    """
    shown: list[str] = []
    for table in page.dataframe:
        told = json.loads(table.proto.columns or "{}")
        if told.get("_index", {}).get("hidden"):
            shown += [told.get(name, {}).get("label") or name for name in table.value]
    for chart in page.get("plotly_chart"):
        layout = json.loads(chart.proto.spec)["layout"]
        axes = [axis for name, axis in layout.items() if "axis" in name and axis.get("visible") is not False]
        shown += [axis["title"]["text"].replace("<br>", " ") for axis in axes if axis.get("title", {}).get("text")]
    return [word for word in dict.fromkeys(shown) if word not in entries(page)]
