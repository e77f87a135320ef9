"""What is shown of many rows while a slider is dragged, and what takes its place when it is let go."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mdcore import Experiment
from mdcore.experiment import MOST_EXACT, ROUGH
from mdcore.ui.stage.live import PREVIEW
from mdcore.ui.stage.message import decode
from mdcore.ui.stage.scene import Drawn, Request, answer

MANY = "data=moons&n=6000&noise=0.3&methods=svm,ldm&kernel=rbf&gamma=1&svm.C=2"


def drawn(query: str, before: Drawn | None = None, **request: Any) -> tuple[dict[str, Any], dict[str, Any], Drawn]:
    message, now = answer(Request(query, **request), before)
    assert now is not None
    return *decode(message), now


def test_a_preview_holds_rows_of_every_class_in_the_space_of_all() -> None:
    experiment = Experiment.from_query("data=imbalanced&n=6000&balance=0.02&methods=svm&kernel=rbf&gamma=1")
    preview, whole = experiment.preview(PREVIEW).prepare(), experiment.prepare()
    assert len(preview.train) == PREVIEW
    assert len(preview.test) == round(PREVIEW / len(whole.train) * len(whole.test))
    assert set(preview.train) <= set(whole.train)
    assert set(preview.test) <= set(whole.test)
    assert np.mean(preview.y_train == 1) == pytest.approx(np.mean(whole.y_train == 1), abs=1e-3)
    space = experiment.preview(PREVIEW).space_for("svm")
    np.testing.assert_array_equal(space.landmarks, experiment.space_for("svm").landmarks)
    assert len(space) == PREVIEW


def test_few_rows_are_their_own_preview() -> None:
    experiment = Experiment.from_query("data=moons&n=300&methods=svm")
    assert experiment.preview(PREVIEW) is experiment
    header, _, _ = drawn("data=moons&n=300&methods=svm", held=True)
    assert header["rows"] == {"shown": 210, "of": 210}
    assert not header.get("unfinished")


def test_a_row_of_a_preview_counts_for_those_it_stands_for() -> None:
    experiment = Experiment.from_query(MANY)
    preview, share = experiment.preview(PREVIEW), 4200 / PREVIEW
    assert preview.settings("svm")["C"] == pytest.approx(2.0 * share)
    assert preview.settings("ldm")["C"] == pytest.approx(10.0 * share)
    assert preview.settings("ldm")["lambda1"] == experiment.settings("ldm")["lambda1"]
    for method in ("svm", "ldm"):
        all_rows, some = experiment.run_method(method), preview.run_method(method)
        X = experiment.prepare().X_test
        assert np.mean(all_rows.model.predict(X) == some.model.predict(X)) >= 0.97
        assert some.norm == pytest.approx(all_rows.norm, rel=0.15)
        assert some.model.gap_ <= ROUGH


def test_a_drag_is_previewed_and_sharpened_when_let_go() -> None:
    assert MOST_EXACT < 4200
    first, arrays, before = drawn(MANY)
    assert first["rows"] == {"shown": 4200, "of": 4200}
    assert len(arrays["row"]) == 6000
    moved = MANY.replace("svm.C=2", "svm.C=4")
    held, arrays, before = drawn(moved, before, gesture=1, held=True)
    assert held["rows"] == {"shown": PREVIEW, "of": 4200}
    assert held["unfinished"]
    assert held["sentence"].startswith("Preview on 2,500 of 4,200 training rows; all of them when you let go. ")
    assert "SVM, C 2 → 4" in held["sentence"]
    assert held["drawn"]["svm.C"] == 4.0
    assert len(arrays["margin:svm"]) == len(arrays["row"]) < 4200
    assert arrays["count:svm:train"].sum() == pytest.approx(4200, abs=30)  # the height that all rows have
    assert all("exactGap" not in panel["badge"] for panel in held["panels"])
    sharp, arrays, before = drawn(moved, before, gesture=1)
    assert sharp["rows"] == {"shown": 4200, "of": 4200}
    assert not sharp.get("unfinished")
    assert sharp["sentence"].startswith("All 4,200 training rows, in ")
    assert "SVM, C 2 → 4" in sharp["sentence"]
    assert len(arrays["margin:svm"]) == 6000
    assert all(panel["badge"]["exactGap"] >= 0.0 for panel in sharp["panels"])
    again, _, _ = drawn(moved, before)
    assert "All 4,200" not in again["sentence"]


def test_a_preview_is_drawn_along_the_components_of_all_rows() -> None:
    """Of nearly round data those of a sample are others."""
    query = "data=twonorm&n=6000&methods=svm&gamma=0.05"
    _, whole, before = drawn(query)
    _, preview, _ = drawn(query.replace("twonorm&", "twonorm&svm.C=11&"), before, gesture=1, held=True)
    place = dict(zip(whole["row"], whole["y:svm"], strict=True))
    shown = np.array([place[row] for row in preview["row"]])
    assert np.corrcoef(shown, preview["y:svm"])[0, 1] > 0.99
