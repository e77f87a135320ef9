"""Helpers for tests of the Compare page: open it with a query or a file, press Compare, look at sections."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

from mdcore.serving.comparisons.address import DEFAULTS
from mdcore.ui.own_table.reading import File, Reading
from mdcore.ui.pages.compare.duration import PLACE as PLACE_OF_ESTIMATE
from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.pages.compare.state import MODE, OWN, SHOWN
from mdcore.ui.shared.session import state_of
from tests.apptest import button, unexplained
from tests.waiting import PATIENCE

PAGE = Path(__file__).parents[1] / "pages" / "compare.py"
QUICK = "data=moons&n=60&noise=0.3&seed=1&gamma=1&methods=svm,odm&svm.C=3&test=0.4&view.compared=svm,odm"
PEOPLE = "height;weight;sport\n" + "\n".join(
    f"{1.5 + i % 7 / 10};{50 + i % 11};{'yes' if i % 7 > 3 else 'no'}" for i in range(60)
)


def opened(query: str = QUICK) -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    for name, value in parse_qsl(query):
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def run(page: AppTest, repeats: int = 3) -> AppTest:
    """Press Compare unless data of the catalogue are compared already, wait for the end, and draw the page again."""
    page.number_input(key="compare repeats").set_value(repeats).run()
    if not button(page, "Compare").disabled:
        button(page, "Compare").click().run()
    assert not page.exception
    if JOB in page.session_state:
        page.session_state[JOB].wait()
        page.run()
        assert not page.exception
    return page


def asked(page: AppTest, question: str) -> AppTest:
    """Open one of the questions below the leaderboard."""
    page.segmented_control(key="compare question").set_value(question).run()
    assert not page.exception
    return page


def looked_at(page: AppTest, look: str) -> None:
    """Open "Where does it fail?" by classes, rows, views or margins."""
    asked(page, "Where does it fail?")
    page.segmented_control(key="compare look").set_value(look).run()
    assert not page.exception
    assert not unexplained(page)


def query(page: AppTest) -> str:
    """Return the query that the page shows in the URL."""
    sent = [json.loads(element.proto.json) for element in page.main if element.type == "bidi_component"]
    (query,) = (data["query"] for data in sent if "query" in data)
    return str(query)


def drawing(page: AppTest, key: str) -> str:
    """Return a drawing of the page as HTML: "leaderboard", or "picture of the data"."""
    found = [
        json.loads(part.proto.json) for part in page.main if part.type == "bidi_component" and key in part.proto.id
    ]
    (html,) = (data["html"] for data in found)
    return str(html)


def with_file(content: bytes, name: str = "people.csv") -> AppTest:
    page = AppTest.from_file(PAGE, default_timeout=PATIENCE)
    page.session_state["compare where"] = OWN
    state_of(Reading, page.session_state).file = File(name, content, "1")
    page.run()
    return chosen(page, "svm", "ldm", mode=DEFAULTS)


def chosen(page: AppTest, *methods: str, mode: str = "") -> AppTest:
    """Switch on these methods alone, and choose how their parameters are set."""
    page.session_state[SHOWN] = list(methods)
    if mode:
        page.session_state[MODE] = mode
    page.run()
    assert not page.exception
    return page


def finished(page: AppTest) -> AppTest:
    """Wait for the estimate, and return the page run again."""
    page.session_state[PLACE_OF_ESTIMATE].wait()
    return page.run()
