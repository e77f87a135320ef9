"""A complete sweep over shared data is kept for whoever asks for it again; those over users' tables are not."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import NoReturn

import pytest

from mdcore import Experiment
from mdcore.data import own_source, propose, read_table
from mdcore.sweep import Axis, Sweep, SweepTable, points_once

SMALL = "data=moons&n=70&noise=0.3&seed=3&gamma=1&methods=svm,ldm&ldm.lambda1=4"
PRICES = (0.5, 2.0, 8.0)


def test_a_sweep_over_shared_data_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = Experiment.from_query(SMALL)
    sweep, longer = (Sweep(experiment, (Axis("C", prices),)) for prices in (PRICES, (*PRICES, 32.0)))
    made = list(points_once(sweep))
    assert SweepTable(sweep, tuple(made)).complete
    abandoned = points_once(longer)
    next(abandoned)
    abandoned.close()

    def none(sweep: Sweep) -> NoReturn:
        raise AssertionError("computed again")

    monkeypatch.setattr(sys.modules["mdcore.sweep.walk"], "points", none)  # the package has a function walk
    again = Sweep(Experiment.from_query(SMALL), (Axis("C", PRICES),))
    assert list(points_once(again)) == made
    for other in (longer, replace(sweep, threshold=0.5)):
        with pytest.raises(AssertionError, match="computed again"):
            list(points_once(other))


def test_a_sweep_over_a_users_table_is_not_kept() -> None:
    table = read_table(
        "\n".join(["u,v,class", *(f"{i % 7},{i % 5},{'ab'[i % 2]}" for i in range(40))]).encode(), "own.csv"
    )
    source = own_source(table, propose(table, "class"))
    sweep = Sweep(Experiment.from_query(f"data={source.key}&methods=svm", [source]), (Axis("svm.C", (1.0, 2.0)),))
    one, other = list(points_once(sweep)), list(points_once(sweep))
    assert len(one) == 2
    assert not any(a is b for a, b in zip(one, other, strict=True))
