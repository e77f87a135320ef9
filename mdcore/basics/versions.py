"""The versions of Python and of packages that results may depend on."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version


def package_versions(names: Sequence[str]) -> dict[str, str]:
    """Return the versions of packages by name."""
    return {name: _version(name) for name in names}


def with_python(names: Sequence[str]) -> dict[str, str]:
    """Return the version of Python, then those of packages."""
    return {"Python": platform.python_version()} | package_versions(names)


def as_words(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {number}" for name, number in versions.items())


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed as a package"
