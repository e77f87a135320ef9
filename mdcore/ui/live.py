"""The fits behind a picture that somebody waits for."""

from __future__ import annotations

from mdcore.experiment import Experiment
from mdcore.run import Run

LIVE, PATIENT = 2.0, 15.0  # seconds the solvers of a picture may take before it is shown with what they have


def run_all(experiment: Experiment, budget: float = LIVE) -> tuple[dict[str, Run], dict[str, str]]:
    """Runs, and the reasons of the methods that cannot be fitted. Each has the same share of the budget."""
    runs, failures = {}, {}
    share = budget / len(experiment.methods)
    for key in experiment.methods:
        try:
            runs[key] = experiment.run_method(key, share)
        except ValueError as error:
            failures[key] = str(error)
    return runs, failures
