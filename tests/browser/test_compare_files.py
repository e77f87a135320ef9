"""Uploads to the Compare page in a browser; test_odd_files_page has more files."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from pathlib import Path

import numpy as np
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.browser.forms import rest
from tests.odd_files import formulas, labelled, semicolons

QUICK = (
    "compare?data=moons&methods=svm,odm&several=one-versus-rest&view.compared=svm,odm&view.parameters=defaults"
    "&view.repeats=2"
)


def upload(page: Page, content: bytes | Path, name: str = "people.csv") -> None:
    page.get_by_test_id("stMain").get_by_text("Your own", exact=True).click()
    given = content if isinstance(content, Path) else {"name": name, "mimeType": "text/csv", "buffer": content}
    page.get_by_test_id("stFileUploaderDropzoneInput").set_input_files(given)


def seen(page: Page, words: str) -> None:
    expect(page.get_by_test_id("stMain").get_by_text(words).filter(visible=True).first).to_be_visible()


def compare(page: Page) -> None:
    """Press Compare once the file is read, and check that an accuracy is shown."""
    expect(page.get_by_text(re.compile(r"\.csv: \d+ rows, \d+ columns"))).to_be_visible()
    button(page).click()
    expect(page.locator(".st-key-headline")).to_contain_text(re.compile(r"ccuracy over \d+ splits.* Always ‘"))
    expect(page.locator(".board tr.base")).to_be_visible()


def button(page: Page) -> Locator:
    return page.get_by_role("button", name="Compare", exact=True)


def test_a_file_that_works(open_page: Open) -> None:
    page = open_page(QUICK)
    upload(page, semicolons())
    for wanted in ("semicolon", "Classes: herb: ", "Geschmack"):
        seen(page, wanted)
    compare(page)
    expect(page.get_by_role("button", name="Open on the stage")).to_be_enabled()
    assert "people" not in page.url


def test_a_file_that_says_what_is_wrong(open_page: Open) -> None:
    page = open_page(QUICK)
    upload(page, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)))
    for wanted in ("people.csv", "PNG"):
        seen(page, wanted)
    expect(button(page)).to_be_disabled()


def test_sixty_megabytes_are_read_and_compared_on_stated_rows(open_page: Open, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 12))
    block = "".join(",".join(f"{v:.16f}" for v in row) + f",{'ab'[int(row[0] > 0)]}\n" for row in X)
    header = ",".join(f"x{i}" for i in range(12)) + ",kind\n"
    path = tmp_path / "large.csv"
    path.write_text(header + block * (60 * 2**20 // len(block) + 1))
    assert path.stat().st_size >= 60 * 2**20
    page = open_page(
        "compare?data=moons&methods=svm,linearldm&view.compared=svm,linearldm,logistic&view.repeats=1"
        "&view.parameters=defaults&view.landmarks=0"
    )
    upload(page, path)
    expect(page.get_by_text(re.compile(r"Of about [\d,]+ training rows, SVM uses 2,000 rows"))).to_be_visible()
    page.get_by_text(re.compile("^More: ")).click()
    page.get_by_text("Thresholds and probabilities", exact=True).click()
    rest(page)
    button(page).click()
    expect(page.locator(".board tr.base")).to_be_visible()


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
    seen(page, "select a row at its left edge")
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
    page.get_by_text("Is it real?", exact=True).click()
    expect(page.get_by_role("button", name="Search").first).to_be_attached()
    expect(page.get_by_role("button", name="Download as CSV")).to_have_count(0)  # Streamlit's own guards nothing
    page.get_by_text("Take it away", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Tables (CSV)").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        for name in archive.namelist():
            for row in csv.reader(io.StringIO(archive.read(name).decode("utf-8-sig"))):
                assert not [cell for cell in row if cell[:1] in "=@+" and cell], name
