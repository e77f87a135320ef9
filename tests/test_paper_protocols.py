"""The papers' tables as data: every number is in its place, and every grid has the length that the paper states."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mdcore.methods import METHODS
from mdcore.papers.evaluation import LARGEST
from mdcore.papers.protocol import papers, protocol, tables_of
from mdcore.papers.report import report
from mdcore.papers.run_plan import TableRequest, plan_run
from mdcore.papers.sets import fingerprint, rows_of
from mdcore.papers.store import Store

ALL = [(paper, table) for paper in papers() for table in tables_of(paper)]

# The papers print these averages below their tables, so they reveal copying errors.
AVERAGES = [
    ("ldm-2014", 2, {"svm": 0.813, "mdo": 0.743, "mamc": 0.650, "komd": 0.807, "ldm": 0.823}),
    ("ldm-2014", 3, {"svm": 0.844, "mamc": 0.701, "komd": 0.822, "ldm": 0.854}),
    ("ldm-2014", 4, {"svm": 0.913, "mdo": 0.899, "mamc": 0.786, "ldm": 0.919}),
    (
        "mamc-2016",
        2,
        {"mamc_bs": 84.12, "mamc_bsg": 84.18, "mamc_b": 83.60, "mamc": 65.43, "emamc": 85.34, "svm": 85.26},
    ),
]


@pytest.mark.parametrize(("paper", "table", "averages"), AVERAGES)
def test_printed_figures_have_the_printed_average(paper: str, table: int, averages: dict[str, float]) -> None:
    made = protocol(paper, table)
    for method, average in averages.items():
        found = np.mean([p.mean for (_, m), p in made.printed.items() if m == method])
        assert found == pytest.approx(average, abs=1.01 * 10.0**-made.digits)


@pytest.mark.parametrize(
    ("paper", "table", "method", "alternatives"),
    [
        ("ldm-2014", 3, "ldm", 7 * 7 * 3 * 5),
        ("ldm-2014", 3, "svm", 3 * 5),
        ("msvmav-2022", 1, "msvmav", 11 * 11),
        ("msvmav-2022", 2, "odm", 11 * 4 * 4 * 11),
        ("mcodm-2017", 2, "mcodm", 11 * 4 * 4),
        ("mamc-2016", 2, "mamc_bs", 16 + 21),
        ("mamc-2016", 2, "mamc_bsg", 16 * 21),
    ],
)
def test_grids_are_as_large_as_printed(paper: str, table: int, method: str, alternatives: int) -> None:
    assert protocol(paper, table).method(method).alternatives == alternatives


@pytest.mark.parametrize(
    ("paper", "table", "place"),
    [
        ("mcodm-2017", 2, "section 6.2, page 7 of 1-9"),
        ("ldm-2014", 4, "section 4.3, on one of the pages 313-322"),
        ("pumma-2009", 1, "section 4.2, page not known"),
    ],
)
def test_a_table_says_where_it_is_printed(paper: str, table: int, place: str) -> None:
    assert protocol(paper, table).place == place


@pytest.mark.parametrize(("paper", "table"), ALL)
def test_every_choice_is_legal_for_its_estimator(paper: str, table: int) -> None:
    made = protocol(paper, table)
    assert made.reference in made.methods
    for method in made.methods.values():
        if method.estimator != LARGEST:
            for choice in method.choices:
                METHODS[method.estimator].settings(choice)


@pytest.mark.parametrize(
    ("ask", "nearest"),
    [
        (lambda: protocol("ldm2014", 3), "ldm-2014"),
        (lambda: protocol("ldm-2014", 3).method("svn"), "svm"),
        (lambda: protocol("ldm-2014", 3).set("sonr"), "sonar"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(ask: object, nearest: str) -> None:
    with pytest.raises(ValueError, match=f"Did you mean '{nearest}'"):
        ask()  # type: ignore[operator]


def test_a_table_that_is_none_names_those_there_are() -> None:
    with pytest.raises(ValueError, match="Available: 2, 3, 4"):
        protocol("ldm-2014", 9)


def test_names_are_found_whatever_their_case_and_blanks() -> None:
    made = protocol("mamc-2016", 2)
    assert made.set("breast-CANCER").name == "Breast cancer"


def test_a_shape_that_is_not_the_printed_one_is_said() -> None:
    ldm, msvmav = protocol("ldm-2014", 2), protocol("msvmav-2022", 1)
    assert rows_of(ldm.set("wdbc")).differs == "30 features instead of 14"
    assert rows_of(msvmav.set("wdbc")).differs == ""


def test_papers_that_share_a_set_are_each_told_of_their_own_shape(tmp_path: Path) -> None:
    ldm, msvmav = protocol("ldm-2014", 2), protocol("msvmav-2022", 1)
    with Store(tmp_path / "a.db") as store:
        for table in (ldm, msvmav):
            request = TableRequest(table.paper, table.table, ("wdbc",), ("svm",), 1)
            store.enter(plan_run(request, {"wdbc": rows_of(table.set("wdbc"))}))
        assert report(store, ldm).differs == {"wdbc": "30 features instead of 14"}
        assert report(store, msvmav).differs == {}


def test_constant_columns_are_left_out_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"{i * i % 17},7,{'ab'[i % 2]}" for i in range(40)]
    (tmp_path / "fourclass.csv").write_text("\n".join(["u,v,target", *lines]), encoding="utf-8")
    monkeypatch.setenv("MARGIN_LAB_DATA", str(tmp_path))
    rows = rows_of(protocol("ldm-2014", 2).set("fourclass"))
    assert (rows.dataset.d, rows.constant, rows.differs) == (1, 1, "40 rows instead of 862")


def test_a_set_that_cannot_be_rerun_says_why() -> None:
    with pytest.raises(ValueError, match="how segment's seven classes"):
        rows_of(protocol("mamc-2016", 2).set("Image"))


def test_fingerprints_tell_data_apart_by_numbers_order_and_classes() -> None:
    data = rows_of(protocol("mcodm-2017", 2).set("iris")).dataset
    changed = data.X.copy()
    changed[0, 0] = np.nextafter(changed[0, 0], 9.0)
    marks = {
        fingerprint(data),
        fingerprint(type(data)(data.name, changed, data.y, data.features)),
        fingerprint(type(data)(data.name, data.X[::-1], data.y[::-1], data.features)),
        fingerprint(type(data)(data.name, data.X, np.roll(data.y, 1), data.features)),
    }
    assert len(marks) == 4


def test_percent_and_shares_are_kept_apart() -> None:
    assert (protocol("ldm-2014", 3).unit, protocol("mcodm-2017", 2).unit) == (1.0, 100.0)
