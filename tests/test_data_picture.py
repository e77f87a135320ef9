"""The picture of data before a comparison: what single columns do, checks, and nothing that many levels alone feign."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from mdcore import Experiment, load_dataset
from mdcore.figures import data_headline, data_picture_html
from mdcore.study import Data, data_of
from mdcore.study.data_picture import data_picture

WINE = load_dataset("wine", keep="class_0,class_1")


def test_a_column_separates_as_its_area_under_the_curve_says_and_the_best_is_first() -> None:
    found = data_picture(Data(WINE.X, WINE.y, StandardScaler(), WINE.features))
    for column in found.columns:
        area = roc_auc_score(WINE.y == "class_1", WINE.X[:, WINE.features.index(column.name)])
        assert column.separation == pytest.approx(max(area, 1 - area))
        np.testing.assert_allclose(column.shares.sum(axis=1), 1.0)
    assert np.all(np.diff([column.separation for column in found.columns]) <= 0)
    assert data_headline(found).casefold().startswith(f"{found.columns[0].name} alone orders ")


def test_rows_lie_in_the_plane_of_two_principal_components() -> None:
    found = data_picture(Data(WINE.X, WINE.y, StandardScaler(), WINE.features))
    X = StandardScaler().fit_transform(WINE.X)
    pca = PCA(2).fit(X)
    np.testing.assert_allclose(np.abs(found.points), np.abs(pca.transform(X)), atol=1e-8)
    assert found.explained == pytest.approx(pca.explained_variance_ratio_.sum())


@pytest.mark.parametrize("levels", [2, 80])
def test_a_category_without_meaning_separates_nothing_however_many_levels_it_has(levels: int) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"name": rng.integers(0, levels, 400).astype(str), "x": rng.normal(size=400)})
    y = rng.integers(0, 2, 400)
    found = data_picture(Data(X, y, OneHotEncoder(sparse_output=False)))
    assert all(column.separation < 0.6 for column in found.columns)


def test_a_category_with_meaning_is_found() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = pd.DataFrame({"kind": np.where(rng.random(400) < 0.9, y, 1 - y).astype(str)})
    (column,) = data_picture(Data(X, y, OneHotEncoder(sparse_output=False))).columns
    assert column.separation > 0.85


def test_gaps_copies_and_twins_among_columns_are_told() -> None:
    X = pd.DataFrame(WINE.X, columns=list(WINE.features))
    X["twin"] = 2 * X.iloc[:, 0] + 1
    X.iloc[3] = X.iloc[2]
    clean = data_picture(Data(X, WINE.y, StandardScaler()))
    told = {check.text for check in clean.checks if not check.fine}
    assert "Copies of an earlier row: 1" in told
    assert any(text.startswith("Pairs of columns that correlate above 0.95: ") for text in told)
    X.iloc[:5] = np.nan
    gaps = Data(X, WINE.y, Filled())
    assert f"Missing cells: {5 * X.shape[1]:,}, in {X.shape[1]} columns" in {c.text for c in data_picture(gaps).checks}


class Filled(StandardScaler):
    """A preparation that puts 0 in place of gaps."""

    def fit_transform(self, X: pd.DataFrame, y: object = None) -> np.ndarray:
        return np.nan_to_num(super().fit_transform(X))


@pytest.mark.parametrize("query", ["data=breast-cancer", "data=iris", "data=digits", "data=moons&n=40"])
def test_every_class_and_column_is_in_the_drawing(query: str) -> None:
    data = data_of(Experiment.from_query(query))
    found = data_picture(data)
    html = data_picture_html(found)
    assert html.count("<figure><svg viewBox") == min(len(found.columns), 40)
    assert "NaN" not in html
    assert f"{found.counts[0]:,}" in html


def test_names_are_no_markup_in_the_drawing() -> None:
    X = pd.DataFrame(WINE.X[:, :2], columns=["<script>alert(1)</script>", "b&b"])
    y = np.where(WINE.y == "class_0", "<b>", "plain")
    html = data_picture_html(data_picture(Data(X, y, StandardScaler())))
    assert "<script>" not in html
    assert "<b>" not in html
