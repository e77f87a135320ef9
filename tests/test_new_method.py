"""A new method needs one file and one name; everything else comes from its record."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process
ROOT = Path(__file__).parents[1]
METHODS = ROOT / "mdcore" / "methods"

FILE = '''
"""A soft-margin machine under another name."""

from dataclasses import dataclass, replace

from mdcore.methods import svm
from mdcore.methods.svm import SVM


@dataclass(eq=False, repr=False)
class GentleSVM(SVM):
    """The SVM with a low price."""

    C: float = 0.5


METHOD = replace(
    svm.METHOD,
    key="gentle",
    name="Gentle SVM",
    summary="The SVM with a low price of errors.",
    estimator=GentleSVM,
    color="#123456",
    bound="What it promises stands here.",
)
'''

# The package of methods is an edited list over the real files, so that no machine code is compiled again.
FIND = """
import json, sys, warnings
from importlib.util import module_from_spec, spec_from_file_location

warnings.simplefilter("ignore")
folder, real = sys.argv[1:]
import mdcore
spec = spec_from_file_location("mdcore.methods", f"{folder}/__init__.py", submodule_search_locations=[folder, real])
sys.modules["mdcore.methods"] = mdcore.methods = module_from_spec(spec)
spec.loader.exec_module(mdcore.methods)

from streamlit.testing.v1 import AppTest
from mdcore import Experiment
from mdcore.study import Candidate, Plan, compare
from mdcore.sweep import Axis, Sweep, SweepTable, axis_params, points
from mdcore.testing import check_method
from mdcore.serving.stage.catalog import catalog
from mdcore.serving.stage.live import run_all
from tests.readme import table

experiment = Experiment.from_query("data=moons&n=60&methods=gentle,svm")
check_method(mdcore.GentleSVM(), scikit_learn=False)
method = next(method for method in catalog()[1]["methods"] if method["key"] == "gentle")
sweep = Sweep(experiment, (Axis("gentle.C", (0.5, 2.0)),), repeats=1)
found = [result for result in points(sweep) if result.method == "gentle"]
X, y = experiment.prepare().X_train, experiment.prepare().y_train
plan = Plan((Candidate.fixed("gentle"),), repeats=2, kernel=experiment.kernel)
from sklearn.preprocessing import StandardScaler
page = AppTest.from_file("pages/methods.py", default_timeout=300)
page.query_params["method"] = "gentle"
page.run()
print(json.dumps({
    "drawn": list(run_all(experiment)[0]),
    "sliders": [param["name"] for param in method["params"]],
    "axes": list(axis_params(experiment)),
    "bounds": [result.statistics["loo_bound"] for result in found],
    "statistics": [result.statistics["train.mean"] for result in found],
    "compared": compare(X, y, StandardScaler(), plan).spread("gentle", "accuracy").mean,
    "page": [text.value for text in (*page.header, *page.markdown)],
    "readme": table(),
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict:
    folder = tmp_path_factory.mktemp("methods")
    (folder / "gentle.py").write_text(FILE)
    names = (METHODS / "__init__.py").read_text()
    (folder / "__init__.py").write_text(
        names.replace("    fmm,\n", "    fmm,\n    gentle,\n").replace("*(svm,", "*(svm, gentle,")
    )
    done = subprocess.run(
        [sys.executable, "-c", FIND, str(folder), str(METHODS)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_it_is_drawn_with_its_slider(found: dict) -> None:
    assert found["drawn"] == ["gentle", "svm"]
    assert found["sliders"] == ["gentle.C"]


def test_it_can_be_swept_and_has_its_statistics(found: dict) -> None:
    assert {"gentle.C", "C"} <= set(found["axes"])
    assert len(set(found["statistics"])) == 2
    assert all(bound > 0.0 for bound in found["bounds"])


def test_it_is_compared(found: dict) -> None:
    assert 0.5 < found["compared"] <= 1.0


def test_the_reference_and_the_readme_have_its_record(found: dict) -> None:
    assert "Gentle SVM" in found["page"]
    assert "What it promises stands here." in found["page"]
    assert "| `GentleSVM` | Gentle SVM | The SVM with a low price of errors. |" in found["readme"]
