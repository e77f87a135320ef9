"""`python -m benchmarks.kills`: a table survives its runner and its workers being killed, at 100 random moments.

A small table is run in peace, and again while a random one of the processes at work, runner or worker, is killed again
and again. Both tables must be the same to the byte, no cell may be lost, and no kill may cost more than one cell.
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

TABLE = ["--paper", "mcodm-2017", "--table", "2", "--datasets", "iris,wine", "--methods", "ova,mcsvm"]
LONGEST = 1.0  # seconds of work between two kills, at most
LOOK = 0.02


@dataclass(frozen=True)
class Shown:
    """What a disturbed run came to."""

    kills: int
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


def run_disturbed(folder: Path, arguments: Sequence[str], expected: bytes, kills: int, rng: random.Random) -> Shown:
    """As many kills as there is time for while cells are left, `kills` at most; then the same command to the end."""
    runner, made = start(folder, arguments), 0
    while made < kills and wait_for_work(folder, runner):
        time.sleep(rng.uniform(0.0, LONGEST))
        victim = pick(runner, rng)
        if victim is not None:
            victim.kill()
            made += 1
        if runner.poll() is not None:
            runner = start(folder, arguments)
    runner.wait()
    if not (folder / "table.csv").exists():
        start(folder, arguments).wait()
    with Store(folder / "store.db") as store:
        (run,) = store.rows("SELECT id FROM run")
        standing = store.standing(run["id"])
    table = (folder / "table.csv").read_bytes()
    repeated = standing.attempts - standing.total
    return Shown(made, standing.total, repeated, standing.total - standing.done, table == expected)


def start(folder: Path, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    files = ["--store", str(folder / "store.db"), "--export", str(folder / "table.csv")]
    command = [sys.executable, "-m", "mdcore", "tables", *arguments, *files, "--jobs", "2"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def wait_for_work(folder: Path, runner: subprocess.Popen[bytes]) -> bool:
    """Until somebody works on a cell; False where the runner has ended its work."""
    while runner.poll() is None:
        if (folder / "store.db").exists():
            with Store(folder / "store.db") as store:
                if store.owners():
                    return True
        time.sleep(LOOK)
    return False


def pick(runner: subprocess.Popen[bytes], rng: random.Random) -> psutil.Process | None:
    """The runner or one of its workers, where they still are."""
    try:
        whole = psutil.Process(runner.pid)
        return rng.choice([whole, *whole.children()])
    except psutil.NoSuchProcess:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    rng, made = random.Random(chosen.seed), 0
    with tempfile.TemporaryDirectory() as root:
        peace = Path(root) / "peace"
        peace.mkdir()
        expected = run_in_peace(peace, TABLE)
        while made < chosen.kills:
            folder = Path(tempfile.mkdtemp(dir=root))
            shown = run_disturbed(folder, TABLE, expected, chosen.kills - made, rng)
            made += shown.kills
            print(
                f"{made} of {chosen.kills} kills: after {shown.kills} of them {shown.repeated} of {shown.cells} cells "
                f"begun again, {shown.lost} lost, table {'the same' if shown.same else 'NOT the same'}",
                flush=True,
            )
            if not shown.holds:
                sys.exit(1)


if __name__ == "__main__":
    main()
