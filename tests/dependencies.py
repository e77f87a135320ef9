"""Checks that dependencies are declared, pinned, installed as pinned, and under a known licence.

.venv/bin/python -m tests.dependencies prints a line for each; `make audit` also looks for known vulnerabilities.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
RUNS = ("app", "dask")  # extras that the product needs
INSTALLED = (*RUNS, "test", "lint")  # installed by `make test`
PARTS = ("app.py", "frame.py", "pages", "mdcore")  # of the product
OWN = {"mdcore", "tests", "benchmarks"}
ON_DEMAND = {"atheris"}  # `make fuzz` installs it
OF_PYTHON = {"setuptools"}  # virtual environments of Python 3.11 come with an older version than the pinned one
# All permit use, modification and redistribution; Mozilla's require that changes to the licensed files are published.
LICENCES = re.compile(
    r"(License :: OSI Approved :: )?(\(?3-Clause )?"
    r"(MIT(-0|-CMU)?|BSD([- ][23]-Clause)?|0BSD|Apache([- ](Software|2\.0))*|ISC|PSF-2\.0|MPL-2\.0|Zlib|CC0-1\.0"
    r"|Mozilla Public License 2\.0|LLVM-exception)( Licen[cs]e)?( 2\.0)?( \((ISCL|MIT|MPL 2\.0)\))?"
)


@dataclass(frozen=True)
class Installed:
    name: str
    version: str
    licence: str

    @property
    def licence_is_known(self) -> bool:
        return all(LICENCES.fullmatch(part.strip()) for part in re.split(r" AND | OR | WITH ", self.licence))


def pins(text: str) -> dict[str, str]:
    """Return the version of each package in a constraints file; raise ValueError for a missing or duplicate version."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        if not (line := line.partition("#")[0].strip()):
            continue
        name, equal, version = line.partition("==")
        if not equal or not re.fullmatch(r"[\w.!+-]+", version):
            raise ValueError(f"{line!r} pins no version. Write name==version.")
        if canonicalize_name(name) in found:
            raise ValueError(f"{name} is pinned twice. Keep one line.")
        found[canonicalize_name(name)] = version
    return found


def declared(extras: Sequence[str] = ()) -> list[Requirement]:
    """Return the requirements in pyproject.toml, including those of the given extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(line for extra in extras for line in project["optional-dependencies"][extra])]
    return [Requirement(line) for line in lines]


def build_requirements() -> list[str]:
    """Return the build requirements, which pip installs in isolation and without constraints."""
    return list(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"])


def needed(first: Sequence[Requirement]) -> dict[str, Installed]:
    """Return the installed distributions that requirements need, recursively.

    Raise LookupError if one is missing or has the wrong version.
    """
    found: dict[str, Installed] = {}
    waiting, seen = [*first], set()
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        try:
            there = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            raise LookupError(f"{requirement} is needed and not installed.") from None
        if not requirement.specifier.contains(there.version, prereleases=True):
            raise LookupError(f"{requirement} is needed and {there.version} is installed.")
        found[name] = Installed(name, there.version, _licence(there))
        for extra in ("", *requirement.extras):
            if (name, extra) in seen:
                continue
            seen.add((name, extra))
            for line in there.requires or ():
                inner = Requirement(line)
                if inner.marker is None or inner.marker.evaluate({"extra": extra}):
                    waiting.append(inner)
    return found


def _licence(there: metadata.Distribution) -> str:
    told = there.metadata
    classes = [line for line in told.get_all("Classifier") or () if line.startswith("License :: OSI Approved ::")]
    stated = told.get("License-Expression") or " OR ".join(classes) or told.get("License") or ""
    files = [file for file in there.files or () if file.name in told.get_all("License-File", ())]
    return (stated or (files[0].read_text() if files else "")).strip().partition("\n")[0]


def imported(paths: Sequence[str]) -> dict[str, str]:
    """Return the third-party modules that files import, each with one of the files."""
    found: dict[str, str] = {}
    for path in _files(paths):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for module in _modules(node):
                top = module.partition(".")[0]
                if top not in sys.stdlib_module_names and top not in OWN:
                    found[top] = str(path.relative_to(ROOT))
    return found


def _files(paths: Sequence[str]) -> Iterator[Path]:
    for path in paths:
        yield from [ROOT / path] if path.endswith(".py") else sorted((ROOT / path).rglob("*.py"))


def _modules(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []


@cache
def owners_of_modules() -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


def undeclared(modules: dict[str, str], requirements: Sequence[Requirement]) -> list[str]:
    """Return a line for each imported module whose distribution is not among the requirements."""
    names = {canonicalize_name(requirement.name) for requirement in requirements}
    owners = owners_of_modules()
    return [
        f"{module}, imported by {path}"
        for module, path in sorted(modules.items())
        if not names & {canonicalize_name(owner) for owner in owners.get(module, [module])}
    ]


def off_the_pins(pinned: Mapping[str, str], installed: Mapping[str, Installed]) -> dict[str, str]:
    """Return the packages whose installed version differs from the pinned one, with the installed version."""
    return {
        name: one.version
        for name, one in sorted(installed.items())
        if name not in OF_PYTHON and pinned.get(name) != one.version
    }


if __name__ == "__main__":
    there = needed(declared(INSTALLED))
    wrong = off_the_pins(pins((ROOT / "constraints.txt").read_text(encoding="utf-8")), there)
    unknown = [name for name, one in there.items() if not one.licence_is_known]
    for _, one in sorted(there.items()):
        print(f"{one.name:28}{one.version:18}{one.licence}")
    if wrong or unknown:
        sys.exit(f"Not as constraints.txt pins them: {wrong}. Under a licence that is not known: {unknown}.")
