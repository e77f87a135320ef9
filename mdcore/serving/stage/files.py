"""The files into which a picture can be exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mdcore.experiment import Experiment
from mdcore.experiment.run import Run
from mdcore.export.state import figures_page, margins_csv, state_notebook, state_script
from mdcore.narrative import sentence

Runs = Mapping[str, Run]
Maker = Callable[[Experiment, Runs], str]


def _words(experiment: Experiment, runs: Runs) -> str:
    return sentence(None, (experiment, runs))


# File name -> (media type, function that returns the text).
FILES: dict[str, tuple[str, Maker]] = {
    "margins.csv": ("text/csv", lambda experiment, runs: "\ufeff" + margins_csv(runs)),
    "figures.html": ("text/html", lambda experiment, runs: figures_page(runs, _words(experiment, runs))),
    "picture.py": ("text/x-python", lambda experiment, runs: state_script(experiment, [*runs])),
    "picture.ipynb": (
        "application/x-ipynb+json",
        lambda experiment, runs: state_notebook(experiment, [*runs], _words(experiment, runs)),
    ),
}
