"""Previews of many rows while a slider is dragged, and the full picture after its release."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mdcore import METHODS, Experiment
from mdcore.data import own_source, propose, read_table
from mdcore.experiment.fits import PREVIEW_TOL
from mdcore.experiment.result_caches import LARGE_FITS
from mdcore.serving.stage import scene
from mdcore.serving.stage.last_picture import LastPicture
from mdcore.serving.stage.live import PREVIEW, PREVIEWED
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.spaces.landmarks import LandmarkSpace


def in_landmarks(methods: str, rows: int = 4200) -> str:
    """Return the part of a query by which these methods are fitted in landmarks, whatever the pace of the machine."""
    return f"&within={rows}," + ",".join(f"{method}-landmarks-256" for method in methods.split(","))


MANY = f"data=moons&n=6000&noise=0.3&methods=svm,ldm&kernel=rbf&gamma=1&svm.C=2{in_landmarks('svm,ldm')}"


def drawn(
    query: str, before: LastPicture | None = None, **request: Any
) -> tuple[dict[str, Any], dict[str, Any], LastPicture]:
    message, now = answer(Request(query, **request), before)
    assert now is not None
    return *decode(message), now


def test_a_preview_holds_rows_of_every_class_in_the_space_of_all() -> None:
    experiment = Experiment.from_query(
        f"data=imbalanced&n=6000&balance=0.02&methods=svm&kernel=rbf&gamma=1{in_landmarks('svm')}"
    )
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
        assert some.fit.norm == pytest.approx(all_rows.fit.norm, rel=0.15)
        assert some.model.gap_ <= PREVIEW_TOL


@pytest.mark.parametrize("method", [key for key, record in METHODS.items() if record.landmarks])
def test_every_method_in_landmarks_has_a_preview_that_says_what_all_rows_say(method: str) -> None:
    experiment = Experiment.from_query(
        f"data=moons&n=6000&noise=0.3&methods={method}&kernel=rbf&gamma=1{in_landmarks(method)}"
    )
    all_rows, some = experiment.run_method(method), experiment.preview(PREVIEW).run_method(method)
    X = experiment.prepare().X_test
    assert np.mean(all_rows.model.predict(X) == some.model.predict(X)) >= 0.97


@pytest.mark.parametrize("lam", [0.5, 0.9, 1.0])
def test_komds_lambda_weighs_as_much_in_a_preview(lam: float) -> None:
    """||g||^2 is that of fewer, larger weights; with an unchanged lambda, ||w|| would be up to three times as large."""
    query = f"data=moons&n=12000&noise=0.3&methods=komd&kernel=rbf&gamma=1&komd.lam={lam}"
    experiment = Experiment.from_query(query + in_landmarks("komd", 8400))
    whole, preview = experiment.run_method("komd"), experiment.preview(PREVIEW).run_method("komd")
    assert preview.fit.norm == pytest.approx(whole.fit.norm, rel=0.2)


def test_a_part_of_the_rows_keeps_the_landmarks_of_all_without_the_constant_feature_too() -> None:
    whole = Experiment.from_query(MANY).space_for("svm")
    for space in (whole.part(np.arange(0, len(whole), 3)), whole.sampled(np.arange(1000))):
        np.testing.assert_array_equal(space.plain.span, whole.span)
        np.testing.assert_allclose(space.plain.root, space.root[:, :-1])


def test_a_drag_is_previewed_and_sharpened_when_let_go() -> None:
    assert PREVIEWED < 4200
    first, arrays, before = drawn(MANY)
    assert first["rows"] == {"shown": 4200, "of": 4200}
    assert len(arrays["row"]) == 6000
    moved = MANY.replace("svm.C=2", "svm.C=4")
    held, arrays, before = drawn(moved, before, gesture=1, held=True)
    assert held["rows"] == {"shown": PREVIEW, "of": 4200}
    assert held["unfinished"]
    assert held["sentence"].startswith("Preview on 2,500 of 4,200 training rows; release to fit all. ")
    assert "SVM, C 2 → 4" in held["sentence"]
    assert held["drawn"]["svm.C"] == 4.0
    assert len(arrays["margin:svm"]) == len(arrays["row"]) < 4200
    assert arrays["count:svm:train"].sum() == pytest.approx(4200, abs=30)  # the height for all rows
    assert all("exactGap" not in panel["badge"] for panel in held["panels"])
    sharp, arrays, before = drawn(moved, before, gesture=1)
    assert sharp["rows"] == {"shown": 4200, "of": 4200}
    assert not sharp.get("unfinished")
    assert sharp["sentence"].startswith("All 4,200 training rows, fitted in ")
    assert "SVM, C 2 → 4" in sharp["sentence"]
    assert len(arrays["margin:svm"]) == 6000
    assert all(panel["badge"]["exactGap"] >= 0.0 for panel in sharp["panels"])
    again, _, _ = drawn(moved, before)
    assert "All 4,200" not in again["sentence"]


def test_a_preview_is_told_from_a_preview() -> None:
    """It is not compared with all rows, because the effect of a smaller sample is not an effect of the parameter."""
    query = MANY.replace("methods=svm,ldm", "methods=ldm").replace("gamma=1", "gamma=1.61")
    whole, _, start = drawn(f"{query}&ldm.lambda2=16")
    held, _, now = drawn(f"{query}&ldm.lambda2=16.001", start, gesture=1, held=True)
    assert held["panels"][0]["stats"]["train"]["mean"] != whole["panels"][0]["stats"]["train"]["mean"]
    assert "mean and variance of the training margins change by at most 0.5 %" in held["sentence"]
    held, _, now = drawn(f"{query}&ldm.lambda2=4096", now, gesture=1, held=True)
    sharp, _, _ = drawn(f"{query}&ldm.lambda2=4096", now, gesture=1)
    for told in (held, sharp):
        assert "λ₂ 16 → 4100" in told["sentence"] or "λ₂ 16 → 4096" in told["sentence"]
        assert "mean margin up" in told["sentence"]


def test_the_time_told_is_that_of_what_was_computed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time does not include the SVM's fit, which is reused."""
    query = MANY.replace("gamma=1", "gamma=1.41")
    _, _, before = drawn(query)
    before = drawn(f"{query}&ldm.C=11", before, gesture=1, held=True)[2]
    drawn(f"{query}&ldm.C=11", before, gesture=1)
    monkeypatch.setattr(scene.time, "perf_counter", lambda: 0.0)
    again = drawn(f"{query}&ldm.C=11", before, gesture=1)[0]
    assert again["sentence"].startswith("All 4,200 training rows, fitted in 0 s. ")


def test_a_preview_is_drawn_along_the_components_of_all_rows() -> None:
    """For nearly round data, the components of a sample differ."""
    query = f"data=twonorm&n=6000&methods=svm&gamma=0.05{in_landmarks('svm')}"
    _, whole, before = drawn(query)
    _, preview, _ = drawn(query.replace("twonorm&", "twonorm&svm.C=11&"), before, gesture=1, held=True)
    place = dict(zip(whole["row"], whole["y:svm"], strict=True))
    shown = np.array([place[row] for row in preview["row"]])
    assert np.corrcoef(shown, preview["y:svm"])[0, 1] > 0.99


def test_a_preview_in_another_kernel_makes_nothing_of_the_other_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    _, _, before = drawn(MANY)
    made, make = [], LandmarkSpace._make
    monkeypatch.setattr(LandmarkSpace, "_make", lambda space: made.append(len(space)) or make(space))
    drawn(MANY.replace("gamma=1", "gamma=1.37"), before, gesture=1, held=True)
    assert set(made) == {PREVIEW}  # in this kernel and, if no cache has it, in the previous one


def test_previews_leave_the_space_of_all_rows_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds even if the space alone exceeds the size of the cache."""
    monkeypatch.setattr("mdcore.experiment.result_caches.MEGABYTE", 1)
    rng = np.random.default_rng(0)
    lines = [f"{a:.4f},{b:.4f},{'yes' if a > b else 'no'}" for a, b in rng.normal(size=(6000, 2))]
    table = read_table("\n".join(["a,b,ill", *lines]).encode(), "many.csv")
    own = own_source(table, propose(table, "ill"), "own:1")
    query = f"data=own:1&n=6000&methods=svm,linearldm&kernel=rbf&gamma=1{in_landmarks('svm')}"
    _, _, before = drawn(query, own=[own])
    assert before.preview is False
    space = Experiment.from_query(before.query, [own]).space_for("svm")
    for C in (1, 2, 3):
        header, _, before = drawn(f"{query}&svm.C={C}", before, own=[own], gesture=1, held=True)
        assert header["unfinished"]
        assert not any(panel["status"] == "failed" for panel in header["panels"])
    assert Experiment.from_query(before.query, [own]).space_for("svm") is space


def test_a_preview_goes_on_from_the_one_before_and_leaves_it_as_it_is() -> None:
    first = Experiment.from_query(MANY.replace("svm,ldm", "ldm").replace("gamma=1", "gamma=1.73")).preview(PREVIEW)
    cold = first.run_method("ldm").model
    lambda2 = first.settings("ldm")["lambda2"]
    held = cold.lambda2, cold.gap_, cold.dual_coef_.copy()
    warm = first.with_param("ldm", "lambda2", 1.1 * lambda2).run_method("ldm").model
    assert warm.lambda2 == pytest.approx(1.1 * lambda2)
    assert warm.gap_ <= PREVIEW_TOL
    assert warm.n_iter_ <= cold.n_iter_ / 2
    assert (cold.lambda2, cold.gap_) == held[:2]
    np.testing.assert_array_equal(cold.dual_coef_, held[2])


@pytest.mark.parametrize("method", [key for key, record in METHODS.items() if record.landmarks])
def test_a_preview_in_another_width_keeps_the_landmarks_and_goes_on(method: str) -> None:
    """It is as good as a new one, also in a smoother kernel, in which some landmarks are dependent."""
    query = f"data=moons&n=6000&noise=0.3&seed=5&methods={method}&kernel=rbf&gamma=8{in_landmarks(method)}"
    start = Experiment.from_query(query)
    start.run_method(method)
    seen = start.space_for(method)
    for gamma in (8.4, 20.0, 0.01):
        moved = start.with_value("gamma", gamma).preview(PREVIEW)
        start.preview(PREVIEW).run_method(method)
        found, space = moved.run_method(method), moved.space_for(method)
        assert np.array_equal(space.landmarks, seen.landmarks) == (gamma > 1.0)
        anew = (
            METHODS[method].estimator(**moved.settings(method), kernel="rbf").fit_space(space, moved.prepare().y_train)
        )
        X = moved.prepare().X_test
        assert np.mean(anew.predict(X) == found.model.predict(X)) >= 0.98
        if np.isfinite(found.model.gap_):
            assert found.model.gap_ <= PREVIEW_TOL


def test_the_landmarks_of_all_rows_are_those_of_a_preview_once_they_were_seen() -> None:
    start = Experiment.from_query(MANY.replace("gamma=1", "gamma=7"))
    start.space_for("svm")
    moved = start.with_value("gamma", 7.5)
    before = moved.preview(PREVIEW).space_for("svm")
    whole = moved.space_for("svm")
    assert not np.array_equal(before.landmarks, whole.landmarks)
    np.testing.assert_array_equal(moved.preview(PREVIEW).space_for("svm").landmarks, whole.landmarks)


def test_of_many_rows_few_fits_are_kept() -> None:
    """Each fit keeps the space of all rows alive, whatever the size of the cache of spaces."""
    widths = [Experiment.from_query(MANY).with_value("gamma", 2.0 + 0.01 * k) for k in range(LARGE_FITS + 1)]
    fits = [one.run_method("svm").fit for one in widths]
    assert widths[-1].run_method("svm").fit is fits[-1]
    assert widths[0].run_method("svm").fit is not fits[0]
    few = [replace(one, data=replace(one.data, options=(("n", 300),))) for one in widths]
    fits = [one.run_method("svm").fit for one in few]
    assert few[0].run_method("svm").fit is fits[0]
