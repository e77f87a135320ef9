"""The fits behind a picture that somebody waits for."""

from __future__ import annotations

from mdcore.experiment import Experiment
from mdcore.run import Run

LIVE, PATIENT = 2.0, 15.0  # seconds a solver may take before the picture is shown with what it has


def run_all(experiment: Experiment, budget: float = LIVE) -> tuple[dict[str, Run], dict[str, str]]:
    """Runs, and the reasons of the methods that cannot be fitted to these data."""
    runs, failures = {}, {}
    for key in experiment.methods:
        try:
            runs[key] = experiment.run_method(key, budget)
        except ValueError as error:
            failures[key] = str(error)
    return runs, failures
