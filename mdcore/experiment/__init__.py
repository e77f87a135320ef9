"""Experiments: from a query string to the runs of methods on data."""

from mdcore.experiment.experiment import Experiment
from mdcore.experiment.query import KernelKey

__all__ = ["Experiment", "KernelKey"]
