"""Names of files, columns and labels that contain markup or code stay plain text in every export."""

from __future__ import annotations

import ast
import csv
import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from mdcore.data import own_source, propose, read_table
from mdcore.export import report, script, tables
from mdcore.export.model import card, model_script
from mdcore.serving.comparisons.sample import Sample, sample_of_table
from mdcore.study import Candidate, Comparison, Plan, compare
from mdcore.study.final import final_model

MARKUP = "</script></td><img src=x onerror=attack()>"
CODE = "x'''\"\"\"\\'); attack() #"
FORMULA = "=HYPERLINK(attack())"
TURNED = "\u202egnp.exe\u2066"  # characters that change the direction of writing


class Tags(HTMLParser):
    """The elements of a page, and the names of all attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes.update(name for name, _ in attrs)


@pytest.fixture(scope="module")
def hostile() -> tuple[Sample, Comparison]:
    rng = np.random.default_rng(0)
    made = io.StringIO()
    writer = csv.writer(made)
    writer.writerow([MARKUP, CODE, FORMULA, "target"])
    for i in range(60):
        word = (MARKUP, CODE, TURNED)[i % 3]
        writer.writerow([f"{rng.normal() + i % 2:.3f}", f"{rng.normal():.3f}", word, (MARKUP, FORMULA)[i % 2]])
    table = read_table(made.getvalue().encode(), f"{MARKUP}{CODE}{TURNED}.csv")
    choices = propose(table, "target")
    sample = sample_of_table(own_source(table, choices), choices)
    data = sample.data
    return sample, compare(data.X, data.y, data.preparation, Plan((Candidate.fixed("svm"),), repeats=2))


def test_a_report_holds_them_as_text(hostile: tuple[Sample, Comparison]) -> None:
    sample, found = hostile
    page = Tags(report(found, sample.title, sample.facts, sample.code, "geometric", sample.rows))
    assert "img" not in page.elements
    assert not {name for name in page.attributes if name.startswith("on")}


def test_a_script_holds_them_as_strings(hostile: tuple[Sample, Comparison]) -> None:
    sample, found = hostile
    tree = ast.parse(script(found, sample.code))
    assert "attack" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert any(
        CODE in node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is str
    )


def test_a_card_holds_them_as_words_and_its_script_as_strings(hostile: tuple[Sample, Comparison]) -> None:
    sample, found = hostile
    final = final_model(sample.data, found.plan, "svm")
    text = card(final, found, "accuracy", sample.facts, (f"{MARKUP} says it.", "[a](javascript:attack())"))
    assert "img src" in text
    assert not re.search(r"(?<!\\)[<\[]", text)
    tree = ast.parse(model_script(found, "svm", sample.code))
    assert "attack" not in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def test_tables_hold_them_as_cells(hostile: tuple[Sample, Comparison]) -> None:
    sample, found = hostile
    cells = {
        c
        for text in tables(found, "geometric", sample.rows).values()
        for row in csv.reader(io.StringIO(text))
        for c in row
    }
    assert {MARKUP, f"'{FORMULA}"} <= cells
    assert FORMULA not in cells
