"""Every page built on the stage, by the name under which the browser asks for its pictures."""

from __future__ import annotations

from mdcore.serving.stage.stage_page import PLAYGROUND
from mdcore.serving.stage_pages.lecture import LECTURE
from mdcore.serving.stage_pages.multiclass import MULTICLASS
from mdcore.serving.stage_pages.online import ONLINE

STAGE_PAGES = {page.key: page for page in (PLAYGROUND, MULTICLASS, ONLINE, LECTURE)}
