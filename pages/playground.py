"""Playground: the live stage alone."""

from mdcore.ui.frame import name_page
from mdcore.ui.stage.component import live_stage

name_page("Playground")
live_stage()
