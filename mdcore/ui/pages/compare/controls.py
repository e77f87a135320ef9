"""The controls of the page. Their values last as long as the session."""

from __future__ import annotations

from mdcore.ui.shared.controls import Controls

CONTROLS = Controls("compare")
