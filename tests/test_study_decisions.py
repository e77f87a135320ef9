"""Costs, thresholds and probabilities: fitted on the training part, evaluated on test rows, equal to scikit-learn's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from mdcore.figures.decisions import class_margin_figure, precision_figure, reliability_figure, roc_figure
from mdcore.figures.in_place import drawing
from mdcore.study import Candidate, Comparison, Plan, compare
from mdcore.study.decisions import (
    at_threshold,
    best_threshold,
    class_margins,
    costs,
    decisions,
    probabilities,
    reach,
    reliability,
    roc,
)
from tests.comparisons import LINEAR


def sample(n: int = 300, share: float = 0.3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = (rng.uniform(size=n) < share).astype(int)
    return rng.normal(size=(n, 3)) + np.outer(1.2 * y, [1, 0.5, 0]), y


@pytest.fixture(scope="module", params=[0, 1], ids=["positive 0", "positive 1"])
def found(request: pytest.FixtureRequest) -> Comparison:
    X, y = sample()
    candidates = (Candidate.fixed("svm", C=1.0), Candidate.fixed("logistic"))
    plan = Plan(candidates, repeats=3, folds=3, kernel=LINEAR, held_out=True, positive=request.param)
    return compare(X, y, StandardScaler(), plan)


def test_the_cheapest_threshold_is_that_of_trying_all(found: Comparison) -> None:
    for ratio in (0.2, 1.0, 7.0):
        for result in found.of("svm"):
            split = decisions(found, result)
            held = replace(split, test=split.inner, test_positive=split.inner_positive)
            best = at_threshold(held, best_threshold(split, ratio)).cost(ratio)
            tried = [at_threshold(held, t).cost(ratio) for t in [*(split.inner - 1e-9), split.inner.max() + 1]]
            assert best == pytest.approx(min(tried))


def test_a_planted_cost_moves_the_threshold_and_pays_on_test_rows(found: Comparison) -> None:
    dear, cheap = costs(found, "svm", 8.0), costs(found, "svm", 1 / 8)
    assert all(a.threshold < b.threshold for a, b in zip(dear.splits, cheap.splits, strict=True))
    assert dear.cost.mean < dear.at_zero.mean
    assert sum(s.missed for s in dear.splits) < sum(s.missed for s in cheap.splits)
    assert dear.counts.sum() == sum(len(result.test) for result in found.of("svm"))


def test_at_zero_the_counts_are_those_of_the_comparison(found: Comparison) -> None:
    counts = costs(found, "svm", 1.0, shift=0.0).counts
    order = [1, 0] if found.plan.positive == 0 else [0, 1]
    np.testing.assert_array_equal(counts, found.confusion("svm")[np.ix_(order, order)])


def test_a_threshold_moves_one_class_against_the_other(found: Comparison) -> None:
    split = decisions(found, found.of("svm")[0])
    before, after = class_margins(split, 0.0, "geometric"), class_margins(split, 0.5, "geometric")
    np.testing.assert_allclose(after[0].values - before[0].values, 0.5 / split.norm)
    np.testing.assert_allclose(after[1].values - before[1].values, -0.5 / split.norm)


def test_the_curve_is_that_of_the_auc(found: Comparison) -> None:
    split = decisions(found, found.of("svm")[0])
    alarms, hits, precision = roc(split)
    assert np.trapezoid(hits, alarms) == pytest.approx(roc_auc_score(split.test_positive, split.test))
    assert precision[-1] == pytest.approx(split.test_positive.mean())


def test_sigmoid_probabilities_are_those_of_scikit_learn(found: Comparison) -> None:
    X, y = sample()
    result, positive = found.of("logistic")[0], found.plan.positive
    train, test = found.splits[0]
    cv = StratifiedKFold(3, shuffle=True, random_state=found.plan.seed)
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    oracle = CalibratedClassifierCV(model, cv=cv, ensemble=False).fit(X[train], y[train])
    expected = oracle.predict_proba(X[test])[:, positive]
    told = probabilities(found, "logistic", "sigmoid")
    np.testing.assert_allclose(told.predicted[result.split], expected, atol=1e-6)
    assert told.brier.mean == pytest.approx(
        np.mean([brier_score_loss(p, q) for p, q in zip(told.positive, told.predicted, strict=True)])
    )
    assert told.brier.mean < told.brier_of_share.mean
    isotonic = probabilities(found, "svm", "isotonic")
    said, _, rows = reliability(isotonic)
    assert (np.diff(said) >= 0).all()
    assert rows.sum() == sum(map(len, isotonic.predicted))


def test_what_was_not_held_out_is_asked_for(found: Comparison) -> None:
    with pytest.raises(ValueError, match="Nothing was held out"):
        decisions(found, replace(found.of("svm")[0], inner=np.empty(0)))


def test_pictures_show_the_thresholds(found: Comparison) -> None:
    parts = [decisions(found, result) for result in found.of("svm")]
    priced = costs(found, "svm", 3.0)
    margins = class_margin_figure(parts, priced, "#009E73", ("ok", "faulty"))
    assert [trace.name for trace in margins.data] == ["ok", "faulty"]
    points = roc_figure(parts, priced, "#009E73").data[-2]
    assert points.y == pytest.approx([s.found / (s.found + s.missed) for s in priced.splits])
    lines = precision_figure(parts, priced, "#009E73").data[0]
    assert np.isnan(np.array(lines.y, dtype=float)).sum() == len(parts), "a gap after the curve of every split"
    assert len(reliability_figure(probabilities(found, "svm", "isotonic"), "#009E73").data[1].x) == 10


def test_the_range_of_thresholds_leads_from_always_to_never_and_axes_stay(found: Comparison) -> None:
    parts = [decisions(found, result) for result in found.of("svm")]
    low, high = reach(parts)
    assert not sum(at.missed + at.passed for at in costs(found, "svm", 1.0, low).splits), "always"
    assert not sum(at.alarms + at.found for at in costs(found, "svm", 1.0, high).splits), "never"
    for ratio in (1 / 1000, 1.0, 1000.0):
        assert all(low <= best_threshold(part, ratio) / part.unit <= high for part in parts)
    axes = []
    for shift in (low, 0.0, high):
        priced = costs(found, "svm", 1.0, shift)
        margins = class_margin_figure(parts, priced, "#009E73", ("ok", "faulty"))
        window = margins.layout.xaxis.range
        assert all(window[0] <= min(line.x) and max(line.x) <= window[1] for line in margins.data)
        made = (margins, roc_figure(parts, priced, "#009E73"), precision_figure(parts, priced, "#009E73"))
        axes.append([axis.range for each in made for axis in (each.layout.xaxis, each.layout.yaxis)])
    assert axes[0] == axes[1] == axes[2]
    assert None not in axes[0]


def test_what_is_redrawn_in_place_is_the_figure(found: Comparison) -> None:
    parts = [decisions(found, result) for result in found.of("svm")]
    priced = costs(found, "svm", 3.0)
    margins = class_margin_figure(parts, priced, "#009E73", ("a & b", "faulty"))
    drawn = drawing(margins, "words")
    assert [line["name"] for line in drawn["lines"]] == ["a & b", "faulty"]
    assert [line["dash"] != [] for line in drawn["lines"]] == [True, False]
    assert (drawn["x"]["low"], drawn["x"]["high"]) == margins.layout.xaxis.range
    assert [mark["x"] for mark in drawn["marks"]] == [0]
    fine = (drawn["x"]["high"] - drawn["x"]["low"]) / 1000
    for line, trace in zip(drawn["lines"], margins.data, strict=True):
        assert line["steps"]
        apart = (
            np.abs(np.subtract.outer(trace.x, line["x"])) / fine + np.abs(np.subtract.outer(trace.y, line["y"])) * 1000
        )
        assert apart.min(axis=1).max() <= 2, "what is left out lies on what is drawn"
    curves, points = drawing(precision_figure(parts, priced, "#009E73"), "words")["lines"]
    assert curves["x"].count(None) == len(parts)
    assert (curves["told"], curves["size"], points["told"], points["size"]) == (False, 0, True, 10)
    assert len(points["x"]) == len(parts)


def test_a_window_of_time_without_a_class_is_drawn_and_counted() -> None:
    X, y = sample(n=200)
    y[-25:] = 0
    plan = Plan((Candidate.fixed("svm"),), repeats=3, folds=3, kernel=LINEAR, held_out=True, scheme="time")
    found = compare(X, y, StandardScaler(), plan, along=np.arange(200))
    parts = [decisions(found, result) for result in found.of("svm")]
    assert not parts[-1].test_positive.any()
    priced = costs(found, "svm", 3.0)
    assert np.isfinite(priced.cost.mean)
    assert len(roc_figure(parts, priced, "#009E73").data[-2].x) == 2
    assert len(precision_figure(parts, priced, "#009E73").data[1].x) == 2
    assert class_margin_figure(parts, priced, "#009E73", ("ok", "faulty")).data
    for how in ("sigmoid", "isotonic"):
        assert np.isfinite(probabilities(found, "svm", how).log_loss.mean)
