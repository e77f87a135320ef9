"""How much memory is free: of the machine, and of the container this runs in, whose limit the machine knows nothing of.

A container's limit is read where Linux tells it (control groups, version 2); elsewhere the machine's memory counts.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil

OWN = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")


def free_memory() -> int:
    """Bytes that can be allocated now without touching what others have."""
    free = int(psutil.virtual_memory().available)
    return min([free, *(left for group in _groups(OWN, GROUPS) if (left := _left_in(group)) is not None)])


@cache
def _groups(listed: Path, root: Path) -> tuple[Path, ...]:
    """The group of this process and those around it: each may have a limit."""
    with suppress(OSError):
        for line in listed.read_text(encoding="utf-8").splitlines():
            if line.startswith("0::/"):
                own = root / line.removeprefix("0::/")
                return tuple(group for group in (own, *own.parents) if group.is_relative_to(root))
    return ()


def _left_in(group: Path) -> int | None:
    """What its limit leaves, files that only lie in memory because there was room counted as free; None without one."""
    try:
        most = int((group / "memory.max").read_text(encoding="utf-8"))
        used = int((group / "memory.current").read_text(encoding="utf-8"))
        facts = dict(line.split() for line in (group / "memory.stat").read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):  # no such file, or the word "max"
        return None
    return max(0, most - used + int(facts.get("inactive_file", 0)))
