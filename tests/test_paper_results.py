"""RESULTS.md has every published number or the reason why not, and quantifies where ours differ."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest

from mdcore.__main__ import main
from mdcore.export.paper_differences import differences, not_run
from mdcore.export.paper_results import results_page
from mdcore.export.paper_tables import _latex
from mdcore.papers.cells import cells_of
from mdcore.papers.evaluation import CellOutcome, pack
from mdcore.papers.protocol import papers, protocol, tables_of
from mdcore.papers.published import conditions_of, from_json, published, results_of, to_json
from mdcore.papers.report import report
from mdcore.papers.results import PARTS, steps
from mdcore.papers.run_plan import RunPlan, TableRequest
from mdcore.papers.sets import rows_of
from mdcore.papers.store import Store

ALL = [(paper, table) for paper in papers() for table in tables_of(paper)]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Return a store with two splits of iris by two methods, one close to the published mean, one far from it."""
    table = protocol("mcodm-2017", 2)
    sets, methods = {"iris": rows_of(table.set("iris"))}, {"ova": 0.82, "mcsvm": 0.5}
    opened = Store(tmp_path / "a.db")
    cells = cells_of(table, sets, list(methods), 2)
    plan = RunPlan(TableRequest("mcodm-2017", 2, ("iris",), tuple(methods), 2), sets, tuple(cells))
    opened.enter(plan)
    none = pack([])  # type: ignore[arg-type]
    while (claim := opened.claim(plan.run, "h/1/0")) is not None:
        value = methods[claim.task.method]
        opened.finish(claim.id, CellOutcome(value, {"C": 1}, 0.0, True, 0.5, 1.5, 56, 120, 30, 1.0, none, none))
    return opened


def test_figures_outside_are_named_with_both_numbers(store: Store) -> None:
    first, *others = differences([report(store, protocol("mcodm-2017", 2))])
    assert first == "1 of 2 means lie within two printed standard deviations."
    assert others == [
        "- On sets of the printed shape 1 of 2 do. "
        "The others: iris, mcSVM in Table 2 (50.00 instead of 84.70, 2 of 10 splits)."
    ]


@pytest.mark.parametrize(("paper", "table"), ALL)
def test_every_printed_figure_is_there_or_it_is_said_why_not(store: Store, paper: str, table: int) -> None:
    made = report(store, protocol(paper, table))
    said = " ".join(not_run(made))
    for name in made.protocol.sets:
        assert f"{name}" in said
    if paper == "mcodm-2017":
        assert "iris (ovoSVM, ecocSVM, mcODM)" in said
        assert "wine, svmguide2" in said
        assert "letter: not run, mcODM takes about" in said


def test_a_paper_with_results_shows_all_its_tables_and_others_none(store: Store) -> None:
    page = results_page(results_of(store))
    assert page.count("## T. Zhang, Z.-H. Zhou: Multi-class") == 1
    assert "| iris | ovaSVM | 82.00 ± 0.00 | 2 of 10 | 82.00 ±" in page
    assert "Large margin distribution machine" not in page


def test_the_page_of_results_is_written_from_the_published_data() -> None:
    assert Path("RESULTS.md").read_text(encoding="utf-8") == results_page(published())


def test_published_data_belong_to_the_protocols_and_their_sets() -> None:
    told = json.loads(files("mdcore.papers").joinpath("results.json").read_text(encoding="utf-8"))
    assert [(each["paper"], each["table"]) for each in told["tables"]] == ALL
    for each, made in zip(told["tables"], published().tables, strict=True):
        assert each["protocol"] == conditions_of(made.protocol)
        for place, entry in made.entries.items():
            assert place in made.protocol.printed
            assert entry.wanted == made.protocol.set(entry.dataset).splits
            assert entry.dataset in made.shapes


def test_results_of_a_store_are_written_and_read_without_loss(store: Store) -> None:
    results = results_of(store)
    again = from_json(to_json(results))
    assert to_json(again) == to_json(results)
    assert results_page(again) == results_page(results)
    assert again.table("mcodm-2017", 2).entries["iris", "ova"].seeds == (0, 1)


def test_data_and_page_are_written_by_the_command(store: Store, tmp_path: Path) -> None:
    page, data = tmp_path / "page.md", tmp_path / "data.json"
    assert main(["tables", "--results", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == Path("RESULTS.md").read_text(encoding="utf-8")
    where = ["--store", str(store.path), "--data", str(data)]
    with pytest.MonkeyPatch.context() as nothing_to_compute:
        nothing_to_compute.setattr("mdcore.commands.tables.local_sets", lambda table: {})
        assert main(["tables", "--results", str(page), *where]) == 0
    assert data.read_text(encoding="utf-8") == to_json(results_of(store))
    assert page.read_text(encoding="utf-8") == results_page(results_of(store))


def test_what_is_named_for_results_is_printed_in_the_papers() -> None:
    assert all(step.splits is not None and step.splits <= 100 for step in steps())
    for paper, number, datasets, methods in PARTS:
        table = protocol(paper, number)
        for name in datasets:
            assert not table.set(name).unavailable
            assert all((name, method) in table.printed for method in methods)


def test_every_part_gets_some_splits_before_any_gets_all() -> None:
    found = [step.splits for step in steps()]
    assert found[: len(PARTS)] == [1] * len(PARTS)
    assert found == sorted(found)
    of_first = [
        step.splits for step in steps() if (step.paper, step.table, step.datasets) == ("ldm-2014", 3, PARTS[0][2])
    ]
    assert of_first == [1, 3, 10, 30]


def test_what_latex_would_take_for_a_command_is_text() -> None:
    assert _latex("SVM^light") == r"SVM\^{}light"
    assert _latex("MSVM_Av & 0.8 ± 0.1") == r"MSVM\_Av \& 0.8 $\pm$ 0.1"
    assert _latex("−0.1*") == "$-$0.1$^*$"
