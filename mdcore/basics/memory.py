"""Free memory, with the limit of the container taken into account, which the machine's figures ignore.

A container's limit is read from Linux's control groups, version 2; on other systems only the machine's memory counts.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil

OWN = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")


def free_memory() -> int:
    """Return the number of bytes that can be allocated now."""
    free = int(psutil.virtual_memory().available)
    return min([free, *(left for group in _groups(OWN, GROUPS) if (left := _available_in(group)) is not None)])


@cache
def _groups(listed: Path, root: Path) -> tuple[Path, ...]:
    """Return the control group of this process and the groups that contain it, each of which may have a limit."""
    with suppress(OSError):
        for line in listed.read_text(encoding="utf-8").splitlines():
            if line.startswith("0::/"):
                own = root / line.removeprefix("0::/")
                return tuple(group for group in (own, *own.parents) if group.is_relative_to(root))
    return ()


def _available_in(group: Path) -> int | None:
    """Return the memory that a group's limit leaves, or None if it has no limit; reclaimable file cache counts as
    free."""
    try:
        most = int((group / "memory.max").read_text(encoding="utf-8"))
        used = int((group / "memory.current").read_text(encoding="utf-8"))
        facts = dict(line.split() for line in (group / "memory.stat").read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):  # no such file, or the word "max"
        return None
    return max(0, most - used + int(facts.get("inactive_file", 0)))
