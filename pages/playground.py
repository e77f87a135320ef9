"""The playground: the live stage, and nothing else."""

from mdcore.ui.frame import name_page, require_frame
from mdcore.ui.stage.component import live_stage

require_frame()
name_page("Playground")
live_stage()
