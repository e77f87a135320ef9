"""Odd files as a newcomer tries them on the Compare page: each works, or says what is wrong, where, and what to do."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.browser.forms import rest

QUICK = "compare?data=moons&methods=svm,odm&several=one-versus-rest&view.parameters=defaults&view.repeats=2"
ROWS = 60


def features(count: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of numbers, and a side for each that they tell, mostly."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(ROWS, count))
    return X, (X[:, 0] + 0.3 * rng.normal(size=ROWS) > 0).astype(int)


def text(header: Sequence[str], rows: Sequence[Sequence[object]], delimiter: str = ",") -> str:
    return "\n".join(delimiter.join(map(str, row)) for row in [header, *rows]) + "\n"


def labelled(first: object, second: object) -> bytes:
    X, side = features()
    rows = [(f"{a:.4f}", f"{b:.4f}", (first, second)[s]) for (a, b), s in zip(X, side, strict=True)]
    return text(("width", "height", "kind"), rows).encode()


def semicolons() -> bytes:
    X, side = features()
    rows = [
        (f"{a:.3f}".replace(".", ","), f"{b:.3f}".replace(".", ","), ("süß", "herb")[s])
        for (a, b), s in zip(X, side, strict=True)
    ]
    return text(("Größe", "Länge", "Geschmack"), rows, ";").encode("latin-1")


def utf_16() -> bytes:
    return labelled("chat", "chien").decode().replace(",", "\t").encode("utf-16")


def gaps() -> bytes:
    X, side = features()
    rows = [
        ("" if i % 9 == 0 else f"{a:.3f}", "NA" if i % 7 == 0 else ("red", "green", "blue")[i % 3], ("no", "yes")[s])
        for i, ((a, _), s) in enumerate(zip(X, side, strict=True))
    ]
    return text(("width", "colour", "bought"), rows).encode()


def letters() -> bytes:
    rng = np.random.default_rng(0)
    rows = [
        (f"{rng.normal(i % 6, 0.3):.3f}", f"{rng.normal(i // 6, 0.3):.3f}", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[i])
        for i in range(26)
        for _ in range(8)
    ]
    return text(("across", "up", "letter"), rows).encode()


def useless_columns() -> bytes:
    X, side = features()
    rows = [(i + 1, f"{a:.3f}", "same", f"{b:.3f}", "ab"[s]) for i, ((a, b), s) in enumerate(zip(X, side, strict=True))]
    return text(("id", "width", "always", "height", "kind"), rows).encode()


def twice_named() -> bytes:
    return labelled("a", "b").replace(b"width,height", b"width,width")


def formulas() -> bytes:
    return labelled("=SUM(A1:A9)", "@cmd").replace(b"kind", b"=kind")


def ragged() -> bytes:
    lines = labelled("a", "b").splitlines()
    lines[4] += b",7,8"
    return b"\n".join(lines)


def float_target() -> bytes:
    X, _ = features(3)
    return text(("width", "height", "price"), [[f"{v:.4f}" for v in row] for row in X]).encode()


WORKING: dict[str, tuple[Callable[[], bytes], tuple[str, ...]]] = {
    "semicolons, decimal commas, Latin-1": (semicolons, ("semicolon", "Classes: herb: ", "Geschmack")),
    "UTF-16 with tabs": (utf_16, ("utf-16", "tab", "Classes: chat: ")),
    "missing numbers and names": (gaps, ("16 missing values", "Classes: no: ")),
    "yes and no": (lambda: labelled("no", "yes"), ("Classes: no: ",)),
    "1 and 2": (lambda: labelled(1, 2), ("Classes: 1: ",)),
    "-1 and +1": (lambda: labelled("-1", "+1"), ("Classes: -1: ",)),
    "labels with spaces": (lambda: labelled("not sure", "quite sure"), ("Classes: not sure: ",)),
    "26 classes": (letters, ("Proposed: letter", "A: 8, B: 8")),
    "constant and index columns": (useless_columns, ("Left out: id", "always (constant")),
    "duplicated headers": (twice_named, ("Column 2 is a second 'width': it is called 'width (2)' here.",)),
    "formulas": (formulas, ("Classes: =SUM(A1:A9): ",)),
}
REFUSED: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "empty": (b"", ("The file is empty.", "Choose a file with a line of names")),
    "a picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), ("PNG",)),
    "one class": (labelled("a", "a"), ("only one class",)),
}


def upload(page: Page, content: bytes | Path, name: str = "people.csv") -> None:
    page.get_by_test_id("stMain").get_by_text("Your own", exact=True).click()
    given = content if isinstance(content, Path) else {"name": name, "mimeType": "text/csv", "buffer": content}
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(given)


def seen(page: Page, words: str) -> None:
    expect(page.get_by_test_id("stMain").get_by_text(words).filter(visible=True).first).to_be_visible()


def compare(page: Page) -> None:
    """Compare, and see an accuracy."""
    button(page).click()
    expect(page.get_by_text(re.compile(r"ccuracy: \w+.* [\d.]+ %.*always '"))).to_be_visible()
    expect(page.get_by_test_id("stDataFrame").last).to_be_visible()


def button(page: Page) -> Locator:
    return page.get_by_role("button", name="Compare", exact=True)


@pytest.mark.parametrize("name", WORKING)
def test_a_file_that_works(open_page: Open, name: str) -> None:
    make, words = WORKING[name]
    page = open_page(QUICK)
    upload(page, make())
    for wanted in words:
        seen(page, wanted)
    compare(page)
    expect(page.get_by_role("button", name="Open on the stage")).to_be_enabled()
    assert "people" not in page.url


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_says_what_is_wrong(open_page: Open, name: str) -> None:
    content, words = REFUSED[name]
    page = open_page(QUICK)
    upload(page, content)
    for wanted in ("people.csv", *words):
        seen(page, wanted)
    expect(button(page)).to_be_disabled()


def test_a_target_of_many_numbers_is_asked_about(open_page: Open) -> None:
    page = open_page(QUICK)
    upload(page, float_target())
    seen(page, "which are not classes as they stand")
    expect(button(page)).to_be_disabled()
    page.get_by_text("Cut in two at a threshold").click()
    seen(page, "Classes: ≤ 0.304: 30, > 0.304: 30.")
    compare(page)


def test_ragged_lines_are_named_and_can_be_left_out(open_page: Open) -> None:
    page = open_page(QUICK)
    upload(page, ragged())
    seen(page, "line 5 has 5")
    page.get_by_text("Leave out lines with too many or too few cells").click()
    seen(page, "59 rows, 3 columns")
    compare(page)


def test_sixty_megabytes_are_read_and_compared_on_stated_rows(open_page: Open, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 12))
    block = "".join(",".join(f"{v:.5f}" for v in row) + f",{'ab'[int(row[0] > 0)]}\n" for row in X)
    header = ",".join(f"x{i}" for i in range(12)) + ",kind\n"
    path = tmp_path / "large.csv"
    path.write_text(header + block * (60 * 2**20 // len(block) + 1))
    assert path.stat().st_size >= 60 * 2**20
    page = open_page(
        "compare?data=moons&methods=svm,linearldm&view.repeats=1&view.parameters=defaults&view.landmarks=0"
    )
    page.set_default_timeout(120_000)
    upload(page, path)
    expect(
        page.get_by_text(re.compile(r"Kernel methods are fitted on 2,000 of about \d+,\d+ training rows"))
    ).to_be_visible(timeout=120_000)
    for more in ("Reference learners", "Thresholds and probabilities"):
        page.get_by_text(more, exact=True).click()
        rest(page)
    button(page).click()
    expect(page.get_by_text("always '", exact=False).first).to_be_visible(timeout=120_000)


def test_two_visitors_see_their_own_file_and_nothing_of_the_other(open_page: Open) -> None:
    first, second = open_page(QUICK), open_page(QUICK)
    upload(first, labelled("oak", "elm"), "trees.csv")
    upload(second, labelled("trout", "perch"), "fish.csv")
    compare(first)
    compare(second)
    for page, own, other in ((first, "trees.csv", ("fish", "trout")), (second, "fish.csv", ("trees", "oak"))):
        seen(page, own)
        for word in other:
            assert word not in page.get_by_test_id("stMain").inner_text()


def test_a_row_of_the_table_leads_to_the_row_in_the_file(open_page: Open) -> None:
    content = labelled("no", "yes")
    page = open_page(QUICK)
    upload(page, content)
    compare(page)
    page.get_by_text("Where does it fail?", exact=True).click()
    page.get_by_role("radio", name="Rows", exact=True).click()
    seen(page, "pick a row at its left edge")
    table = page.get_by_test_id("stDataFrame").last
    number = table.locator("td").first.text_content()
    table.click(position={"x": 16, "y": 52})
    seen(page, f"Row {number}")
    width, height, kind = content.decode().splitlines()[1 + int(number or "")].split(",")
    for cell in (kind, f"{float(width):g}", f"{float(height):g}"):
        expect(page.get_by_test_id("stDataFrame").last.locator("td", has_text=cell)).to_have_count(1)


def test_downloaded_tables_run_no_formula(open_page: Open) -> None:
    page = open_page(QUICK)
    upload(page, formulas())
    compare(page)
    expect(page.get_by_role("button", name="Search").first).to_be_attached()
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)  # Streamlit's own guards nothing
    page.get_by_text("Take it away", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Tables (CSV)").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        for name in archive.namelist():
            for row in csv.reader(io.StringIO(archive.read(name).decode("utf-8-sig"))):
                assert not [cell for cell in row if cell[:1] in "=@+" and cell], name
