"""Rules about which module may import which, checked on the source without running it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from importlib.util import resolve_name
from itertools import pairwise
from pathlib import Path
from typing import TypeGuard

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Lowest first. A module imports from its own package and from those before it. The `__init__` of a package that has
# packages inside gathers them: it ranks with the last of these.
LAYERS = (
    "mdcore.solvers",
    "mdcore.basics",
    "mdcore.margins",
    "mdcore.spec",
    "mdcore.spaces",
    "mdcore.data",
    "mdcore.data.tables",
    "mdcore.data.sources",
    "mdcore.methods",
    "mdcore.methods.online",
    "mdcore.experiment",
    "mdcore.cluster",
    "mdcore.study",
    "mdcore.sweep",
    "mdcore.papers",
    "mdcore.testing",
    "mdcore.figures",
    "mdcore.export",
    "mdcore.narrative",
    "mdcore.commands",
    "mdcore",  # `__init__` and `__main__`
    "mdcore.serving",
    "mdcore.serving.jobs",
    "mdcore.serving.comparisons",
    "mdcore.serving.stage",
    "mdcore.serving.lecture.questions",
    "mdcore.serving.lecture",
    "mdcore.serving.room",
    "mdcore.serving.stage_pages",
    "mdcore.serving.web",
    "mdcore.ui.workarounds",
    "mdcore.ui.shared",
    "mdcore.ui.own_table",
    "mdcore.ui.stage",
    "mdcore.ui",
    "mdcore.ui.pages",
    "mdcore.ui.pages.compare",
    "mdcore.ui.pages.sensitivity",
    "mdcore.ui.pages.online",
    "mdcore.ui.pages.tables",
    "mdcore.ui.web",
    "pages",
    "frame",
    "app",
)
TOP = ("mdcore", "mdcore.__main__")
OURS = ("mdcore", "pages", "frame", "app", "tests", "benchmarks")
IMPORT_NAMES = {"scikit-learn": "sklearn"}  # where it differs from the name of the distribution


@dataclass(frozen=True)
class Import:
    """One import. `loads` says whether it runs when the importing module is loaded."""

    importer: str
    target: str
    path: str
    line: int
    loads: bool

    @property
    def top(self) -> str:
        return self.target.partition(".")[0]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.importer} imports {self.target}"


@dataclass(frozen=True)
class Modules:
    root: Path

    @cached_property
    def files(self) -> dict[str, Path]:
        """Return every module of the library, the pages and the app by name."""
        top = [self.root / "frame.py", self.root / "app.py"]
        paths = [*self.root.glob("mdcore/**/*.py"), *self.root.glob("pages/**/*.py"), *(p for p in top if p.exists())]
        return {module_name(path.relative_to(self.root)): path for path in sorted(paths)}

    @cached_property
    def imports(self) -> list[Import]:
        return [found for name in self.files for found in self._imports_of(name)]

    def _imports_of(self, name: str) -> Iterator[Import]:
        path = self.files[name]
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        for node, loads in import_nodes(ast.parse(path.read_text(encoding="utf-8")), loads=True):
            for target in dict.fromkeys(self._targets(node, package)):
                yield Import(name, target, path.relative_to(self.root).as_posix(), node.lineno, loads)

    def _targets(self, node: ast.stmt | ast.Call, package: str) -> Iterator[str]:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = resolve_name("." * node.level + (node.module or ""), package)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in self.files else base
        elif isinstance(node, ast.Call) and isinstance(node.args[0], ast.Constant):
            yield resolve_name(str(node.args[0].value), package)


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_nodes(node: ast.AST, loads: bool) -> Iterator[tuple[ast.stmt | ast.Call, bool]]:
    """Yield the import statements under `node`, and calls that import a module named by a literal."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom) or is_import_call(child):
            yield child, loads
        else:
            yield from import_nodes(child, loads and not is_put_off(child))


def is_import_call(node: ast.AST) -> TypeGuard[ast.Call]:
    if not isinstance(node, ast.Call) or not node.args:
        return False
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in ("import_module", "__import__")


def is_put_off(node: ast.AST) -> bool:
    """Return whether the code in `node` runs only after the module has been loaded, or only in the type checker."""
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def layer_of(module: str) -> int | None:
    package = module.rpartition(".")[0]
    inside = [number for number, name in enumerate(LAYERS) if f"{name}.".startswith(f"{module}.")]
    if module != "mdcore" and len(inside) > 1:
        return inside[-1]
    known = module if module in LAYERS else package
    return LAYERS.index(known) if known in LAYERS and (known != "mdcore" or module in TOP) else None


def declared(root: Path) -> set[str]:
    """Return the packages that `pip install .[app]`, and every other extra not meant for developers, installs."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = project["dependencies"] + [r for extra in extras if extra not in ("test", "lint") for r in extras[extra]]
    names = [requirement.partition(">")[0].partition("=")[0].strip() for requirement in wanted]
    return {IMPORT_NAMES.get(name, name.replace("-", "_")) for name in names}


# The rules. Each returns the violations, one line each.


def modules_without_a_layer(modules: Modules) -> list[str]:
    return [
        f"{path.relative_to(modules.root).as_posix()}:1: {name} stands in no layer; add it to LAYERS"
        for name, path in modules.files.items()
        if layer_of(name) is None
    ]


def upward_imports(modules: Modules) -> list[str]:
    offences = []
    for found in modules.imports:
        own, other = layer_of(found.importer), layer_of(found.target)
        if own is None or found.top not in OURS:
            continue
        if other is None:
            offences.append(f"{found}, which stands in no layer")
        elif other > own:
            offences.append(f"{found} of {LAYERS[other]}, which stands above {LAYERS[own]}")
    return offences


def cycles(modules: Modules) -> list[str]:
    edges = {
        (found.importer, found.target): found
        for found in modules.imports
        if found.loads and found.target in modules.files and found.target != found.importer
    }
    graph = TopologicalSorter[str]({name: [] for name in modules.files})
    for importer, target in edges:
        graph.add(importer, target)
    try:
        graph.prepare()
    except CycleError as error:
        names = error.args[1]  # each is imported by the next one
        return [str(edges[importer, target]) for target, importer in pairwise(names)]
    return []


def foreign_imports_of_solvers(modules: Modules) -> list[str]:
    """The module that compiles may also import the lock by which other processes wait for it."""
    allowed = {"numpy", "scipy", "numba", *sys.stdlib_module_names}
    return [
        str(found)
        for found in modules.imports
        if layer_of(found.importer) == 0
        and found.top not in allowed
        and layer_of(found.target) != 0
        and (found.importer, found.top) != ("mdcore.solvers.compiled", "filelock")
    ]


def streamlit_outside_the_interface(modules: Modules) -> list[str]:
    return [
        str(f)
        for f in modules.imports
        if f.top == "streamlit" and f.importer.partition(".")[0] == "mdcore" and not f.importer.startswith("mdcore.ui.")
    ]


def inner_modules_of_streamlit_outside_the_workarounds(modules: Modules) -> list[str]:
    public = ("streamlit", "streamlit.config", "streamlit.delta_generator")
    return [
        f"{f}: what Streamlit does not offer is a workaround"
        for f in modules.imports
        if f.top == "streamlit" and f.target not in public and not f.importer.startswith("mdcore.ui.workarounds.")
    ]


def plotly_outside_the_figures(modules: Modules) -> list[str]:
    return [
        str(f)
        for f in modules.imports
        if f.top == "plotly" and f.importer != "mdcore.figures" and not f.importer.startswith("mdcore.figures.")
    ]


def undeclared_imports(modules: Modules) -> list[str]:
    allowed = {*declared(modules.root), *OURS, *sys.stdlib_module_names}
    return [f"{f}, which pyproject.toml does not declare" for f in modules.imports if f.top not in allowed]


@pytest.fixture(scope="module")
def modules() -> Modules:
    return Modules(ROOT)


def test_the_modules_are_found(modules: Modules) -> None:
    assert {"mdcore", "mdcore.solvers", "mdcore.methods", "frame", "app"} <= modules.files.keys()
    assert any(found.target.startswith("mdcore.") for found in modules.imports)


def test_every_module_has_a_layer(modules: Modules) -> None:
    report(modules_without_a_layer(modules))


def test_every_layer_has_modules(modules: Modules) -> None:
    assert not [layer for layer in LAYERS if not any(f"{name}.".startswith(f"{layer}.") for name in modules.files)]


def test_imports_go_downward(modules: Modules) -> None:
    report(upward_imports(modules))


def test_no_import_cycle(modules: Modules) -> None:
    report(cycles(modules))


def test_solvers_import_only_numpy_scipy_and_numba(modules: Modules) -> None:
    report(foreign_imports_of_solvers(modules))


def test_streamlit_only_in_ui_pages_and_app(modules: Modules) -> None:
    report(streamlit_outside_the_interface(modules))


def test_inner_modules_of_streamlit_only_in_the_workarounds(modules: Modules) -> None:
    report(inner_modules_of_streamlit_outside_the_workarounds(modules))


def test_plotly_only_in_figures(modules: Modules) -> None:
    report(plotly_outside_the_figures(modules))


def test_every_imported_package_is_declared(modules: Modules) -> None:
    report(undeclared_imports(modules))


@pytest.mark.process
def test_importing_the_library_loads_no_web_dependency() -> None:
    loaded = python("import json, sys, mdcore; print(json.dumps([*sys.modules]))")
    unneeded = {"streamlit", "plotly", "cvxpy"} & set(json.loads(loaded))
    assert not unneeded, f"mdcore/__init__.py:1: `import mdcore` loads {', '.join(sorted(unneeded))}"


@pytest.mark.process
def test_importing_the_library_does_without_pandas() -> None:
    # scikit-learn loads pandas if it is installed, which would hide our own imports: make it unavailable.
    python("import sys; sys.modules['pandas'] = None; import mdcore")


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{code}\n{done.stderr}", pytrace=False)
    return done.stdout


def report(offences: list[str]) -> None:
    if offences:
        pytest.fail("\n" + "\n".join(offences), pytrace=False)


# Tests of the rules: each finds a planted violation, and names its file and line.

OFFENDERS: list[tuple[Callable[[Modules], list[str]], dict[str, str], str | None]] = [
    (modules_without_a_layer, {"mdcore/helpers.py": ""}, "mdcore/helpers.py:1"),
    (modules_without_a_layer, {"mdcore/solvers_old.py": ""}, "mdcore/solvers_old.py:1"),
    (modules_without_a_layer, {"mdcore/data/toys.py": "", "pages/playground.py": "", "frame.py": ""}, None),
    (upward_imports, {"mdcore/spec.py": "\nimport mdcore.experiment\n"}, "mdcore/spec.py:2"),
    (upward_imports, {"mdcore/data/__init__.py": "from ..methods import svm\n"}, "mdcore/data/__init__.py:1"),
    (upward_imports, {"mdcore/data/toys.py": "from .. import study\n", "mdcore/study.py": ""}, "toys.py:1"),
    (upward_imports, {"mdcore/spec.py": "def f():\n    from mdcore import ui\n", "mdcore/ui/__init__.py": ""}, ":2"),
    (upward_imports, {"mdcore/study.py": "from mdcore import LDM\n"}, "mdcore/study.py:1"),
    (upward_imports, {"mdcore/__init__.py": "from importlib import import_module\nimport_module('mdcore.ui')\n"}, ":2"),
    (upward_imports, {"mdcore/spec.py": "from tests import readme\n"}, "mdcore/spec.py:1"),
    (upward_imports, {"mdcore/study.py": "from mdcore.methods.svm import SVM\nimport numpy as np\n"}, None),
    (upward_imports, {"pages/compare.py": "from mdcore import METHODS\nfrom mdcore.ui import controls\n"}, None),
    (
        upward_imports,
        {"mdcore/data/tables/own.py": "from mdcore.data import split\n", "mdcore/data/__init__.py": ""},
        ":1",
    ),
    (upward_imports, {"mdcore/data/__init__.py": "from mdcore.data.tables import own\n"}, None),
    (upward_imports, {"mdcore/serving/web/x.py": "from mdcore.ui import y\n", "mdcore/ui/y.py": ""}, "web/x.py:1"),
    (cycles, {"mdcore/spec.py": "import mdcore.margin\n", "mdcore/margin.py": "import mdcore.spec\n"}, "margin.py:1"),
    (
        cycles,
        {
            "mdcore/methods/__init__.py": "from mdcore.methods import svm\n",
            "mdcore/methods/svm.py": "from mdcore.methods import METHODS\n",
        },
        "mdcore/methods/svm.py:1",
    ),
    (
        cycles,
        {
            "mdcore/spec.py": "def f():\n    import mdcore.margin\n",
            "mdcore/margin.py": "import mdcore.spec\nif TYPE_CHECKING:\n    import mdcore.data\n",
            "mdcore/data.py": "import mdcore.margin\n",
        },
        None,
    ),
    (foreign_imports_of_solvers, {"mdcore/solvers/qp.py": "import math\nimport sklearn.svm\n"}, "qp.py:2"),
    (foreign_imports_of_solvers, {"mdcore/solvers/qp.py": "from mdcore.spec import Param\n"}, "qp.py:1"),
    (
        foreign_imports_of_solvers,
        {"mdcore/solvers/qp.py": "import numba\nfrom .steps import f\n", "mdcore/solvers/steps.py": ""},
        None,
    ),
    (streamlit_outside_the_interface, {"mdcore/data/csv.py": "import streamlit as st\n"}, "mdcore/data/csv.py:1"),
    (streamlit_outside_the_interface, {"mdcore/ui/cache.py": "import streamlit\n", "app.py": "import streamlit"}, None),
    (
        inner_modules_of_streamlit_outside_the_workarounds,
        {"mdcore/ui/frame.py": "import streamlit as st\nfrom streamlit.runtime import Runtime\n"},
        "mdcore/ui/frame.py:2",
    ),
    (
        inner_modules_of_streamlit_outside_the_workarounds,
        {"mdcore/ui/workarounds/x.py": "from streamlit.runtime import Runtime\n", "app.py": "import streamlit as st\n"},
        None,
    ),
    (plotly_outside_the_figures, {"pages/playground.py": "import plotly.express as px\n"}, "pages/playground.py:1"),
    (plotly_outside_the_figures, {"mdcore/figures/margins.py": "import plotly.graph_objects as go\n"}, None),
    (undeclared_imports, {"mdcore/study.py": "import cvxpy\n"}, "mdcore/study.py:1"),
    (undeclared_imports, {"mdcore/study.py": "import joblib, sklearn.svm, pathlib\n"}, None),
]


@pytest.mark.parametrize(("rule", "files", "place"), OFFENDERS)
def test_a_rule_finds_its_offence_and_nothing_else(
    rule: Callable[[Modules], list[str]], files: dict[str, str], place: str | None, tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text(encoding="utf-8"), encoding="utf-8")
    for name, source in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, encoding="utf-8")
    offences = rule(Modules(tmp_path))
    if place is None:
        assert offences == []
    else:
        assert any(place in offence for offence in offences), offences
