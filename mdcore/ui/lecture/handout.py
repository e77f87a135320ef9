"""A lesson on paper: for the audience to take home, or, with the notes, for the lecturer."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from mdcore.export.web_page import web_page
from mdcore.ui.lecture.lesson import Lesson
from mdcore.ui.lecture.papers import tables_html

STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 12pt/1.45 Georgia, serif; color: #111;
  background: #fff; }
h1, h2 { font-family: system-ui, sans-serif; line-height: 1.2; }
section { break-inside: avoid; margin: 0 0 1.6rem; padding-top: .4rem; border-top: 1px solid #777; }
.question { padding: .5rem .8rem; background: #f0f2f1; font-family: system-ui, sans-serif; }
.answer { border-left: 3px solid #00785a; padding-left: .8rem; }
.notes { border: 1px dashed #555; padding: .5rem .8rem; font-style: italic; }
math { margin: .6rem 0; }
table { border-collapse: collapse; font: 9.5pt/1.3 system-ui, sans-serif; }
th, td { padding: .1rem .5rem; border-bottom: 1px solid #bbb; text-align: left; }
"""


def handout(lesson: Lesson, *, notes: bool) -> str:
    shown = lesson.shown()
    steps = "\n".join(_step(number, step, notes=notes) for number, step in enumerate(shown["steps"], start=1))
    title = f"{lesson.title}: speaker's notes" if notes else lesson.title
    head = f"<h1>{html.escape(title)}</h1>\n<p>{html.escape(str(shown.get('summary', '')))}</p>"
    return web_page(title, f"<main>\n{head}\n{steps}\n</main>", style=STYLE)


def _step(number: int, step: Mapping[str, Any], *, notes: bool) -> str:
    parts = [f"<h2>{number}. {html.escape(step['title'])}</h2>", *_paragraphs(step["text"]), step.get("formula", "")]
    if "question" in step:
        parts.append(_question(step["question"]))
    parts.append(f'<div class="answer">{"".join(_paragraphs(step["reveal"]["text"]))}</div>')
    parts += _paragraphs(step["reveal"]["try"])
    if "papers" in step:
        parts.append(tables_html(step["papers"]))
    if notes and step["notes"]:
        parts.append(f'<p class="notes">{html.escape(step["notes"])}</p>')
    parts.append(f"<p><small>The picture: <code>/?{html.escape(step['reveal']['state'])}</code></small></p>")
    return f"<section>{''.join(parts)}</section>"


def _paragraphs(texts: list[str]) -> list[str]:
    return [f"<p>{html.escape(text)}</p>" for text in texts]


def _question(question: Mapping[str, Any]) -> str:
    options = "".join(f"<li>{html.escape(option)}</li>" for option in question.get("options", ()))
    listed = f"<ul>{options}</ul>" if options else ""
    return f'<div class="question"><p>{html.escape(question["text"])}</p>{listed}</div>'
