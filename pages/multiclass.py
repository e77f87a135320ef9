"""Multi-class: mcODM beside the four multi-class SVMs, on the live stage."""

from mdcore.serving.stage_pages.multiclass import MULTICLASS
from mdcore.ui.frame import name_page
from mdcore.ui.stage.component import live_stage

name_page("Multi-class")
live_stage(MULTICLASS)
