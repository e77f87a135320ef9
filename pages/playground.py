"""The playground: the live stage, and nothing else."""

from mdcore.ui.stage import live_stage

live_stage()
