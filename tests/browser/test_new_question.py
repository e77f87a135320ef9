"""A new kind of question needs one module in Python, one in JavaScript and their names in two lists; everything else
finds it there: the schema, the room, phones, the lecture's page and the lesson maker."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from mdcore.serving.bundle import BROWSER
from mdcore.serving.lecture import questions
from tests.browser.server import ROOT, Server, serve
from tests.phones import Phone, joined

PYTHON = '''
"""Guess a number."""

from mdcore.serving.lecture.questions.kind import Kind, NoAnswer, is_number


def read(question, sent):
    if not is_number(sent):
        raise NoAnswer("an answer is a number.")
    return sent


KIND = Kind(
    name="guess",
    schema={"answer": {"type": "number"}},
    read=read,
    tally=lambda question, answers: {"guesses": sorted(answers)},
)
'''

JAVASCRIPT = """
import { number } from "../maker/fields.js";
import { h, setText } from "../shell/dom.js";

function ask(question, { give }) {
  const input = h("input", { type: "number", "aria-label": "Your guess", onchange: () => give(Number(input.value)) });
  const told = h("p", { class: "guesses" });
  return {
    element: h("div", {}, input, told),
    show({ answer, closed, truth, rounds }) {
      input.disabled = closed;
      setText(told, rounds.map(({ guesses }) => `All guesses: ${guesses.join(", ")}`).join());
      return closed ? `You were ${Math.abs(answer - truth)} away.` : "";
    },
  };
}

export const guess = {
  title: "guess a number",
  ask,
  truth: ({ answer }) => answer,
  fresh: () => ({ text: "How many?", answer: 0 }),
  form: (question, known, changed) => [number("The right number", question.answer, (value) => {
    question.answer = value;
    changed();
  })],
};
"""

# The package of questions is an edited list over the real files.
APP = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

folder, real, root = {folder!r}, {real!r}, {root!r}
sys.path.insert(0, root)
import mdcore.serving.bundle
import mdcore.serving.lecture

mdcore.serving.bundle.BROWSER = Path(folder, "browser")
name = "mdcore.serving.lecture.questions"
spec = spec_from_file_location(name, f"{{folder}}/__init__.py", submodule_search_locations=[folder, real])
sys.modules[name] = mdcore.serving.lecture.questions = module_from_spec(spec)
spec.loader.exec_module(mdcore.serving.lecture.questions)

import streamlit as st
from mdcore.ui.web import LIFESPAN, MIDDLEWARE

app = st.App(f"{{root}}/frame.py", middleware=MIDDLEWARE, lifespan=LIFESPAN)
"""

STATE = "data=moons&n=40&methods=svm"
LESSON = {
    "format": "margin-lab-lesson",
    "version": 1,
    "title": "Guessing",
    "steps": [
        {
            "title": "One",
            "state": STATE,
            "question": {"kind": "guess", "text": "How many errors?", "answer": 7},
            "reveal": {"state": f"{STATE}&svm.C=2"},
        }
    ],
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("questions")
    (folder / "guess.py").write_text(PYTHON)
    real = Path(questions.__file__).parent
    names = (real / "__init__.py").read_text()
    added = names.replace("import choice, curve,", "import choice, curve, guess,").replace(
        "(choice, curve,", "(choice, curve, guess,"
    )
    (folder / "__init__.py").write_text(added)
    shutil.copytree(BROWSER, folder / "browser")
    (folder / "browser" / "questions" / "guess.js").write_text(JAVASCRIPT)
    kinds = folder / "browser" / "questions" / "kinds.js"
    text = kinds.read_text().replace("import { points }", 'import { guess } from "./guess.js";\nimport { points }')
    kinds.write_text(text.replace("curve, points", "curve, guess, points"))
    (folder / "lessons").mkdir()
    (folder / "lessons" / "guessing.json").write_text(json.dumps(LESSON))
    script = folder / "app.py"
    script.write_text(APP.format(folder=str(folder), real=str(real), root=str(ROOT)))
    with serve(str(script), MARGIN_LAB_LESSONS=str(folder / "lessons")) as running:
        yield running


def test_it_is_voted_on_and_shown(server: Server, new_profile: BrowserContext) -> None:
    page = new_profile.new_page()
    page.goto(f"{server.address}/lecture?lesson=guessing")
    room = page.get_by_test_id("room")
    expect(room).to_have_attribute("data-join", re.compile("/join/"))
    join = f"/join{(room.get_attribute('data-join') or '').split('/join')[1]}"
    other = joined(server.address, join)
    assert other.vote(join, 1, 9).status == 200
    refused = other.vote(join, 1, "many")
    assert (refused.status, refused.json["error"]) == (422, "an answer is a number.")
    phone = new_profile.new_page()
    phone.goto(f"{server.address}{join}")
    phone.get_by_label("Your guess").fill("4")
    phone.get_by_label("Your guess").press("Enter")
    expect(phone.locator("#said")).to_contain_text("Counted")
    expect(room).to_have_attribute("data-votes", "2")
    page.bring_to_front()
    page.keyboard.press("o")
    expect(page.locator(".guesses")).to_have_text("All guesses: 4, 9")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("lecture")).to_have_attribute("data-phase", "reveal")
    expect(phone.locator("#said")).to_have_text("You were 3 away.")
    expect(phone.locator(".guesses")).to_have_text("All guesses: 4, 9")


def test_a_lesson_with_it_is_checked_and_made(server: Server, new_profile: BrowserContext) -> None:
    page = new_profile.new_page()
    asked = Phone(server.address)
    assert "guess" in asked.ask("GET", "/lessons/schema.json").json["$defs"]["question"]["properties"]["kind"]["enum"]
    broken = json.dumps(LESSON).replace('"answer": 7', '"answer": "seven"')
    assert "question" in asked.ask("POST", "/lessons/check", broken.encode()).json["error"]
    page.goto(f"{server.address}/lesson-maker?state={STATE.replace('&', '%26')}")
    page.get_by_label("What the audience does").select_option(label="guess a number")
    page.get_by_label("The right number").fill("12")
    page.get_by_label("The right number").blur()
    with page.expect_download() as download:
        page.get_by_role("button", name="Save").click()
    (step,) = json.loads(Path(download.value.path()).read_text())["steps"]
    assert step["question"] == {"kind": "guess", "text": "How many?", "answer": 12}
