"""Coverage-guided fuzzing of one target: `make fuzz TARGET=reader ARGS="-runs=1000000"`.

Needs atheris, which has wheels for Linux. ARGS are libFuzzer's; what it finds worth keeping goes to .fuzz/TARGET.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import time
import warnings
from pathlib import Path

# Before numpy: one thread is enough for small tables.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import atheris

# What guides, and is made slower for that: the modules where a target's inputs are looked at; else all of them.
LOOKED_AT = {
    "reader": ("mdcore.data.tables",),
    "choices": ("mdcore.data.tables",),
    "lesson": ("mdcore.ui.lecture", "mdcore.query", "mdcore.spec", "mdcore.experiment"),
    "store": ("mdcore.papers",),
}
SOURCE = Path(__file__).parents[2]


def others(name: str) -> list[str]:
    """Return the modules that are left as they are; atheris can take in packages as a whole alone."""
    files = [file.relative_to(SOURCE).with_suffix("") for file in (SOURCE / "mdcore").rglob("*.py")]
    modules = [".".join(part for part in file.parts if part != "__init__") for file in files]
    return [module for module in modules if not module.startswith(LOOKED_AT.get(name, ("mdcore",)))]


with atheris.instrument_imports(include=["mdcore"], exclude=others("".join(sys.argv[1:2]))):
    from tests.fuzz.targets import CORPUS, TARGETS, check, seeds


WORD = re.compile(rb"[\w.:-]{2,24}", re.ASCII)
MOST_SECONDS, MOST_MEMORY = 1.0, 200 * 2**20
HANGS = 600  # seconds on the clock after which an input never ends; a run may be stopped for some minutes
LONGEST = {"store": 2**15}  # bytes: a store has a page for each of its tables


def main(name: str, options: list[str]) -> None:
    if name not in TARGETS:
        raise SystemExit(f"TARGET must be one of {', '.join(TARGETS)}; got {name!r}.")
    kept = f".fuzz/{name}"
    os.makedirs(kept, exist_ok=True)
    limits = [f"-timeout={HANGS}", "-rss_limit_mb=2048", f"-max_len={LONGEST.get(name, 4096)}"]
    # As in the tests: a warning raised at a line of ours is a defect.
    warnings.filterwarnings("error", module="mdcore")
    words = Path(f"{kept}.words")
    words.write_text(dictionary(name), encoding="ascii")
    known = [f"-dict={words}", *options, kept, str(CORPUS / name)]
    atheris.Setup([sys.argv[0], *limits, *known], lambda content: check_within(name, content))
    atheris.Fuzz()


def check_within(name: str, content: bytes) -> None:
    """Check an input, and what it takes: processor time, as a clock also counts what others do to this machine."""
    begun, held = time.process_time(), most_memory()
    check(name, content)
    spent, taken = time.process_time() - begun, most_memory() - held
    assert spent <= MOST_SECONDS, f"{spent:.1f} s of processor"
    assert taken <= MOST_MEMORY, f"{taken / 2**20:,.0f} MB of memory"


def most_memory() -> int:
    """Return how many bytes of memory this process has had at most; Linux counts them in kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def dictionary(name: str) -> str:
    """Return the words of the seeds as libFuzzer reads them: bytes alone would seldom come upon a name that counts."""
    found = {word.decode() for seed in seeds(name) for word in WORD.findall(seed)}
    return "".join(f'"{word}"\n' for word in sorted(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
