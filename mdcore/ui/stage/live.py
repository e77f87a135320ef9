"""The fits behind an interactive picture."""

from __future__ import annotations

from dataclasses import replace

from mdcore.experiment import MAX_EXACT_ROWS, Experiment
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import is_one_versus_rest
from mdcore.run import Run

LIVE, PATIENT = 2.0, 15.0  # seconds after which a picture is shown with the iterates reached so far
PREVIEW = 2500  # training rows used while a slider is dragged, if there are more than MAX_EXACT_ROWS


def shown_while_dragged(experiment: Experiment) -> Experiment:
    """Return the experiment to compute during a drag: a sample if there are many rows."""
    return experiment.preview(PREVIEW) if len(experiment.prepare().y_train) > MAX_EXACT_ROWS else experiment


def run_all(experiment: Experiment, budget: float = LIVE) -> tuple[dict[str, Run], dict[str, str]]:
    """Return the runs by method, and the reasons for methods that cannot be fitted. Methods share the budget
    equally."""
    runs, failures = {}, {}
    share = budget / len(experiment.methods)
    for key in experiment.methods:
        try:
            is_one_versus_rest(METHODS[key], experiment.classes, experiment.several)  # its error comes first
            _check_size(experiment, key)
            runs[key] = experiment.run_method(key, share)
        except ValueError as error:
            failures[key] = str(error)
    return runs, failures


def _check_size(experiment: Experiment, method: str) -> None:
    if experiment.sample is not None:
        experiment = replace(experiment, sample=None)
    m = len(experiment.prepare().y_train)
    record = METHODS[method]
    if record.kernels and m > MAX_EXACT_ROWS and not record.landmarks:
        others = [other.name for other in METHODS.values() if other.kernels and other.landmarks]
        raise ValueError(
            f"{m:,} training examples are too many for the kernel matrix of an interactive picture: use at most "
            f"{MAX_EXACT_ROWS:,}, or a method that supports landmarks, such as {', '.join(others[:3])}."
        )
