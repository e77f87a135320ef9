"""An installed package contains every file of the source tree that the app needs."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "mdcore"
NOT_READ = {"ui/workarounds/README.md"}  # by the app: it is for developers
BUILD = "import sys, setuptools.build_meta as backend; backend.build_wheel(sys.argv[1])"
SCAN = """
import json
from streamlit.components.v2.manifest_scanner import scan_component_manifests
print(json.dumps({
    part.name: str(part.resolve_asset_root(root))
    for manifest, root in scan_component_manifests() if manifest.name == "mdcore"
    for part in manifest.components
}))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with an unpacked wheel of this tree."""
    source, place = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE, source / "mdcore", symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "RESULTS.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    subprocess.run([sys.executable, "-c", BUILD, str(source)], cwd=source, check=True, capture_output=True)
    (wheel,) = source.glob("*.whl")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(place)
    return place


@pytest.mark.process
def test_every_file_of_the_package_is_installed(installed: Path) -> None:
    files = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    missed = {name for name in files - NOT_READ if not (installed / "mdcore" / name).is_file()}
    assert not missed


@pytest.mark.process
def test_streamlit_finds_every_component_in_the_installed_package(installed: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    scan = [sys.executable, "-c", SCAN]
    found = subprocess.run(scan, cwd=installed, env=environment, check=True, capture_output=True, text=True)
    listed = tomllib.loads((PACKAGE / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["streamlit"]["component"]
    names = {one["name"] for one in listed["components"]}
    assets = installed / "mdcore" / "browser" / "components"
    assert json.loads(found.stdout) == dict.fromkeys(names, str(assets))
    assert all((assets / f"{name}.js").is_file() for name in names)


def test_every_component_of_a_page_is_listed() -> None:
    listed = (PACKAGE / "pyproject.toml").read_text(encoding="utf-8")
    code = "".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "ui").rglob("*.py"))
    used = set(re.findall(r'\bcomponent\("(\w+)"\)', code))
    assert len(used) > 4
    assert not [name for name in used if f'name = "{name}"' not in listed]
