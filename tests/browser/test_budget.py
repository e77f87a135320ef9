"""A solver that takes too long does not delay the picture, which shows its partial result and says so."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import Visit

# A large p on classes that are not separable: each of a thousand epochs makes hundreds of updates. Together they take
# longer than the budget of a picture, but less than the extended budget.
ENDLESS = "data=ringnorm&n=3000&kernel=linear&methods=svm,pumma&pumma.p=20"


def test_over_budget_is_said_and_can_be_finished(visit: Visit) -> None:
    stage = visit(ENDLESS)
    panel = stage.page.locator("section[data-status=overbudget]")
    expect(panel).to_have_attribute("aria-label", "PUMMA")
    expect(panel).to_contain_text("over budget")
    expect(panel.get_by_test_id("boundary")).to_be_visible()
    expect(panel.get_by_role("button", name="Finish")).to_be_visible()
    expect(stage.page.locator("section[data-status=ok]").get_by_role("button", name="Finish")).to_have_count(0)
    panel.get_by_role("button", name="Finish").click()
    finished = stage.page.locator("section[data-status=unconverged]")
    expect(finished).to_have_attribute("aria-label", "PUMMA")
    expect(finished.get_by_test_id("boundary")).to_be_visible()
    expect(stage.page.get_by_role("button", name="Finish")).to_have_count(0)
    assert "view.finish=1" in stage.page.url
