"""Helpers for tests of the Compare page: open it with a query or a file, press Compare, look at sections."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

from mdcore.ui.own_table.reading import File, Reading
from mdcore.ui.pages.compare.duration import PLACE as PLACE_OF_ESTIMATE
from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.pages.compare.state import OWN
from mdcore.ui.shared.session import state_of
from tests.apptest import button, unexplained

PAGE = Path(__file__).parents[1] / "pages" / "compare.py"
QUICK = "data=moons&n=60&noise=0.3&seed=1&gamma=1&methods=svm,odm&svm.C=3&test=0.4"
PEOPLE = "height;weight;sport\n" + "\n".join(
    f"{1.5 + i % 7 / 10};{50 + i % 11};{'yes' if i % 7 > 3 else 'no'}" for i in range(60)
)


def opened(query: str = QUICK) -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=60)
    for name, value in parse_qsl(query):
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def run(page: AppTest, repeats: int = 3) -> AppTest:
    """Press Compare, wait for the work to end, and draw the page again."""
    page.number_input(key="compare repeats").set_value(repeats).run()
    button(page, "Compare").click().run()
    assert not page.exception
    if JOB in page.session_state:
        page.session_state[JOB].wait()
        page.run()
        assert not page.exception
    return page


def looked_at(page: AppTest, look: str) -> None:
    """Open "Where does it fail?" by margins, rows or views."""
    page.segmented_control(key="compare section").set_value("Where does it fail?").run()
    page.segmented_control(key="compare look").set_value(look).run()
    assert not page.exception
    assert not unexplained(page)


def query(page: AppTest) -> str:
    """Return the query that the page shows in the URL."""
    (address,) = (element for element in page.main if element.type == "bidi_component")
    return str(json.loads(address.proto.json)["query"])


def with_file(content: bytes, name: str = "people.csv") -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=60)
    page.session_state["compare where"] = OWN
    state_of(Reading, page.session_state).file = File(name, content, "1")
    page.run()
    assert not page.exception
    return page


def finished(page: AppTest) -> AppTest:
    """Wait for the estimate, and return the page run again."""
    page.session_state[PLACE_OF_ESTIMATE].wait()
    return page.run()
