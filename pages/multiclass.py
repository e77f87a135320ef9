"""Multi-class: mcODM beside the four multi-class SVMs, on the live stage."""

from mdcore.ui.frame import name_page, require_frame
from mdcore.ui.pages.multiclass import MULTICLASS
from mdcore.ui.stage.component import live_stage

require_frame()
name_page("Multi-class")
live_stage(MULTICLASS)
