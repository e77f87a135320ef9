"""Free memory is that of the container, if it has less than the machine."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from mdcore.basics import memory

MIB = 2**20


def limit(group: Path, most: str, used: int, files: int = 0) -> None:
    group.mkdir(parents=True, exist_ok=True)
    (group / "memory.max").write_text(f"{most}\n")
    (group / "memory.current").write_text(f"{used}\n")
    (group / "memory.stat").write_text(f"anon 5\ninactive_file {files}\nactive_file 7\n")


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a tree of control groups, with this process in a/b, on a machine with 1000 MiB free."""
    own = tmp_path / "self"
    own.write_text("0::/a/b\n")
    monkeypatch.setattr(memory, "OWN", own)
    monkeypatch.setattr(memory, "GROUPS", tmp_path / "groups")
    monkeypatch.setattr("psutil.virtual_memory", lambda: SimpleNamespace(available=1000 * MIB))
    return tmp_path / "groups"


def test_without_a_limit_it_is_the_machines(groups: Path) -> None:
    assert memory.free_memory() == 1000 * MIB
    limit(groups / "a" / "b", "max", 300 * MIB)
    assert memory.free_memory() == 1000 * MIB


def test_a_containers_limit_counts_and_files_that_can_go_are_free(groups: Path) -> None:
    limit(groups / "a" / "b", str(400 * MIB), used=300 * MIB, files=50 * MIB)
    assert memory.free_memory() == 150 * MIB


def test_the_tightest_of_the_groups_around_counts(groups: Path) -> None:
    limit(groups / "a" / "b", str(4000 * MIB), used=300 * MIB)
    limit(groups, str(400 * MIB), used=390 * MIB)
    assert memory.free_memory() == 10 * MIB
    limit(groups, str(400 * MIB), used=401 * MIB)
    assert memory.free_memory() == 0


def test_a_system_without_groups_has_the_machines(groups: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "OWN", groups / "nothing")
    assert memory.free_memory() == 1000 * MIB
