"""The lecture in a browser: keys, answers, a room that follows, the lesson as one file."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from mdcore import Experiment
from mdcore.basics.text import short
from mdcore.serving.lecture.lesson import Lesson, read_lesson
from mdcore.serving.lecture.lesson_files import find_lesson
from mdcore.serving.lecture.offline import offline_html
from mdcore.serving.stage.message import decode
from mdcore.serving.stage_pages.lecture import picture_of
from tests.browser.conftest import Open
from tests.browser.forms import arrived
from tests.browser.server import Server
from tests.phones import Phone, joined

STEPS = len(find_lesson("margins").steps)
PROJECTOR = {"width": 1280, "height": 720}


FORMULAS_FIT = """() => [...document.querySelectorAll('.ml-lecture-formula')].every((one) => {
  const {right} = one.getBoundingClientRect();
  return [...one.querySelectorAll('math *')].every((part) => part.getBoundingClientRect().right <= right + 1);
})"""

# Pairs of pictures and tables that overlap.
OVERLAPS = """() => {
  const parts = [...document.querySelectorAll(
    '.ml-lecture :is(.ml-lecture-panel, .ml-lecture-chart, .ml-table-frame, .ml-lecture-bounds, .ml-lecture-controls)')]
    .filter((one) => one.checkVisibility()).map((one) => [one.className, one.getBoundingClientRect()]);
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
  return parts.flatMap(([name, a], at) =>
    parts.slice(at + 1).filter(([, b]) => meet(a, b)).map(([other]) => [name, other]));
}"""


# Elements that cover the slider of a file's path.
SCRUB_COVERED = """() => {
  const scrub = document.querySelector('[data-testid=scrub]');
  if (!scrub.checkVisibility()) return null;
  const {left, top, width, height} = scrub.getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  return there === scrub && !scrub.closest('[aria-hidden=true]') ? null : there.outerHTML;
}"""


def opened(open_page: Open, search: str = "", **options: Any) -> Page:
    page = open_page(f"lecture?{search}", **{"viewport": PROJECTOR, **options})
    at_rest(page)
    return page


def at_rest(page: Page) -> None:
    expect(page.get_by_test_id("lecture")).to_have_attribute("data-step", re.compile(r"\d+"))
    expect(page.get_by_test_id("stage")).to_have_attribute("data-busy", "false")


def at(page: Page, step: int, phase: str) -> None:
    lecture = page.get_by_test_id("lecture")
    expect(lecture).to_have_attribute("data-step", str(step))
    expect(lecture).to_have_attribute("data-phase", phase)
    expect(page.get_by_test_id("stage")).to_have_attribute("data-busy", "false")


def drawn(page: Page) -> Any:
    return json.loads(page.get_by_test_id("stage").get_attribute("data-drawn") or "{}")


def methods_in(picture: str) -> Any:
    """Return the methods in a picture for phones."""
    return decode(zlib.decompress(base64.b64decode(picture)))[0]["methods"]


def room_of(page: Page) -> str:
    room = page.get_by_test_id("room")
    expect(room).to_have_attribute("data-join", re.compile("/join/"))
    return (room.get_attribute("data-join") or "").split("/join")[1]


def test_the_lecture_is_walked_by_keys_to_its_end_and_a_reload_finds_the_step(open_page: Open) -> None:
    page = opened(open_page)
    assert page.get_by_test_id("lecture").get_attribute("data-steps") == str(STEPS)
    for step in range(1, STEPS + 1):
        at(page, step, "ask")
        page.keyboard.press("ArrowRight" if step % 2 else "PageDown")
        at(page, step, "reveal")
        assert not page.get_by_test_id("stage").get_attribute("data-error")
        page.keyboard.press("ArrowRight")
    at(page, STEPS, "reveal")
    page.keyboard.press("ArrowLeft")
    at(page, STEPS, "ask")
    page.keyboard.press("PageUp")
    at(page, STEPS - 1, "reveal")
    page.reload()
    at_rest(page)
    at(page, STEPS - 1, "reveal")


def test_an_answer_is_given_the_picture_revealed_and_played_with(open_page: Open) -> None:
    page = opened(open_page, "step=7")
    before = drawn(page)
    page.get_by_role("button", name="It falls below the SVM's").click()
    page.keyboard.press("ArrowRight")
    at(page, 7, "reveal")
    expect(page.get_by_text("Yes, that is it.")).to_be_visible()
    revealed = drawn(page)
    assert (before["ldm.lambda1"], revealed["ldm.lambda1"]) == (0, 256)
    field = page.locator("input[type=number][data-param='ldm.lambda1']")
    field.fill("16")
    field.press("Enter")
    expect(page.get_by_test_id("stage")).to_have_attribute("data-drawn", re.compile(r'"ldm.lambda1":16\b'))
    at(page, 7, "play")
    page.get_by_role("heading", name="Less variance").click()
    page.keyboard.press("ArrowLeft")
    at(page, 7, "reveal")
    expect(page.get_by_test_id("stage")).to_have_attribute("data-drawn", json.dumps(revealed, separators=(",", ":")))


def test_the_boundary_pictures_are_large_where_it_is_presented(open_page: Open) -> None:
    page = opened(open_page, "step=6")
    sizes = "all => all.map(one => Math.min(one.clientWidth, one.clientHeight))"
    boxes = page.get_by_test_id("boundary").evaluate_all(sizes)
    assert len(boxes) == 2
    assert min(boxes) >= 290
    assert page.get_by_test_id("cumulative").evaluate_all(sizes)[0] >= 290


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (390, 844)])
def test_no_formula_is_cut_and_no_picture_lies_on_another(open_page: Open, width: int, height: int) -> None:
    page = opened(open_page, viewport={"width": width, "height": height})
    for step in range(1, STEPS + 1):
        for phase in ("ask", "reveal"):
            at(page, step, phase)
            page.wait_for_function(FORMULAS_FIT)
            assert page.evaluate(OVERLAPS) == []
            page.keyboard.press("ArrowRight")


def test_a_term_opens_its_definition(open_page: Open) -> None:
    page = opened(open_page)
    page.get_by_role("button", name="cumulative margin curve").click()
    expect(page.get_by_role("dialog", name="cumulative margin curve")).to_contain_text("For every t, the share")


@pytest.mark.parametrize("path", ["", "lecture?step=2&phase=reveal"])
def test_heads_of_the_table_and_signs_of_the_panels_open_their_definitions(open_page: Open, path: str) -> None:
    page = open_page(path)
    expect(page.get_by_test_id("stage")).to_have_attribute("data-busy", "false")
    for name, words in [
        ("Statistics of the margins", page.locator(".ml-table thead th[title]").all_inner_texts()),
        ("Symbols in the pictures", page.locator(".ml-legend > span:has(canvas)").all_inner_texts()),
    ]:
        page.get_by_role("button", name=f"Help for {name}").click()
        told = page.get_by_role("dialog", name=name)
        terms = [word.strip() for word in told.locator("dt").all_inner_texts()]
        assert {word.strip() for word in words if "≤" not in word} <= set(terms)
        assert all(text.strip() for text in told.locator("dd").all_inner_texts())
        page.keyboard.press("Escape")


TYPE = "one => [parseFloat(getComputedStyle(one).fontSize), one.scrollWidth - one.clientWidth]"


def test_the_address_to_join_is_read_from_the_last_row(open_page: Open) -> None:
    page = opened(open_page)
    room = page.get_by_test_id("room")
    code = room_of(page)
    head, _ = room.get_by_text(code).first.evaluate(TYPE)
    assert head >= 0.03 * PROJECTOR["height"]
    room.get_by_role("button", name=re.compile("^Join")).click()
    dialog = page.get_by_role("dialog", name="Join the room")
    large, over = dialog.get_by_text(code).evaluate(TYPE)
    assert large >= 0.08 * PROJECTOR["height"]
    assert over <= 0
    for width, height in ((1280, 720), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        box = dialog.bounding_box()
        assert box is not None
        assert min(box["x"], box["y"]) >= 0
        assert (box["x"] + box["width"] <= width, box["y"] + box["height"] <= height) == (True, True)


def test_a_room_follows_the_lecture_and_the_screen_shows_the_votes_when_they_are_opened(
    server: Server, open_page: Open
) -> None:
    page = opened(open_page)
    join = f"/join{room_of(page)}"
    phones = [joined(server.address, join) for _ in range(3)]
    follower = joined(server.address, join)
    scenes = (told for name, told in follower.events(join) if name == "scene")
    assert [phone.vote(join, 1, option).status for phone, option in zip(phones, (0, 2, 2), strict=True)] == [200] * 3
    room = page.get_by_test_id("room")
    expect(room).to_have_attribute("data-votes", "3")
    bars = page.locator(".ml-count")
    expect(bars).to_have_count(0)
    page.keyboard.press("q")
    code = page.get_by_alt_text("QR code of the URL")
    expect(code).to_be_visible()
    assert code.evaluate("async image => (await image.decode(), image.naturalWidth)") > 100
    page.keyboard.press("q")
    page.keyboard.press("o")
    expect(bars.first).to_be_visible()
    assert bars.all_inner_texts() == ["1", "0", "2"]
    page.keyboard.press("ArrowRight")
    at(page, 1, "reveal")
    state = Phone(server.address)
    expect(page.get_by_test_id("lecture")).to_have_attribute("data-phase", "reveal")
    assert next(told for name, told in state.events(join) if name == "state" and told["closed"])["answer"] == 2
    assert phones[0].vote(join, 1, 1).status == 409
    assert methods_in(next(scenes)) == ["svm"]


def test_a_phone_has_the_first_picture_before_anything_moves(server: Server, open_page: Open) -> None:
    page = opened(open_page)
    follower = joined(server.address, f"/join{room_of(page)}")
    first = next(told for name, told in follower.events(f"/join{room_of(page)}") if name == "scene")
    assert methods_in(first) == ["svm"]
    at(page, 1, "ask")


def test_points_of_the_audience_are_put_into_the_picture(server: Server, open_page: Open) -> None:
    page = opened(open_page, "step=3")
    join = f"/join{room_of(page)}"
    presenter = Phone(server.address)
    assert next(told for name, told in presenter.events(join) if name == "state" and told["step"] == 3)
    for x in (-2.0, -3.0):
        assert joined(server.address, join).vote(join, 3, [x, 0.5]).status == 200
    expect(page.get_by_test_id("room")).to_have_attribute("data-votes", "2")
    page.keyboard.press("ArrowRight")
    at(page, 3, "reveal")
    lesson = find_lesson("margins")
    placed = "~".join(f"a_{x:.3f}_0.500_{(lesson.question(3) or {})['class']}" for x in (-3.0, -2.0))
    expected = Experiment.from_query(f"{lesson.states(3)[1]}&edits={placed}").run()["svm"].train
    assert expected.mean != Experiment.from_query(lesson.states(3)[1]).run()["svm"].train.mean
    shown = page.locator("[data-testid=stat][data-method=svm][data-split=train][data-stat=mean]")
    expect(page.get_by_text("the examples that the room placed: 2")).to_be_visible()
    expect(shown).to_have_attribute("data-value", re.compile(re.escape(f"{expected.mean:.9f}"[:9])))


def test_a_lesson_file_is_opened_and_a_broken_one_refused_with_its_line(open_page: Open) -> None:
    lesson = json.dumps({**find_lesson("online").content, "title": "Mine"}, indent=1)
    page = opened(open_page, own=True)
    page.get_by_role("button", name="Lesson", exact=True).click()
    broken = lesson.replace('"data=blobs', '"data=nothing', 1)
    line = broken[: broken.index("data=nothing")].count("\n") + 1
    file = page.get_by_label("Lesson file")
    file.set_input_files({"name": "x.json", "mimeType": "application/json", "buffer": broken.encode()})
    refusal = page.get_by_role("dialog", name="Lesson").get_by_role("alert")
    expect(refusal).to_contain_text(f"Line {line}: step 1, state")
    pictures: list[Route] = []
    rooms: list[Route] = []
    page.route("**/stage/picture", lambda route: pictures.append(route), times=1)  # the page opens on another lesson
    page.route("**/rooms", lambda route: rooms.append(route))
    file.set_input_files({"name": "x.json", "mimeType": "application/json", "buffer": lesson.encode()})
    expect(page.get_by_text("Mine", exact=True)).to_be_visible()
    arrived(page, pictures)
    pictures[0].continue_()
    expect(page.get_by_test_id("stage")).to_have_attribute("data-drawn", re.compile("pumma.delta"))
    arrived(page, rooms)
    with page.expect_request("**/stage/picture?room=*"):  # once more, for the phones
        rooms[0].continue_()
    at_rest(page)
    assert "pumma.delta" in drawn(page)


@pytest.mark.parametrize(("width", "height", "scheme"), [(390, 844, "dark"), (1280, 800, "light")])
def test_the_page_fits_its_window_and_every_control_has_a_name(
    open_page: Open, width: int, height: int, scheme: str
) -> None:
    page = opened(
        open_page, "read=1&step=9&phase=reveal", viewport={"width": width, "height": height}, color_scheme=scheme
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page.get_by_test_id("room")).to_have_count(0)
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll('.ml-lecture :is(button, input, select, canvas[role=img])')]
        .filter(one => one.checkVisibility() && !one.ariaLabel && !one.title && !one.textContent.trim()
          && !one.labels?.length).map(one => one.outerHTML)"""
    )
    assert not unnamed
    page.locator(".ml-lecture-words").evaluate("words => { words.scrollTop = words.scrollHeight; }")
    expect(page.locator(".ml-lecture-title")).to_be_in_viewport(ratio=1)


def test_the_lecture_in_one_file_is_walked_without_a_network(browser: Browser, tmp_path: Path) -> None:
    tables = [{"paper": "ldm-2014", "table": 2, "methods": ["svm", "ldm"]}]
    papers = {
        "title": "Tables",
        "state": "data=moons&n=40&methods=ldm&ldm.lambda1=0",
        "reveal": {"state": "data=moons&n=40&methods=ldm&ldm.lambda1=16", "try": ["Press the button."]},
        "views": ["cumulative", "papers"],
        "tables": tables,
        "keep": ["scale"],
    }
    online = find_lesson("online").content
    lesson = read_lesson(json.dumps({**online, "steps": [papers, *online["steps"]]}))
    path = tmp_path / "lecture.html"
    path.write_text(offline_html(lesson, picture_of), encoding="utf-8")
    context = browser.new_context(viewport=PROJECTOR, offline=True)
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: asked.append(str(error)))
    page.goto(path.as_uri())
    for step in range(1, len(lesson.steps) + 1):
        at(page, step, "ask")
        before = page.get_by_test_id("stage").get_attribute("data-drawn") or ""
        page.keyboard.press("ArrowRight")
        at(page, step, "reveal")
        expect(page.get_by_test_id("stage")).not_to_have_attribute("data-drawn", before)
        told = page.locator(".ml-verdict[role=status]")
        for asked_here in filter(None, [lesson.shown()["steps"][step - 1].get("question")]):
            expect(told).to_have_text(f"The right answer: {asked_here['options'][asked_here['answer']]}.")
        assert page.evaluate(OVERLAPS) == []
        assert page.evaluate(SCRUB_COVERED) is None
        if step == 1:
            check_papers_and_scale(page, lesson)
        page.keyboard.press("ArrowRight")
    at(page, len(lesson.steps), "reveal")
    expect(page.get_by_role("link")).to_have_count(0)
    expect(page.get_by_role("button", name="Export", exact=True)).to_have_count(0)  # most of its items need the server
    scrub = page.get_by_test_id("scrub")
    expect(scrub).to_be_visible()
    before = drawn(page)
    expect(page.locator("output.ml-scrub-value")).to_have_text(short(before["pumma.delta"]))
    scrub.focus()
    scrub.press("End")
    at(page, len(lesson.steps), "play")
    expect(page.get_by_test_id("stage")).not_to_have_attribute("data-drawn", json.dumps(before, separators=(",", ":")))
    assert drawn(page)["pumma.delta"] > before["pumma.delta"]
    context.close()
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]


def check_papers_and_scale(page: Page, lesson: Lesson) -> None:
    """Assert that the file suggests nothing it cannot do, and can switch the scale."""
    first = lesson.shown()["steps"][0]["papers"]["rows"][0]["cells"][0]
    cell = page.get_by_test_id("papers").locator("tbody td").first
    expect(cell.locator("b")).to_have_text(first["ours"])
    expect(cell.locator("span")).to_have_text(first["printed"])
    expect(page.get_by_text("Press the button.")).to_have_count(0)
    page.get_by_role("button", name="Export the tables").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Figures of the tables (CSV)").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.split() == lesson.shown()["steps"][0]["papers"]["files"][0]["text"].split()
    page.get_by_test_id("scrub").press("End")
    expect(page.locator("output.ml-scrub-value")).to_have_text("functional")
    expect(page.get_by_role("img", name="Cumulative functional margins")).to_be_visible()
    page.get_by_test_id("scrub").evaluate("slider => slider.blur()")


def test_the_whole_lecture_fits_into_one_file(server: Server) -> None:
    saved = Phone(server.address).ask("GET", "/lessons/margins/offline")
    assert saved.status == 200
    assert 1e5 < len(saved.body) <= 15e6


def test_a_hand_out_is_printed_with_and_without_notes(server: Server) -> None:
    phone = Phone(server.address)
    plain, noted = (phone.ask("GET", f"/lessons/margins/handout{more}").body.decode() for more in ("", "?notes=1"))
    for step in find_lesson("margins").steps:
        assert step["title"] in plain.replace("&#x27;", "'")
        assert step["notes"] in noted.replace("&#x27;", "'")
        assert step["notes"] not in plain.replace("&#x27;", "'")
    assert "<math" in plain


def test_an_embedded_lecture_has_no_chrome_and_opens_no_room(open_page: Open) -> None:
    page = opened(open_page, "embed=true&step=2")
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    expect(page.get_by_test_id("room")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    at(page, 2, "reveal")
    assert "embed=true" in page.url


def test_a_step_is_described_by_itself_and_its_reveal_as_a_change(open_page: Open) -> None:
    page = open_page("lecture?step=5&phase=reveal")
    at(page, 5, "reveal")
    sentence = page.get_by_test_id("sentence")
    page.keyboard.press("ArrowRight")
    at(page, 6, "ask")
    expect(sentence).to_have_text(re.compile("^On the geometric scale SVM has the larger mean"))
    page.keyboard.press("ArrowRight")
    at(page, 6, "reveal")
    expect(sentence).to_have_text(re.compile("^LDM, λ₂ 0 → 256: "))
