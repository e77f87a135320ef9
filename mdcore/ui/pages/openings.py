"""Every page built on the stage, by the name under which the browser asks for its pictures."""

from __future__ import annotations

from mdcore.ui.pages.lecture.page import LECTURE
from mdcore.ui.pages.multiclass import MULTICLASS
from mdcore.ui.pages.online.scene import ONLINE
from mdcore.ui.stage.openings import PLAYGROUND

OPENINGS = {opening.key: opening for opening in (PLAYGROUND, MULTICLASS, ONLINE, LECTURE)}
