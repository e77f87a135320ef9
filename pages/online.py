"""Online: learners side by side on one stream, update by update, above the paper's learning curves and Table 1."""

from mdcore.serving.stage_pages.online import ONLINE
from mdcore.ui.frame import name_page
from mdcore.ui.pages.online.learning import learning_section
from mdcore.ui.pages.online.margin_table import table_section
from mdcore.ui.stage.component import live_stage

name_page("Online")
live_stage(ONLINE)
learning_section()
table_section()
