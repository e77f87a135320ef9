"""The stage without Streamlit and without a server: in a notebook, whose kernel answers its requests."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from mdcore import Experiment
from mdcore.serving.bundle import script, stylesheet
from mdcore.serving.stage.reply import reply
from tests.browser.stage import Stage, statistics

QUERY = "data=moons&n=80&noise=0.2&seed=1&gamma=1&methods=svm,ldm&svm.C=1"
# A transport that is nothing but messages, as between a widget and its kernel.
MOUNT = """
const kernel = {
  listen(hear) {
    this.send = async (content) => {
      const { refused, bytes } = await window.kernel(content);
      hear({ id: content.id, refused }, bytes && Uint8Array.from(atob(bytes), (letter) => letter.charCodeAt(0)));
    };
  },
};
mountInNotebook(document.querySelector("main"), kernel, { page: "playground", query: "%s" });
"""


def notebook(page: Page, query: str = QUERY) -> list[dict[str, Any]]:
    """Show a stage on an empty page, and return its requests as they come."""
    asked: list[dict[str, Any]] = []

    def answer(content: dict[str, Any]) -> dict[str, str]:
        asked.append(content)
        try:
            return {"bytes": base64.b64encode(reply(content)).decode()}
        except ValueError as error:
            return {"refused": str(error)}

    page.expose_function("kernel", answer)
    page.set_content(f"<style>{stylesheet('stage.css')}</style><main></main>")
    made = script({"mountInNotebook": ("line/kernel.js", "mountInNotebook")})
    page.add_script_tag(content=made + MOUNT % query, type="module")
    return asked


def test_a_stage_in_a_notebook_draws_what_its_kernel_answers(browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url))
    asked = notebook(page)
    stage = Stage(page)
    assert stage.settle()["svm.C"] == 1
    stage.type_number("svm.C", "4")
    page.wait_for_function(
        "() => JSON.parse(document.querySelector('[data-testid=stage]').dataset.drawn)['svm.C'] === 4"
    )
    experiment = Experiment.from_query(QUERY).with_value("svm.C", 4.0)
    assert stage.numbers() == pytest.approx(statistics(experiment.run()), rel=1e-9, abs=1e-9, nan_ok=True)
    assert asked[0]["last"] is None
    assert asked[-1]["last"]["query"].startswith("data=moons")
    expect(page.get_by_test_id("sentence")).to_contain_text("C 1 → 4")
    assert not fetched
    context.close()


def test_a_refusal_of_the_kernel_is_said_and_the_picture_stays(browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    notebook(page)
    stage = Stage(page)
    stage.settle()
    page.evaluate("window.kernel = async () => ({ refused: 'The kernel was restarted.' })")
    stage.type_number("svm.C", "4")
    expect(stage.root.get_by_role("alert")).to_contain_text("The kernel was restarted.")
    assert stage.drawn["svm.C"] == 1
    context.close()
