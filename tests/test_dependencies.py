"""Dependencies are declared, pinned, installed as pinned, and under known licences."""

from __future__ import annotations

import json
import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.dependencies import (
    INSTALLED,
    OF_PYTHON,
    ON_DEMAND,
    PARTS,
    ROOT,
    RUNS,
    Installed,
    build_requirements,
    declared,
    imported,
    needed,
    off_the_pins,
    owners_of_modules,
    pins,
    undeclared,
)

CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def installed() -> dict[str, Installed]:
    return needed(declared(INSTALLED))


@pytest.fixture(scope="module")
def of_the_product() -> dict[str, str]:
    return imported(PARTS)


def test_whatever_is_imported_is_declared(of_the_product: dict[str, str]) -> None:
    assert undeclared(of_the_product, declared(RUNS)) == []
    others = {name: path for name, path in imported(["tests", "benchmarks"]).items() if name not in ON_DEMAND}
    assert undeclared(others, declared(INSTALLED)) == []


def test_whatever_the_product_declares_it_imports(of_the_product: dict[str, str]) -> None:
    owners = owners_of_modules()
    used = {canonicalize_name(owner) for module in of_the_product for owner in owners.get(module, [])}
    assert {canonicalize_name(requirement.name) for requirement in declared(RUNS)} - used == set()


def test_whatever_is_needed_is_installed_as_it_is_pinned(installed: dict[str, Installed]) -> None:
    assert off_the_pins(pins(CONSTRAINTS), installed) == {}


def test_whatever_is_declared_is_pinned_to_a_release_that_fits() -> None:
    pinned = pins(CONSTRAINTS)
    for requirement in declared([*INSTALLED, "docs"]):
        assert requirement.specifier.contains(pinned[canonicalize_name(requirement.name)]), requirement
    assert set(pinned) >= ON_DEMAND


def test_what_a_build_is_made_with_is_pinned_to_the_same_release() -> None:
    pinned = pins(CONSTRAINTS)
    assert pins("\n".join(build_requirements())).items() <= pinned.items()
    assert set(pinned) >= OF_PYTHON


def test_licences_are_known(installed: dict[str, Installed]) -> None:
    assert [one for one in installed.values() if not one.licence_is_known] == []


def test_the_packages_of_node_are_pinned_exactly() -> None:
    package = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))
    assert package["devDependencies"]
    assert "dependencies" not in package
    assert [v for v in package["devDependencies"].values() if not re.fullmatch(r"\d+\.\d+\.\d+", v)] == []


@pytest.mark.parametrize("licence", ["GPL-3.0-or-later", "MIT AND AGPL-3.0-only", "", "UNKNOWN", "Proprietary", "MITX"])
def test_a_licence_that_asks_for_more_is_not_known(licence: str) -> None:
    assert not Installed("a", "1", licence).licence_is_known


@pytest.mark.parametrize(
    ("text", "what"), [("a==1\nA==1", "twice"), ("a_b==1\na-b==2", "twice"), ("a>=1", "no version")]
)
def test_constraints_pin_each_package_once(text: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        pins(text)


def test_what_is_off_its_pin_is_named() -> None:
    installed = {"a": Installed("a", "2", "MIT"), "b": Installed("b", "1", "MIT"), "c": Installed("c", "1", "MIT")}
    assert off_the_pins({"a": "1", "b": "1"}, installed) == {"a": "2", "c": "1"}


def test_what_is_missing_is_named() -> None:
    with pytest.raises(LookupError, match="no-such-package is needed and not installed"):
        needed([Requirement("no-such-package")])
    with pytest.raises(LookupError, match=r"numpy>999 is needed and .* is installed"):
        needed([Requirement("numpy>999")])
    assert undeclared({"scipy": "a.py"}, [Requirement("numpy")]) == ["scipy, imported by a.py"]
