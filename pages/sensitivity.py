"""Sensitivity: any parameter against any statistic."""

from mdcore.ui.frame import name_page
from mdcore.ui.pages.sensitivity.page import sensitivity_page

name_page("Sensitivity")
sensitivity_page()
