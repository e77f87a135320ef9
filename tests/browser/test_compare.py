"""The Compare page in a real browser: work goes on while another page is looked at, and leads to the stage."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.forms import choose


def compare(page: Page) -> None:
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_enabled()


def test_work_goes_on_on_another_page_and_cancel_keeps_what_is_done(visit: Visit) -> None:
    page = visit("data=moons&n=60&seed=1&methods=svm,ldm").page
    compare(page)
    choose(page, "Parameters", "Cross-validation")
    expect(page.get_by_text("37,520 fits")).to_be_visible()
    page.get_by_role("button", name="Compare", exact=True).click()
    expect(page.get_by_text(re.compile(r"of 37,520 fits"))).to_be_visible()
    page.get_by_role("link", name="Playground").click()
    expect(page.locator("[data-testid=stage]")).to_have_attribute("data-drawn", re.compile("svm.C"))
    page.get_by_role("link", name="Compare").click()
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text(re.compile(r"Stopped after \d+ of 20 results"))).to_be_visible()


def test_from_the_stage_to_a_comparison_and_back_with_the_same_data_and_parameters(visit: Visit) -> None:
    stage = visit("data=circles&n=70&seed=3&methods=svm,odm&svm.C=2&odm.lam=16&kernel=rbf&gamma=2")
    page = stage.page
    compare(page)
    expect(page.get_by_text("SVM: C = 2. ODM: λ = 16")).to_be_visible()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("button", name="Open on the stage").click()
    drawn = page.locator("[data-testid=stage]")
    expect(drawn).to_have_attribute("data-drawn", re.compile(r'"svm.C": ?2\b'))
    expect(drawn).to_have_attribute("data-drawn", re.compile(r'"odm.lam": ?16\b'))
    expect(page).to_have_url(re.compile("data=circles&n=70"))
