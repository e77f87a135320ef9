"""The first picture, and the agreement of the numbers on screen with the experiment in the URL."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from mdcore import METHODS, Experiment
from mdcore.basics.text import percent, steady
from mdcore.experiment.query import OPENING
from tests.browser.conftest import Visit

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SMALL = "data=moons&n=80&noise=0.3&seed=1&gamma=1"


def test_the_page_opens_on_a_finished_picture_that_needs_no_scrolling(visit: Visit) -> None:
    stage = visit()
    assert stage.check_numbers() == Experiment.from_query(OPENING)
    expect(stage.page).to_have_title("Margin Lab")
    for view in (stage.panel("svm"), stage.panel("ldm"), *map(stage.page.get_by_test_id, ("histogram", "cumulative"))):
        expect(view).to_be_in_viewport(ratio=1)
    for slider in ("svm.C", "ldm.lambda1", "ldm.lambda2"):
        expect(stage.slider(slider)).to_be_in_viewport(ratio=1)
    for number in stage.page.get_by_test_id("stat").all():
        expect(number).to_be_in_viewport(ratio=1)
    hidden = stage.page.evaluate(
        "[...document.querySelectorAll('*')].filter(e => ['auto', 'scroll'].includes(getComputedStyle(e).overflowY))"
        ".map(e => Math.max(e.scrollHeight - e.clientHeight, e.scrollWidth - e.clientWidth))"
    )
    assert max(hidden) <= 1, "something scrolls"


def test_what_is_called_drawn_is_on_screen(visit: Visit) -> None:
    stage = visit(own=True)
    stage.page.add_init_script("""
        new MutationObserver(() => {
          const stage = document.querySelector('[data-testid=stage]');
          if (!stage || stage.dataset.drawn === '{}' || window.firstSize !== undefined) return;
          window.firstSize = [...stage.querySelectorAll('canvas[role=img]')].map((canvas) => canvas.clientWidth);
        }).observe(document, {subtree: true, childList: true, attributes: true, attributeFilter: ['data-drawn']});""")
    stage.page.reload()
    stage.settle()
    widths = stage.page.evaluate("window.firstSize")
    assert len(widths) == 4
    assert min(widths) > 100


def test_every_view_has_a_text_alternative(visit: Visit) -> None:
    stage = visit()
    for key in ("svm", "ldm"):
        name = stage.picture(stage.panel(key)).get_attribute("aria-label") or ""
        accuracy = percent(Experiment.from_query(OPENING).run_method(key).train.accuracy)
        assert name.startswith(f"{METHODS[key].name}: training accuracy {accuracy}, mean margin 0.")
    histogram = stage.picture(stage.page.get_by_test_id("histogram"))
    expect(histogram).to_have_attribute(
        "aria-label", re.compile(r"^Histogram of the geometric margins\. SVM train mean")
    )
    cumulative = stage.picture(stage.page.get_by_test_id("cumulative"))
    expect(cumulative).to_have_attribute(
        "aria-label", re.compile(r"^Cumulative geometric margins\. SVM train: \d\.\d+ %")
    )


QUERIES = (
    f"{SMALL}&methods=svm,ldm,odm,msvmav&scale=functional",
    f"{SMALL}&methods=svm,ldm,odm&kernel=linear&svm.C=0.1&ldm.lambda1=4",
    f"{SMALL}&methods=svm,msvmav,linearldm&kernel=poly&degree=2&scaling=standard&bias=0",
    "data=circles&n=80&methods=odm,ldm&kernel=laplacian&gamma=distance&test=0&odm.theta=0.2",
    f"{SMALL}&methods=svm,ldm&edits=a_0.5_1.5_1~m_3_-0.5_0.25~f_7~d_11~d_80",
    "data=breast-cancer&methods=svm,ldm,odm,msvmav",
    "data=breast-cancer&methods=svm,ldm&kernel=linear&scaling=unit&scale=functional",
)


def test_numbers_are_those_of_the_experiment(visit: Visit) -> None:
    stage = visit(QUERIES[0])
    for query in QUERIES:
        stage.go(query)
        assert stage.check_numbers() == Experiment.from_query(query)


def test_three_digits_are_shown_and_the_exact_number_on_hover(visit: Visit) -> None:
    stage = visit()
    mean = stage.page.locator("[data-testid=stat][data-method=ldm][data-split=test][data-stat=mean]")
    exact = Experiment.from_query(OPENING).run()["ldm"].test.mean
    expect(mean).to_have_text(steady(exact))
    assert float(mean.get_attribute("title") or "") == pytest.approx(exact, rel=1e-12)
