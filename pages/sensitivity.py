"""Sensitivity: any parameter against any statistic."""

from mdcore.ui.frame import require_frame
from mdcore.ui.sensitivity import sensitivity_page

require_frame()
sensitivity_page()
