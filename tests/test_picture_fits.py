"""What the methods of a picture are fitted on: exactly where that takes no longer than the picture; decided once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mdcore import METHODS, Experiment
from mdcore.experiment import picture_fits
from mdcore.experiment.picture_fits import PICTURE_SECONDS, SPANNED, Case, Decided
from mdcore.experiment.query import parse_query
from mdcore.serving.stage.live import PATIENT, PREVIEW, run_all
from mdcore.serving.stage.message import decode
from mdcore.serving.stage.scene import Request, answer
from mdcore.spaces.costs import FEW_ROWS, Costs, Pace, exact_bytes, in_seconds
from mdcore.spaces.within import EXACT, Within

PACE = Pace(value=2e-9, column=1e-10, entry=8.5e-11, product=2.5e-11)
MANY = "data=moons&n=6000&noise=0.3&methods=svm,ldm&kernel=rbf&gamma=1"


@pytest.fixture(autouse=True)
def known_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    on_machine(monkeypatch, 1.0)


def on_machine(monkeypatch: pytest.MonkeyPatch, slowness: float, free: float = 2.0**36) -> None:
    pace = Pace(*(slowness * seconds for seconds in (PACE.value, PACE.column, PACE.entry, PACE.product)))
    monkeypatch.setattr(picture_fits, "pace_of", lambda kernel: pace)
    monkeypatch.setattr(picture_fits, "free_memory", lambda: free)


def case(rows: int, methods: int = 2, **given: Any) -> Case:
    return Case(
        **{"rows": rows, "columns": 10, "classes": 2, "kernel": "rbf", "seconds": PICTURE_SECONDS / methods} | given
    )


def test_an_svm_on_five_thousand_rows_is_exact_and_an_ldm_is_not() -> None:
    assert case(5000).within(METHODS["svm"]) == EXACT
    assert case(5000).within(METHODS["ldm"]) == SPANNED
    assert case(3000).within(METHODS["ldm"]) == EXACT


@pytest.mark.parametrize("key", [key for key, method in METHODS.items() if method.landmarks])
def test_more_rows_or_less_time_never_lead_back_to_the_exact_kernel(key: str) -> None:
    sizes = (FEW_ROWS, 2000, 3000, 5000, 10_000, 50_000)
    spanned = [bool(case(rows).within(METHODS[key]).landmarks) for rows in sizes]
    assert spanned == sorted(spanned)
    assert not spanned[0]
    assert spanned[-1]
    shared = [bool(case(3000, methods).within(METHODS[key]).landmarks) for methods in (1, 2, 4, 100)]
    assert shared == sorted(shared)


def test_what_does_not_fit_into_memory_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    on_machine(monkeypatch, 1.0, free=3.9 * exact_bytes(METHODS["ldm"], 2000))
    assert case(2000).within(METHODS["ldm"]) == SPANNED
    assert case(2000).within(METHODS["svm"]) == EXACT


def test_methods_without_landmarks_and_linear_kernels_are_exact() -> None:
    assert case(50_000).within(METHODS["fmm"]) == EXACT
    assert case(50_000, kernel="linear").within(METHODS["ldm"]) == EXACT
    assert case(50_000).within(METHODS["linearldm"]) == EXACT


def test_the_reason_is_one_line_with_estimated_numbers() -> None:
    exact, spanned = (case(5000).note(METHODS[key], within) for key, within in (("svm", EXACT), ("ldm", SPANNED)))
    svm, ldm = (Costs.of(METHODS[key], 5000, 10, 2, PACE) for key in ("svm", "ldm"))
    assert exact == f"exact kernel: about {in_seconds(svm.exact)} a fit, estimated"
    assert spanned == (
        f"256 landmarks: about {in_seconds(ldm.spanned(256))} a fit; the exact kernel would take about "
        f"{in_seconds(ldm.exact)}, and a picture has 1 s for it (estimated)"
    )
    assert case(FEW_ROWS).note(METHODS["svm"], EXACT) == ""
    assert case(5000).note(METHODS["linearldm"], EXACT) == ""


def test_an_address_gives_the_same_fits_on_a_machine_of_another_pace(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Experiment.from_query(MANY).settled()
    assert [here.within(key) for key in here.methods] == [EXACT, SPANNED]
    assert parse_query(here.to_query())["within"] == "4200,svm-exact,ldm-landmarks-256"
    for slowness in (0.01, 100.0):
        on_machine(monkeypatch, slowness)
        there = Experiment.from_query(here.to_query())
        assert there == there.settled() == here
        assert [there.within(key) for key in there.methods] == [EXACT, SPANNED]
    undecided = Experiment.from_query(MANY)
    assert [undecided.within(key) for key in undecided.methods] == [SPANNED, SPANNED]


def test_other_rows_or_another_method_are_decided_anew_and_fewer_methods_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = Experiment.from_query(f"{MANY}&within=4200,svm-landmarks-128,ldm-exact")
    assert held.within("svm") == Within(landmarks=128)
    assert replace(held, methods=("svm",)).within("svm") == Within(landmarks=128)
    assert replace(held, methods=("svm", "odm")).within("svm") == EXACT
    assert held.with_value("n", 5000).within("svm") == EXACT
    assert held.with_value("gamma", 2.0).within("ldm") == EXACT
    few = held.with_value("n", 400).settled()
    assert few.decided is None
    assert "within" not in parse_query(few.to_query())
    assert held.with_value("kernel", "linear").settled().decided is None


def test_the_picture_carries_the_decision_in_address_and_badge() -> None:
    header, _ = decode(answer(Request(MANY), None)[0])
    assert parse_query(header["query"])["within"] == "4200,svm-exact,ldm-landmarks-256"
    svm, ldm = (panel["badge"] for panel in header["panels"])
    assert svm["fit"].startswith("exact kernel: about ")
    assert "landmarks" not in svm
    assert ldm["fit"].startswith("256 landmarks: about ")
    assert ldm["landmarks"] <= 256


def test_an_exact_fit_to_many_rows_is_that_of_the_estimator_and_has_a_preview() -> None:
    experiment = Experiment.from_query(MANY.replace("svm,ldm", "svm")).settled()
    run, prepared = experiment.run_method("svm"), experiment.prepare()
    alone = METHODS["svm"].estimator(gamma=1.0).fit(prepared.X_train, prepared.y_train)
    assert run.model.objective_ == pytest.approx(alone.objective_, rel=1e-6)
    preview = experiment.preview(PREVIEW).run_method("svm")
    X = prepared.X_test
    assert not run.landmarks
    assert preview.landmarks  # they follow a slider
    assert np.mean(run.model.predict(X) == preview.model.predict(X)) >= 0.97


def test_a_hard_margin_is_exact_whatever_the_address_says() -> None:
    query = "data=blobs&n=2000&noise=0.1&methods=svm&kernel=rbf&gamma=1&svm.C=inf&within=1400,svm-landmarks-64"
    assert not Experiment.from_query(query).run_method("svm").landmarks
    assert Experiment.from_query(query.replace("svm.C=inf", "svm.C=1")).run_method("svm").landmarks > 0


@pytest.mark.parametrize("key", ["ldm", "fmm"])
def test_an_address_cannot_ask_for_more_than_a_picture_can_bear(key: str) -> None:
    query = f"data=moons&n=20000&methods={key}&within=14000,{key}-exact"
    runs, failures = run_all(Experiment.from_query(query))
    assert not runs
    assert f"too many for {METHODS[key].name} in a picture: the exact kernel needs about " in failures[key]
    assert case(4000).refusal(METHODS[key], EXACT, PATIENT) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("svm-exact", "must begin with a number of training rows; got 'svm-exact'"),
        ("4200,svm-half", "must be exact, landmarks-256 or rows-2000"),
        ("4200,svm-rows-100", "fitted to all rows, exactly or in landmarks"),
        ("4200,fmm-landmarks-100", "'fmm' is no method that has landmarks"),
        ("4200,tree-exact", "'tree' is no method that has landmarks"),
    ],
)
def test_a_decision_that_cannot_be_read_says_why(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Experiment.from_query(f"{MANY}&within={text}")


def test_the_text_of_a_decision_reads_back() -> None:
    decided = Decided(4200, (("svm", EXACT), ("ldm", Within(landmarks=512))))
    assert Decided.parse(decided.text) == decided
