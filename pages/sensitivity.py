"""Sensitivity: any parameter against any statistic."""

from mdcore.ui.sensitivity import sensitivity_page

sensitivity_page()
