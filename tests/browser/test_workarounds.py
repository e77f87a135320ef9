"""Workarounds for Streamlit's frontend, and whether they are still needed."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Visit

# Counts the timeouts of 0 ms that promptly() has turned into microtasks.
COUNT = """() => {
  const real = window.queueMicrotask.bind(window);
  window.hurried = 0;
  window.queueMicrotask = (work) => {
    if (/prompt[.]js/.test(new Error().stack)) window.hurried += 1;
    real(work);
  };
}"""


def test_streamlit_puts_a_request_into_a_timer(visit: Visit) -> None:
    stage = visit("data=moons&n=40&methods=svm")
    stage.page.evaluate(COUNT)
    stage.slider("svm.C").press("ArrowRight")
    stage.settle()
    assert stage.page.evaluate("window.hurried") > 0, "prompt.js can go"


def test_a_page_that_has_fallen_to_nothing_is_loaded_again(visit: Visit) -> None:
    stage = visit("data=moons&n=40&methods=svm")
    address = stage.page.url
    stage.page.evaluate("document.getElementById('root').replaceChildren()")
    expect(stage.page.locator("[data-testid=stage][data-busy=false]")).to_be_visible()
    assert stage.page.url == address
