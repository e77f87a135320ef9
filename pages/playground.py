"""The playground: the live stage, and nothing else."""

from mdcore.ui.frame import require_frame
from mdcore.ui.stage import live_stage

require_frame()
live_stage()
