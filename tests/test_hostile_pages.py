"""Hostile names are escaped in all Markdown, labels and figures of the pages."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mdcore.serving.web.join import page as phone_page
from mdcore.ui.pages.compare.page import JOB
from mdcore.ui.pages.compare.questions import QUESTIONS
from mdcore.ui.pages.compare.state import OWN, WHERE
from tests.apptest import page_of, press
from tests.test_hostile_names import Tags

NAME = "<img src=x onerror=attack()> [a](javascript:attack()) $q^7$ `qq` :red[qq] =1+1 \u202eexe"
PIECES = ("<img", "](java", "$q", "`qq", ":red[q")  # without escaping, each would be rendered as something else
# Fields that Streamlit shows literally, or only sends back: none of them is Markdown.
PLAIN = {
    ("selectbox", "options"), ("selectbox", "raw_value"), ("multiselect", "options"), ("code", "code_text"),
}  # fmt: skip
# Drawn as plain text by one of our components or on a canvas; table cells are checked one by one.
OURS = {"bidi_component", "dataframe", "table"}
WITH_DATA = ("playground", "sensitivity", "compare", "multiclass", "online")


def table() -> bytes:
    rng = np.random.default_rng(0)
    made = io.StringIO()
    writer = csv.writer(made)
    writer.writerow([f"first {NAME}", f"second {NAME}", f"third {NAME}", "target"])
    for i in range(60):
        numbers = (f"{rng.normal() + i % 2:.3f}", f"{rng.normal():.3f}")
        writer.writerow([*numbers, f"level {i % 3} {NAME}", f"{i % 2} {NAME}"])
    return made.getvalue().encode()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put files with hostile names into the folders of the server."""
    data, lessons = tmp_path / "data", tmp_path / "lessons"
    for made in (data, lessons):
        made.mkdir()
    (data / f"file {NAME}.csv").write_bytes(table())
    state = "data=moons&n=20&methods=mamc&kernel=linear"
    step = {"title": NAME, "text": [NAME], "state": state, "notes": NAME, "reveal": {"state": state, "text": [NAME]}}
    content = {"format": "margin-lab-lesson", "version": 1, "title": NAME, "summary": NAME, "steps": [step]}
    (lessons / "hostile.json").write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setenv("MARGIN_LAB_DATA", str(data))
    monkeypatch.setenv("MARGIN_LAB_LESSONS", str(lessons))
    monkeypatch.setenv("MARGIN_LAB_STORE", str(tmp_path / "tables.db"))


def texts(message: Any) -> Iterator[tuple[str, str]]:
    """Yield the name and text of every field of a Streamlit message, recursively."""
    for field, value in message.ListFields():
        for each in value if field.is_repeated else [value]:
            if field.type == field.TYPE_MESSAGE:
                yield from texts(each)
            elif field.type == field.TYPE_STRING and field.name != "id":
                yield field.name, each
            elif field.type == field.TYPE_BYTES:
                yield field.name, each.decode("utf-8", errors="replace")


def drawn(node: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the element, field and text of everything that a page draws."""
    for child in node.children.values():
        if getattr(child, "proto", None) is not None:
            yield from ((child.type, name, text) for name, text in texts(child.proto))
        if hasattr(child, "children"):
            yield from drawn(child)


def is_escaped(where: tuple[str, str], text: str) -> None:
    odd = PIECES[:1] if where[0] in ("plotly_chart", "html") else PIECES  # these texts are HTML, the others Markdown
    bare = re.sub(r"\\.", "", text)
    assert not [piece for piece in odd if piece in bare], (where, text)


def is_harmless(page: AppTest) -> None:
    assert not page.exception
    for element, field, text in drawn(page._tree):
        if element not in OURS and (element, field) not in PLAIN:
            is_escaped((element, field), text)
    for each in page.table:
        frame = each.value
        for cell in (*frame.index, *frame.columns, *frame.to_numpy().ravel()):
            is_escaped(("table", "cell"), str(cell))


def opened(name: str, **query: str) -> AppTest:
    page = page_of(name)
    page.query_params.update(query)
    return page.run()


@pytest.mark.parametrize("name", [*WITH_DATA, "methods", "tables", "lecture"])
def test_a_page_draws_them_as_text(name: str) -> None:
    query = {"data": f"folder:file {NAME}", "methods": "svm,ldm"} if name in WITH_DATA else {}
    page = opened(name, **query)
    is_harmless(page)
    if name in WITH_DATA:
        assert any("attack" in text for _, _, text in drawn(page._tree))


def test_a_comparison_of_ones_own_table_draws_them_as_text() -> None:
    quick = "methods=svm,ldm&view.parameters=defaults&view.repeats=2"
    page = opened("compare", **dict(parse_qsl(quick)))
    page.segmented_control(key=WHERE).set_value(OWN).run()
    page.file_uploader[0].set_value((f"{NAME}.csv", table(), "text/csv")).run()
    is_harmless(page)
    press(page, "Compare")
    page.session_state[JOB].wait()
    page.run()
    for section in QUESTIONS:
        page.segmented_control(key="compare question").set_value(section).run()
        is_harmless(page)


@pytest.mark.parametrize("name", ["room", "remote", "gone", "full"])
def test_a_page_without_a_session_writes_them_as_text(name: str) -> None:
    hostile, harmless = (
        Tags(bytes(phone_page(name, **dict.fromkeys(("code", "title", "reason", "seconds"), words)).body).decode())
        for words in (NAME, "name")
    )
    assert (hostile.elements, hostile.attributes) == (harmless.elements, harmless.attributes)
