"""`python -m benchmarks.kills`: a table survives its runner and its workers being killed, at 100 random moments.

A small table is run in peace, and again while a random one of the processes at work, runner or worker, is killed again
and again. Both tables must be the same to the byte, no cell may be lost, and no kill may cost more than one cell. Each
kill comes after somebody was at work on a cell, so that most workers die in the middle of one.
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

from mdcore.papers.store import Store
from mdcore.papers.worker import has_died, pid_of

TABLE = ["--paper", "mcodm-2017", "--table", "2", "--datasets", "iris,wine", "--methods", "ova,mcsvm"]
SHARE = 0.1  # of an undisturbed run between the first cell at work and the next kill, at most
LOOK = 0.02


@dataclass(frozen=True)
class Shown:
    """What a disturbed run came to."""

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
    """The exported table."""
    runner = start(folder, arguments)
    if runner.wait() != 0:
        raise RuntimeError("The undisturbed run failed.")
    return (folder / "table.csv").read_bytes()


def run_disturbed(
    folder: Path, arguments: Sequence[str], expected: bytes, kills: int, longest: float, rng: random.Random
) -> Shown:
    """As many kills as there is time for while cells are left, `kills` at most; then the same command to the end.

    Each comes up to so many seconds after somebody was seen at work.
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
    """Until somebody works on a cell; False where the runner has ended its work."""
    while runner.poll() is None:
        if at_work(folder):
            return True
        time.sleep(LOOK)
    return False


def at_work(folder: Path) -> list[str]:
    """Owners of cells that still are: a killed one owns its cell until a runner looks."""
    if not (folder / "store.db").exists():
        return []
    with Store(folder / "store.db") as store:
        return [owner for owner in store.owners() if not has_died(owner)]


def workers_of(runner: subprocess.Popen[bytes]) -> list[int]:
    """At work, or about to be."""
    try:
        children = psutil.Process(runner.pid).children()
        return [child.pid for child in children if child.status() != psutil.STATUS_ZOMBIE]
    except psutil.NoSuchProcess:
        return []


def kill(pid: int) -> bool:
    """False where it has ended by itself."""
    try:
        victim = psutil.Process(pid)
        if victim.status() == psutil.STATUS_ZOMBIE:
            return False
        victim.kill()
    except psutil.NoSuchProcess:
        return False
    return True


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.kills", description=__doc__)
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
                f"{made} of {chosen.kills} kills: of {shown.kills} of them {shown.in_a_cell} in the middle of a cell, "
                f"{shown.repeated} of {shown.cells} cells begun again, {shown.lost} lost, table "
                f"{'the same' if shown.same else 'NOT the same'}",
                flush=True,
            )
            if not shown.holds:
                sys.exit(1)


if __name__ == "__main__":
    main()
