"""The Sensitivity page: one or two parameters of any kind against any statistic."""
