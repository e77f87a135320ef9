"""Sensitivity: any parameter against any statistic."""

from mdcore.ui.frame import require_frame
from mdcore.ui.sensitivity.page import sensitivity_page

require_frame()
sensitivity_page()
