"""Costs and probabilities of a sweep: fitted on the training part, like scikit-learn's, and evaluated on test rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import balanced_accuracy_score, brier_score_loss, log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC

from mdcore import Experiment
from mdcore.data import own_source, propose, read_table
from mdcore.sweep import AT_ONCE, MEASURES, Axis, Sweep, run
from mdcore.sweep.measures import held_out
from tests import planted

INSIDE = ("test.cost", "test.brier", "test.log_loss")
QUERY = "data=moons&n=200&noise=0.4&seed=3&methods=svm,ldm&kernel=rbf&gamma=1&svm.C=2"


def measured(query: str, key: str, ratio: float = 1.0) -> dict[str, float]:
    return {name: MEASURES[key].of(one, 0.0, ratio) for name, one in Experiment.from_query(query).run().items()}


def test_probabilities_are_those_of_scikit_learn() -> None:
    prepared = Experiment.from_query(QUERY).prepare()
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(prepared.X_train, prepared.y_train))
    machine = SVC(C=2.0, gamma=1.0, tol=1e-8)
    calibrated = CalibratedClassifierCV(machine, method="sigmoid", cv=folds, ensemble=False)
    p = calibrated.fit(prepared.X_train, prepared.y_train).predict_proba(prepared.X_test)[:, 1]
    positive = prepared.y_test == calibrated.classes_[1]
    assert measured(QUERY, "test.brier")["svm"] == pytest.approx(brier_score_loss(positive, p), rel=0.02)
    assert measured(QUERY, "test.log_loss")["svm"] == pytest.approx(log_loss(positive, p), rel=0.02)


def test_a_dear_miss_lowers_the_threshold() -> None:
    for one in Experiment.from_query(QUERY).run().values():
        split = held_out(one)
        assert split is not None
        positive, said = split.test_positive, one.model.predict(one.prepared.X_test)
        assert balanced_accuracy_score(one.prepared.y_test, said) == pytest.approx(
            MEASURES["test.balanced"].of(one, 0.0, 1.0)
        )
        at_zero = 8.0 * (positive & (split.test <= 0)).mean() + (~positive & (split.test > 0)).mean()
        assert MEASURES["test.cost"].of(one, 0.0, 8.0) < at_zero


@pytest.mark.parametrize("key", INSIDE)
def test_a_sweep_measures_them_when_asked(key: str) -> None:
    experiment = Experiment.from_query(QUERY)
    sweep = Sweep(experiment, (Axis("svm.C", (0.1, 10.0)),), (key,), ratio=3.0)
    assert key not in AT_ONCE
    for value, found in zip((0.1, 10.0), run(sweep).results[::2], strict=True):
        alone = experiment.with_value("svm.C", value).run()["svm"]
        assert found.statistics[key] == pytest.approx(MEASURES[key].of(alone, 0.0, 3.0), abs=1e-3)


def test_no_group_is_in_two_parts_inside_either() -> None:
    table = read_table(planted.grouped(0), "table.csv")
    source = own_source(table, propose(table))
    one = replace(Experiment.on(source), methods=("svm",)).run()["svm"]
    groups: Any = one.prepared.along
    assert groups is not None
    split = held_out(one)
    assert split is not None
    # In random splits, rows of a patient reveal each other's class; held out together, they do not.
    assert ((split.inner > 0) == split.inner_positive).mean() < 0.7
    assert len(np.unique(groups)) < len(groups)


def test_several_classes_have_no_cost() -> None:
    assert np.isnan(measured("data=iris&methods=mcodm", "test.cost")["mcodm"])
