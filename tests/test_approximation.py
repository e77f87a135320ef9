"""What kernel methods are fitted on: exact while that is cheaper or better, within time and memory, decided once."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore import METHODS
from mdcore.experiment.query import KernelKey
from mdcore.methods.one_versus_rest import new_estimator
from mdcore.spaces.costs import Costs, Pace, exact_bytes, pace_of, spanned_bytes
from mdcore.study import (
    EXACT,
    Candidate,
    Data,
    Plan,
    Within,
    by_rows,
    compare,
    decide,
    numbers,
    with_decisions,
)
from mdcore.study import approximation as deciding
from mdcore.study.approximation import (
    BETTER,
    CHEAPER,
    COUNTS,
    EQUAL,
    EQUALLY_GOOD,
    PRICES,
    TOO_LARGE,
    TOO_SLOW,
    UNTRIED,
    trial_of,
)
from mdcore.study.plan import REPEATS

PACE = Pace(value=2e-9, column=1e-10, entry=1e-10, product=2.5e-11)
KERNEL_METHODS = [key for key, method in METHODS.items() if method.kernels]


def rows(m: int, seed: int = 0) -> Data:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 4))
    return Data(X, np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] > 0.0, 1, -1), StandardScaler())


def plan(*keys: str, gamma: float = 1.0, **given) -> Plan:
    candidates = given.pop("candidates", tuple(Candidate.fixed(key) for key in keys))
    return Plan(candidates, kernel=KernelKey("rbf", gamma, 3, 1.0, True), **given)


def times(factor: float) -> Pace:
    return Pace(*(factor * seconds for seconds in (PACE.value, PACE.column, PACE.entry, PACE.product)))


class Tried:
    """A trial whose losses are given."""

    def __init__(self, data: Data, losses: dict[int, float]) -> None:
        self.losses: dict[int, float] = {}
        self.rows, self.prepared, self._known = 2000, trial_of(data, plan("svm")).prepared, losses

    def seconds(self, landmarks: int, pace: Pace) -> float:
        return 0.5

    def loss(self, landmarks: int) -> float:
        return self.losses.setdefault(landmarks, self._known[landmarks])


def decision(data: Data, given: Plan, losses: dict[int, float], pace: Pace = PACE):
    (found,) = decide(data, given, trial=lambda: Tried(data, losses), pace=lambda kernel: pace)
    return found


LOSING, EQUAL_AT_512 = dict.fromkeys(COUNTS, 0.05), {256: 0.05, 512: 0.5 * EQUAL, 1024: 0.0}


# Costs


def test_the_pace_of_this_machine_is_measured_once():
    pace = pace_of("rbf")
    assert pace is pace_of("rbf")
    assert min(pace.value, pace.entry, pace.product) > 0.0
    assert pace.column >= 0.0


@pytest.mark.parametrize("key", KERNEL_METHODS)
def test_costs_grow_with_rows_columns_classes_and_landmarks(key):
    def costs(m=4000, d=10, k=2):
        return Costs.of(METHODS[key], m, d, k, PACE)

    seconds = [costs(m).exact for m in (500, 1000, 2000, 4000, 8000)]
    assert all(3.0 <= more / less <= 8.0 for less, more in pairwise(seconds))
    assert costs(d=100).exact > costs().exact
    assert costs(k=5).exact > costs().exact
    assert costs().spanned(256) < costs().spanned(512) < costs().spanned(1024)
    assert costs(m=8000).spanned(256) < 2.0 * costs().spanned(256) + 1e-9
    assert exact_bytes(METHODS[key], 4000) == 4.0 * exact_bytes(METHODS[key], 2000)
    assert spanned_bytes(4000, 512) > spanned_bytes(4000, 256)


def test_methods_that_need_only_columns_scale_with_the_square_and_need_one_matrix_at_most():
    svm, ldm = (Costs.of(METHODS[key], 20_000, 10, 2, PACE).exact for key in ("svm", "ldm"))
    assert svm < 0.1 * ldm
    assert exact_bytes(METHODS["svm"], 1000) == exact_bytes(METHODS["svr"], 1000) == 8.0 * 1000**2


# Decisions


def test_few_rows_are_fitted_exactly_without_a_decision():
    assert decide(rows(1400), plan("svm", "ldm"), trial=lambda: pytest.fail("tried")) == ()


def test_an_svm_is_exact_where_landmarks_would_cost_accuracy_or_save_no_time_that_counts():
    for losses in (LOSING, EQUAL_AT_512):
        assert decision(rows(7200), plan("svm"), losses).within == EXACT
    many = decision(rows(28_600), plan("svm"), LOSING)
    assert (many.within, many.why) == (EXACT, BETTER)
    assert many.text("SVM").startswith("SVM: exact, about ")
    assert "1,024 landmarks would take about" in many.text("SVM")
    assert "and lose 5.0 points in a trial (LSSVM, 2,000 training rows)." in many.text("SVM")


def test_landmarks_are_taken_where_they_save_time_and_lose_nothing_that_counts():
    found = decision(rows(7200), plan("ldm"), EQUAL_AT_512)
    assert (found.within, found.why) == (Within(landmarks=512), EQUALLY_GOOD)
    assert found.approximate < found.exact
    assert "LDM: 512 landmarks take about" in found.text("LDM")
    assert decision(rows(7200), plan("ldm"), LOSING).within == EXACT


def test_nothing_is_tried_where_landmarks_would_not_be_faster():
    found = decision(rows(1600), plan("svm"), {}, replace(PACE, product=1e-9))  # which an SVM's columns do not need
    assert (found.within, found.why) == (EXACT, CHEAPER)
    assert found.approximate >= found.exact


def test_nothing_is_tried_that_could_save_only_seconds():
    found = decision(rows(2900), plan("ldm"), {})
    assert (found.within, found.why, found.loss) == (EXACT, UNTRIED, None)
    assert "256 landmarks would take about" in found.text("LDM")
    assert "may lose accuracy" in found.text("LDM")


def test_once_too_many_rows_are_too_many():
    """From some number of rows on, the exact fit takes too long, and it does so for all larger numbers."""
    whys = [decision(rows(m), plan("ldm"), LOSING).within.landmarks for m in (4300, 7200, 11_500, 16_000, 23_000)]
    assert whys == sorted(whys)
    assert whys[0] == 0
    assert whys[-1] == COUNTS[-1]


def test_exact_fits_that_take_too_long_are_replaced_by_the_most_landmarks_that_do_not():
    found = decision(rows(20_000), plan("ldm"), LOSING)
    assert (found.within, found.why) == (Within(landmarks=1024), TOO_SLOW)
    assert "too long: all fits of a split together have 40 s." in found.text("LDM")
    tuned = plan(candidates=(Candidate.tuned("ldm"),))
    fewer = decision(rows(20_000), tuned, LOSING)
    assert fewer.why == TOO_SLOW
    assert fewer.within.landmarks < 1024


def test_exact_fits_that_need_too_much_memory_are_replaced_and_it_is_said(monkeypatch):
    room = exact_bytes(METHODS["ldm"], 5000) / deciding.MEMORY
    monkeypatch.setattr(deciding, "free_memory", lambda: 1.1 * room)
    data = rows(7143)
    assert decision(data, plan("ldm"), LOSING).within == EXACT
    monkeypatch.setattr(deciding, "free_memory", lambda: 0.9 * room)
    found = decision(data, plan("ldm"), LOSING)
    assert (found.why, bool(found.within.landmarks)) == (TOO_LARGE, True)
    assert "GiB, too much of the free memory." in found.text("LDM")
    monkeypatch.setattr(deciding, "free_memory", lambda: 1.1 * room)
    (two,) = decide(data, plan("ldm"), trial=lambda: Tried(data, LOSING), jobs=2, pace=lambda kernel: PACE)
    assert two.why == TOO_LARGE
    assert decision(data, plan("svm"), LOSING).within == EXACT


def test_a_method_without_landmarks_takes_as_many_rows_as_time_and_memory_allow(monkeypatch):
    data = rows(16_000)
    found = decision(data, plan("fmm"), {}, times(5.0))
    assert found.why == TOO_SLOW
    assert 500 <= found.within.rows < 11_200
    assert found.within.rows % 100 == 0
    assert found.approximate <= deciding.SECONDS
    monkeypatch.setattr(deciding, "free_memory", lambda: exact_bytes(METHODS["fmm"], 3050) / deciding.MEMORY)
    few = decision(data, plan("fmm"), {})
    assert (few.within, few.why) == (Within(rows=3000), TOO_LARGE)


def test_a_hard_margin_and_the_linear_kernel_have_no_landmarks():
    hard = decision(rows(7200), plan(candidates=(Candidate.fixed("svm", C=np.inf),)), {})
    assert not hard.within.landmarks
    flat = replace(plan("svm", "ldm"), kernel=KernelKey("linear", 1.0, 3, 1.0, True))
    assert decide(rows(7200), flat) == ()


def test_a_decision_depends_neither_on_other_methods_nor_on_the_number_of_splits():
    data = rows(7200)
    alone = decision(data, plan("ldm"), LOSING)
    both = decide(data, plan("odm", "ldm"), trial=lambda: Tried(data, LOSING), pace=lambda kernel: PACE)
    assert alone in both
    assert decision(data, plan("ldm", repeats=3 * int(REPEATS.default)), LOSING) == alone


# The trial


def test_a_trial_finds_what_too_few_landmarks_lose_and_that_enough_lose_nothing():
    rng = np.random.default_rng(1)
    X = rng.uniform(-4.0, 4.0, size=(1500, 2))
    data = Data(X, np.where((np.floor(X[:, 0]) + np.floor(X[:, 1])) % 2 == 0, 1, -1), StandardScaler())
    trial = trial_of(data, plan("svm", gamma=8.0))
    assert trial.loss(8) > 0.1
    assert trial.loss(400) < 0.02
    assert trial.losses.keys() == {8, 400}
    train, _ = plan("svm").split(data.y, 0)
    used = np.append(trial.prepared.fit, trial.prepared.new)
    assert set(used) <= set(train)
    assert len(set(used)) == len(used)


def test_a_trial_is_of_the_kernel_that_is_fitted_not_of_the_roughest():
    data = rows(1500)
    found = [trial_of(data, plan("svm", gamma=0.3, widths=w)).kernel.gamma for w in ((1.0,), (0.25, 1.0, 4.0))]
    assert found == [pytest.approx(0.3)] * 2


# Stored once, used everywhere


def test_what_was_decided_on_one_machine_is_what_another_computes():
    data = rows(1600)
    given = plan("svm", "ldm", repeats=1)

    def decided(pace: Pace) -> Plan:
        losses = dict.fromkeys(COUNTS, 0.0)
        return with_decisions(given, decide(data, given, trial=lambda: Tried(data, losses), pace=lambda kernel: pace))

    slow, fast = decided(times(100.0)), decided(PACE)
    assert slow.candidate("ldm").within == Within(landmarks=256)
    assert fast.candidate("ldm").within == EXACT
    here = compare(data.X, data.y, data.preparation, slow)
    there = compare(data.X, data.y, data.preparation, eval(repr(slow)))  # as a script spells it out
    assert numbers(there) == numbers(here)
    assert [result.landmarks for result in here.of("ldm")] == [256]


def test_folds_are_fitted_as_the_whole_training_part_is():
    candidate = Candidate("svm", grid=(("C", (1.0, 10.0)),), within=Within(landmarks=30))
    data = rows(300)
    (result,) = compare(data.X, data.y, data.preparation, plan(candidates=(candidate,), repeats=1)).of("svm")
    assert result.landmarks == 30
    assert result.params["landmarks"] == 30


def test_by_number_of_rows_the_old_rule_holds():
    given = plan("svm", "fmm", "linearldm")
    assert by_rows(given, 2000, 2000, 256) == given
    above = by_rows(given, 2001, 2000, 256)
    assert [c.within for c in above.candidates] == [Within(landmarks=256), Within(rows=2000), EXACT]
    sampled = by_rows(given, 2001, 2000, 0)
    assert [c.within for c in sampled.candidates] == [Within(rows=2000), Within(rows=2000), EXACT]


@pytest.fixture(autouse=True)
def much_memory(monkeypatch):
    monkeypatch.setattr(deciding, "free_memory", lambda: 100 * 2**30)


@pytest.mark.parametrize("within", [EXACT, Within(landmarks=256), Within(rows=2000)])
def test_a_code_reads_back(within):
    assert Within.parse(within.code) == within


@pytest.mark.parametrize("balanced", [False, True])
@pytest.mark.parametrize("classes", [2, 3])
def test_the_trials_machines_are_those_of_lssvm_and_landmarks_of_all_rows_lose_nothing(balanced, classes):
    """One factorisation for all classes gives what LSSVM, whose bias is free, finds with a constant feature instead."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 2))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), np.linspace(-0.6, 0.9, classes - 1)).astype(str)
    given = plan("lssvm", several="one-versus-rest", balanced=balanced)
    trial = trial_of(Data(X, y, StandardScaler()), given)
    assert trial.loss(trial.rows) == pytest.approx(0.0, abs=1e-9)
    prepared, kernel = trial.prepared, trial.kernel
    by_hand = []
    for C in PRICES:
        settings = {"C": C, "gamma": kernel.gamma, "class_weight": "balanced" if balanced else None}
        model = new_estimator(METHODS["lssvm"], classes, "one-versus-rest", settings).fit(
            prepared.X_fit, prepared.y_fit
        )
        by_hand.append(np.mean(model.predict(prepared.X_new) == prepared.y_new))
    assert trial._exact == pytest.approx(max(by_hand), abs=0.03)
