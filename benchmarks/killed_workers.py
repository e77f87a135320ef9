"""`python -m benchmarks.killed_workers`: kill the runner and the workers of a table at 100 random moments.

A small table is computed without disturbance, and again while random processes, runner or worker, are killed
repeatedly. Both tables must be equal byte for byte, no cell may be lost, and no kill may cost more than one cell. Each
kill waits until a cell is being computed, so that most workers die in the middle of one.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from mdcore.papers.owners import has_died, pid_of
from mdcore.papers.store import Store

TABLE = ["--paper", "mcodm-2017", "--table", "2", "--datasets", "iris,wine", "--methods", "ova,mcsvm"]
SHARE = 0.1  # of an undisturbed run: the longest wait between the first cell at work and the kill
LOOK = 0.02


@dataclass(frozen=True)
class Shown:
    """The outcome of a disturbed run."""

    kills: int
    in_a_cell: int
    cells: int
    repeated: int
    lost: int
    same: bool

    @property
    def holds(self) -> bool:
        return self.same and self.lost == 0 and self.repeated <= self.kills


def run_in_peace(folder: Path, arguments: Sequence[str]) -> bytes:
    """Run the table without disturbance and return its export."""
    runner = start(folder, arguments)
    if runner.wait() != 0:
        raise RuntimeError("The undisturbed run failed.")
    return (folder / "table.csv").read_bytes()


def run_disturbed(
    folder: Path, arguments: Sequence[str], expected: bytes, kills: int, longest: float, rng: random.Random
) -> Shown:
    """Kill processes up to `kills` times while cells are left, then run the same command to the end.

    Each kill happens up to `longest` seconds after a cell was seen at work.
    """
    runner, made, in_a_cell = start(folder, arguments), 0, 0
    while made < kills and wait_for_work(folder, runner):
        time.sleep(rng.uniform(0.0, longest))
        owners = at_work(folder)
        victim = rng.choice(sorted({runner.pid, *workers_of(runner), *map(pid_of, owners)}))
        if runner.poll() is None and kill(victim):
            made += 1
            in_a_cell += victim in map(pid_of, owners)
            if victim == runner.pid:
                runner.wait()
                runner = start(folder, arguments)
    runner.wait()
    if not (folder / "table.csv").exists():
        start(folder, arguments).wait()
    with Store(folder / "store.db") as store:
        (run,) = store.rows("SELECT id FROM run")
        standing = store.standing(run["id"])
    table = (folder / "table.csv").read_bytes()
    repeated = standing.attempts - standing.total
    return Shown(made, in_a_cell, standing.total, repeated, standing.total - standing.done, table == expected)


def start(folder: Path, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    files = ["--store", str(folder / "store.db"), "--export", str(folder / "table.csv")]
    command = [sys.executable, "-m", "mdcore", "tables", *arguments, *files, "--jobs", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for_work(folder: Path, runner: subprocess.Popen[bytes]) -> bool:
    """Wait until a cell is at work; return False if the runner has ended."""
    while runner.poll() is None:
        if at_work(folder):
            return True
        time.sleep(LOOK)
    return False


def at_work(folder: Path) -> list[str]:
    """Return the owners of cells that are alive: a killed process owns its cell until a runner frees it."""
    if not (folder / "store.db").exists():
        return []
    with Store(folder / "store.db") as store:
        return [owner for owner in store.owners() if not has_died(owner)]


def workers_of(runner: subprocess.Popen[bytes]) -> list[int]:
    """Return the child processes of the runner that are alive."""
    try:
        children = psutil.Process(runner.pid).children()
        return [child.pid for child in children if child.status() != psutil.STATUS_ZOMBIE]
    except psutil.NoSuchProcess:
        return []


def kill(pid: int) -> bool:
    """Kill a process; return False if it has already ended."""
    try:
        victim = psutil.Process(pid)
        if victim.status() == psutil.STATUS_ZOMBIE:
            return False
        victim.kill()
    except psutil.NoSuchProcess:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.killed_workers", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    rng, made = random.Random(chosen.seed), 0
    with tempfile.TemporaryDirectory() as root:
        peace = Path(root) / "peace"
        peace.mkdir()
        begun = time.monotonic()
        expected = run_in_peace(peace, TABLE)
        longest = SHARE * (time.monotonic() - begun)
        while made < chosen.kills:
            folder = Path(tempfile.mkdtemp(dir=root))
            shown = run_disturbed(folder, TABLE, expected, chosen.kills - made, longest, rng)
            made += shown.kills
            print(
                f"{made} of {chosen.kills} kills: {shown.in_a_cell} of the last {shown.kills} in the middle of a cell, "
                f"{shown.repeated} of {shown.cells} cells restarted, {shown.lost} lost, table "
                f"{'identical' if shown.same else 'NOT identical'}",
                flush=True,
            )
            if not shown.holds:
                sys.exit(1)


if __name__ == "__main__":
    main()
