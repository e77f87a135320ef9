"""A lesson as a printable page: a handout for the audience or, with the notes, for the lecturer."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

from mdcore.serving.lecture.lesson import Lesson
from mdcore.serving.lecture.papers import tables_html
from mdcore.serving.lecture.printed import printed_page
from mdcore.serving.lecture.questions import kind_of


def handout(lesson: Lesson, *, notes: bool) -> str:
    shown = lesson.shown()
    steps = "\n".join(_step(number, step, notes=notes) for number, step in enumerate(shown["steps"], start=1))
    title = f"{lesson.title}: speaker's notes" if notes else lesson.title
    head = f"<h1>{html.escape(title)}</h1>\n<p>{html.escape(str(shown.get('summary', '')))}</p>"
    return printed_page(title, f"{head}\n{steps}")


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
    options = "".join(f"<li>{html.escape(option)}</li>" for option in kind_of(question).listed(question))
    listed = f"<ul>{options}</ul>" if options else ""
    return f'<div class="question"><p>{html.escape(question["text"])}</p>{listed}</div>'
