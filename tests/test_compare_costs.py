"""The prices of errors on the Compare page, which sliders set."""

from __future__ import annotations

import pytest

from mdcore.basics.text import fixed
from mdcore.study.decisions import costs
from mdcore.ui.pages.compare.costs import CostChoice
from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.shared.live_sliders import values_of
from mdcore.ui.shared.session import state_of
from tests.apptest import shown
from tests.compare_page import (
    QUICK,
    opened,
    run,
)


def test_price_and_threshold_move_the_sentence_and_the_confusions_together() -> None:
    page = run(opened(f"{QUICK}&view.held_out=1"))
    comparison = page.session_state[JOB].comparison
    page.segmented_control(key="compare question").set_value("What if errors cost differently?")
    seen = []
    for ratio, shift in ((1.0, None), (8.0, None), (8.0, 0.75)):
        choice = state_of(CostChoice, page.session_state)
        choice.ratio, choice.shift = ratio, shift
        page.run()
        assert not page.exception
        found = costs(comparison, "svm", ratio, shift)
        assert f"cost of a test row {fixed(found.cost.mean, 3)} ±" in shown(page)
        assert page.table[0].value.to_numpy().tolist() == found.counts.tolist()
        seen.append(found.counts.tolist())
    assert "f above 0.750 SD" in shown(page)
    assert seen[1] != seen[2]


@pytest.mark.parametrize("sent", [None, 3, "ratio", "ratio=much", "ratio=inf", "ratio=nan"])
def test_what_no_slider_sends_moves_nothing(sent: object) -> None:
    choice = CostChoice(4.0, 0.5)
    choice.update(values_of(sent))
    assert choice == CostChoice(4.0, 0.5)


def test_a_slider_sends_what_is_set_and_prices_stay_in_their_range() -> None:
    choice = CostChoice()
    choice.update(values_of("ratio=2&threshold=-0.5"))
    assert choice == CostChoice(2.0, -0.5)
    choice.update(values_of("ratio=1e9"))
    assert choice == CostChoice(32.0, None)
