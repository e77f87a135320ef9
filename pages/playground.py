"""Playground: the live stage alone."""

from mdcore.ui.frame import name_page
from mdcore.ui.stage.component import live_stage
from mdcore.ui.workarounds.pages_manager import require_frame

require_frame()
name_page("Playground")
live_stage()
