"""The controls of the page. Their values last as long as the session."""

from __future__ import annotations

from mdcore.ui.shared.controls import Controls

CONTROLS = Controls("compare")
key_of = CONTROLS.key
ask = CONTROLS.ask
ask_toggle = CONTROLS.ask_toggle
ask_kernel = CONTROLS.ask_kernel
put = CONTROLS.put
