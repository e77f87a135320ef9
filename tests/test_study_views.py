"""Figures of one model of a comparison show only computed values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from mdcore import load_dataset
from mdcore.experiment.projection import principal_plane
from mdcore.study import Candidate, Plan, compare
from mdcore.study.evaluation import refit
from mdcore.study.planes import components, distance, pair
from tests.comparisons import LINEAR


def test_the_signed_distance_is_f_over_the_norm_and_no_feature_is_made_up() -> None:
    data = load_dataset("breast-cancer")
    given = Plan((Candidate.fixed("svm"),), repeats=1, kernel=LINEAR)
    found = compare(data.X, data.y, StandardScaler(), given)
    from mdcore.study import Data

    fitted = refit(Data(data.X, data.y, StandardScaler(), data.features), given, found.of("svm")[0])
    view = distance(fitted)
    signs = np.where(view.labels == fitted.model.classes_[1], 1.0, -1.0)
    np.testing.assert_allclose(view.projection.points[:, 0] * signs, view.margins, rtol=1e-9, atol=1e-12)
    assert fitted.prepared.features == data.features
    plane = components(fitted)
    centred = fitted.prepared.X_fit - fitted.prepared.X_fit.mean(axis=0)
    singular = np.linalg.svd(centred, compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(plane.projection.points[: len(centred)], axis=0), singular[:2], rtol=1e-8)


def test_more_columns_than_rows_have_the_same_components() -> None:
    """The directions are then computed from the rows, as a matrix of columns by columns would take minutes."""
    X = np.random.default_rng(0).normal(size=(12, 40)) * np.linspace(1.0, 3.0, 40)
    wide = principal_plane(X, 9).points
    _, vectors = np.linalg.eigh(np.cov(X[:9].T))
    expected = (X - X[:9].mean(axis=0)) @ vectors[:, -1:-3:-1]
    np.testing.assert_allclose(np.abs(wide), np.abs(expected), atol=1e-9)


@pytest.mark.parametrize("at", ["mean", "median"])
def test_two_columns_show_f_with_the_others_at_their_training_centre(at: Any) -> None:
    data = load_dataset("wine", keep="class_0,class_1")
    given = Plan((Candidate.fixed("odm"),), repeats=1)
    from mdcore.study import Data

    sample = Data(data.X, data.y, StandardScaler(), data.features)
    found = compare(data.X, data.y, sample.preparation, given)
    fitted = refit(sample, given, found.of("odm")[0])
    view = pair(fitted, 3, 0, at)
    assert view.field is not None
    xs, ys, f = view.field
    at_centre = (np.mean if at == "mean" else np.median)(fitted.prepared.X_fit, axis=0)
    at_centre[3], at_centre[0] = xs[10], ys[20]
    assert f[20, 10] == pytest.approx(fitted.model.decision_function(at_centre[None])[0])
    assert at in view.projection.note
    assert view.projection.labels == (data.features[3], data.features[0])
    with pytest.raises(ValueError, match="two different columns"):
        pair(fitted, 2, 2, at)
