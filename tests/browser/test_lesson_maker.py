"""The lesson maker in a browser: save a lesson, open it again, show it, and refuse a broken one with its line."""

from __future__ import annotations

import json
import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open


def test_a_lesson_made_from_states_is_saved_reopened_and_identical(open_page: Open, tmp_path: Path) -> None:
    state = "data=moons&n=60&methods=svm,ldm&ldm.lambda1=16"
    page = open_page(f"lesson-maker?state={state.replace('&', '%26')}")
    page.get_by_label("Title of the lesson").fill("Two methods")
    page.get_by_label("Title", exact=True).fill("First")
    page.get_by_label("Words", exact=True).fill("One paragraph.\n\nAnother, with λ₁.")
    page.get_by_label("Question", exact=True).fill("Which?")
    page.get_by_label("Options").fill("this\n* that")
    page.get_by_label("LDM λ₁").check()
    page.get_by_label("State after").fill(f"http://lab.example/?{state.replace('=16', '=64')}")
    page.get_by_label("State after").blur()
    page.get_by_role("button", name="Add a step").click()
    page.get_by_role("button", name="Up").last.click()
    _ask_otherwise(page)
    saved = [_saved(page, tmp_path / "a.json")]
    page.get_by_role("button", name="Remove").first.click()
    page.get_by_label("Open").set_input_files(tmp_path / "a.json")
    expect(page.get_by_label("Title", exact=True)).to_have_count(4)
    saved.append(_saved(page, tmp_path / "b.json"))
    assert saved[0] == saved[1]
    first, second, *others = json.loads(saved[0])["steps"]
    assert first["title"] == "Step 2"
    assert first["question"] == {
        "kind": "curve",
        "text": "Draw the margin curve.",
        "method": "ldm",
        "axis": [-1, 2.5],
    }
    assert (first["views"], first["tables"][0]["methods"]) == (["histogram", "papers"], ["svm", "ldm"])
    assert first["reveal"]["try"] == ["Move it."]
    assert [step["question"] for step in others] == [
        {"kind": "points", "text": "Where?", "class": 1},
        {
            "kind": "runs",
            "text": "How widely will they scatter?",
            "param": "ldm.lambda1",
            "statistic": "variance",
            "low": -4,
            "high": 8,
            "log": True,
        },
    ]
    assert second["question"] == {"kind": "choice", "text": "Which?", "options": ["this", "that"], "answer": 1}
    assert second["keep"] == ["ldm.lambda1"]
    assert second["reveal"]["state"].endswith("ldm.lambda1=64")
    with page.context.expect_page() as opened_page:
        page.get_by_role("button", name="Preview").click()
    preview = opened_page.value
    expect(preview.get_by_test_id("lecture")).to_have_attribute("data-steps", "4")
    page.get_by_label("State before").first.fill("data=nothing")
    page.get_by_label("State before").first.blur()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text(re.compile(r"Line \d+: step 1, state: "))


def _ask_otherwise(page: Page) -> None:
    """Make questions other than multiple choice: a curve in the first step, a point and a run in two more."""
    first = page.get_by_role("listitem").nth(0)
    first.get_by_label("What the audience does").select_option(label="draw the margin curve")
    first.get_by_label("Of the method").select_option(label="LDM")
    first.get_by_label("and ends at margin").fill("2.5")
    first.get_by_label("histogram").check()
    first.get_by_label("Papers' tables").fill("ldm-2014 2 svm,ldm")
    first.get_by_label("What to try").fill("Move it.")
    first.get_by_label("What to try").blur()
    for _ in range(2):
        page.get_by_role("button", name="Add a step").click()
    third, fourth = (page.get_by_role("listitem").nth(at) for at in (2, 3))
    third.get_by_label("What the audience does").select_option(label="place an example")
    third.get_by_label("Question", exact=True).fill("Where?")
    third.get_by_label("The example is of the").select_option(label="second class")
    fourth.get_by_label("What the audience does").select_option(label="take one run of many")
    fourth.get_by_label("Each phone takes one value of").select_option(label="LDM λ₁")
    fourth.get_by_label("Shown is the").select_option(label="variance")
    fourth.get_by_label("From").fill("-4")
    fourth.get_by_label("From").blur()


def _saved(page: Page, path: Path) -> str:
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    download.value.save_as(path)
    return path.read_text(encoding="utf-8")
