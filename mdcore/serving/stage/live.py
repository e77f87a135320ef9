"""The fits behind an interactive picture."""

from __future__ import annotations

from mdcore.experiment import Experiment
from mdcore.experiment.picture_fits import PICTURE_SECONDS
from mdcore.experiment.run import Run
from mdcore.methods import METHODS
from mdcore.methods.one_versus_rest import is_one_versus_rest

# Seconds after which a picture is shown with the iterates reached so far.
LIVE, PATIENT = PICTURE_SECONDS, 15.0
PREVIEW, PREVIEWED = 2500, 3500  # training rows used while a slider is dragged, and the number from which they are


def shown_while_dragged(experiment: Experiment) -> Experiment:
    """Return the experiment to compute during a drag: a sample if there are many rows."""
    return experiment.preview(PREVIEW) if experiment.training_rows > PREVIEWED else experiment


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
    """Raise ValueError if even a patient visitor would not see the fit end."""
    record = METHODS[method]
    refusal = experiment.case.refusal(record, experiment.within(method), PATIENT)
    if not refusal:
        return
    others = [other.name for other in METHODS.values() if other.kernels and other.landmarks]
    way = f"a method that supports landmarks, such as {', '.join(others[:3])}"
    if record.landmarks:
        way = "landmarks, by leaving “within” out of the address"
    raise ValueError(f"{refusal}. Use fewer, or {way}.")
