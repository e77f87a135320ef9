"""The sensitivity page: any parameter, or any two, against any statistic."""
