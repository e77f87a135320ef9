"""What the tests that run a page share: the page itself, its buttons by their words, and all that it says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

PAGES = Path(__file__).parents[1] / "pages"
NO_LIMIT = 120  # seconds: how long a run may take before it counts as never


def page_of(name: str) -> AppTest:
    """A page before its first run."""
    return AppTest.from_file(str(PAGES / f"{name}.py"), default_timeout=NO_LIMIT)


def open_page(name: str) -> AppTest:
    page = page_of(name).run()
    assert not page.exception
    return page


def button(page: AppTest, label: str) -> Any:
    return next(found for found in page.button if found.label == label)


def widget(found: Iterable[Any], label: str) -> Any:
    """The only one of these that is called so."""
    (one,) = (element for element in found if element.label == label)
    return one


def press(page: AppTest, label: str) -> AppTest:
    button(page, label).click().run()
    assert not page.exception
    return page


def captions(page: AppTest) -> str:
    return " ".join(caption.value for caption in page.caption)


def shown(page: AppTest) -> str:
    """All texts of the page, the escapes of Markdown taken away."""
    kinds = (page.markdown, page.caption, page.info, page.warning, page.error)
    return "\n".join(str(element.value) for kind in kinds for element in kind).replace("\\", "")
