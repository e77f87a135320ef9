"""Axes stay the same from picture to picture, and grow only if something leaves them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdcore.margins.distribution import MarginDistribution, common_edges, grown_edges
from mdcore.serving.stage.last_picture import LastPicture
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer

QUERY = "data=moons&n=80&noise=0.3&seed=0&gamma=1&methods=ldm&ldm.lambda1="
VALUES = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=30)


@given(VALUES, VALUES)
def test_grown_edges_hold_all_and_keep_zero_an_edge(first: list[float], second: list[float]) -> None:
    old, new = MarginDistribution(np.array(first)), MarginDistribution(np.array(second))
    edges = common_edges([old])
    grown = grown_edges(edges, [new])
    rounding = 1e-9 * max(1.0, *np.abs(edges), *np.abs(second))
    assert grown[0] <= min(edges[0], *second) + rounding
    assert grown[-1] >= max(edges[-1], *second) - rounding
    assert new.counts(grown).sum() == len(second)
    widths = np.diff(grown)
    assert np.allclose(widths, widths[0])
    assert len(grown) <= 82
    if edges[0] < 0.0 < edges[-1] and min(abs(edges)) == 0.0:
        assert min(abs(grown)) == 0.0
    if edges[0] <= min(second) and max(second) <= edges[-1]:
        assert grown is edges


def draw(query: str, before: LastPicture | None = None, **request):  # type: ignore[no-untyped-def]
    message, drawn = answer(Request(query, **request), before)
    return decode(message)[0], drawn


def axis(header) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    edges = header["histogram"]["edges"]
    return edges[0], edges[-1]


def test_a_shrinking_variance_leaves_the_axis_and_the_key_fits_it() -> None:
    wide, drawn = draw(f"{QUERY}0")
    narrow, drawn = draw(f"{QUERY}1024", drawn)
    assert narrow["histogram"]["held"]
    assert axis(narrow) == axis(wide)
    fitted, drawn = draw(f"{QUERY}1024", drawn, fit=True)
    assert not fitted["histogram"]["held"]
    assert axis(fitted)[1] - axis(fitted)[0] < 0.8 * (axis(wide)[1] - axis(wide)[0])
    grown, _ = draw(f"{QUERY}0", drawn)
    assert axis(grown)[0] < axis(fitted)[0]


def test_an_axis_that_has_become_too_wide_is_fitted_when_the_hand_lets_go() -> None:
    query = f"{QUERY}0&scale=functional&ldm.C=1&ldm.lambda2="
    fresh, _ = draw(f"{query}0")
    wide, drawn = draw(f"{query}512")
    assert axis(fresh)[1] - axis(fresh)[0] < 0.5 * (axis(wide)[1] - axis(wide)[0])
    dragged, held = draw(f"{query}0", drawn, held=True, gesture=1)
    assert dragged["histogram"]["held"]
    assert axis(dragged) == axis(wide)
    assert dragged["unfinished"]
    released, after = draw(f"{query}0", held, gesture=1)
    undone, _ = draw(f"{query}0", drawn, gesture=2)
    for header in (released, undone):
        assert not header["histogram"]["held"]
        assert axis(header) == axis(fresh)
        assert "unfinished" not in header
    assert released["sentence"] == dragged["sentence"]
    again, _ = draw(f"{query}0", after)
    assert axis(again) == axis(fresh)


def test_another_scale_or_other_data_begin_anew() -> None:
    _, drawn = draw(f"{QUERY}0")
    for other in (f"{QUERY}0&scale=functional", f"{QUERY}0".replace("moons", "circles")):
        header, _ = draw(other, drawn)
        assert not header["histogram"]["held"]


def test_the_windows_of_panels_hold_too() -> None:
    query = "data=breast-cancer&seed=0&methods=ldm&ldm.lambda1="
    before, drawn = draw(f"{query}0")
    after, _ = draw(f"{query}1024", drawn)
    window = [header["panels"][0]["window"]["x"] for header in (before, after)]
    assert window[1]["low"] <= window[0]["low"]
    assert window[1]["high"] >= window[0]["high"]
    few, drawn = draw("data=moons&n=80&noise=0.1&seed=0&methods=svm")
    many, _ = draw("data=moons&n=80&noise=0.12&seed=0&methods=svm", drawn)
    assert (few["plane"]["x"], few["plane"]["y"]) == (many["plane"]["x"], many["plane"]["y"]) or (
        many["plane"]["x"]["low"] < few["plane"]["x"]["low"]
    )


def test_the_sentence_tells_of_the_whole_gesture() -> None:
    _, drawn = draw(f"{QUERY}1", gesture=1)
    for value in (4, 16, 64):
        header, drawn = draw(f"{QUERY}{value}", drawn, gesture=2)
    assert header["sentence"].startswith("LDM, λ₁ 1 → 64: ")
    header, _ = draw(f"{QUERY}256", drawn, gesture=3)
    assert header["sentence"].startswith("LDM, λ₁ 64 → 256: ")


@pytest.mark.parametrize("value", [0.0, 1e-300, -3.0, 1e17, -1e300])
def test_equal_margins_of_any_size_have_an_axis(value):
    edges = common_edges([MarginDistribution(np.full(3, value))])
    assert edges[0] <= value <= edges[-1]
    assert (np.diff(edges) > 0.0).all()
    assert MarginDistribution(np.full(3, value)).counts(edges).sum() == 3
