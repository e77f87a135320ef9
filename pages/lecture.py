"""Lecture: the story of margin distributions, step by step, with an audience."""

from mdcore.ui.frame import name_page
from mdcore.ui.pages.lecture.page import lecture_page

name_page("Lecture")
lecture_page()
