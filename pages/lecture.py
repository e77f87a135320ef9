"""Lecture: the story of margin distributions, step by step, with an audience."""

from mdcore.serving.stage_pages.lecture import LECTURE
from mdcore.ui.frame import name_page
from mdcore.ui.stage.component import live_stage

name_page("Lecture")
live_stage(LECTURE, "lecture")
