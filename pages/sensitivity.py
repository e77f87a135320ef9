"""Sensitivity: any parameter against any statistic."""

from mdcore.ui.frame import name_page, require_frame
from mdcore.ui.pages.sensitivity.page import sensitivity_page

require_frame()
name_page("Sensitivity")
sensitivity_page()
