"""The pages built on the stage, each with its first picture and its own charts, by the name that the browser sends."""

from mdcore.serving.stage.stage_page import PLAYGROUND
from mdcore.serving.stage_pages.lecture import LECTURE
from mdcore.serving.stage_pages.multiclass import MULTICLASS
from mdcore.serving.stage_pages.online import ONLINE

STAGE_PAGES = {page.key: page for page in (PLAYGROUND, MULTICLASS, ONLINE, LECTURE)}
