"""Coverage-guided fuzzing of one target: `make fuzz TARGET=reader ARGS="-runs=1000000"`.

Needs atheris, which has wheels for Linux. ARGS are those of libFuzzer, which keeps interesting inputs in .fuzz/TARGET.
"""

from __future__ import annotations

import os
import re
import resource
import sys
import time
import warnings
from pathlib import Path

# Set before numpy is imported: one thread is enough for small tables.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import atheris

# The modules that are instrumented, and thereby slowed down: those that parse the inputs of a target; by default all.
LOOKED_AT = {
    "reader": ("mdcore.data.tables",),
    "choices": ("mdcore.data.tables",),
    "lesson": ("mdcore.serving.lecture", "mdcore.experiment.query", "mdcore.spec", "mdcore.experiment"),
    "store": ("mdcore.papers",),
}
SOURCE = Path(__file__).parents[2]


def others(name: str) -> list[str]:
    """Return the modules to exclude from instrumentation; atheris can only include whole packages."""
    files = [file.relative_to(SOURCE).with_suffix("") for file in (SOURCE / "mdcore").rglob("*.py")]
    modules = [".".join(part for part in file.parts if part != "__init__") for file in files]
    return [module for module in modules if not module.startswith(LOOKED_AT.get(name, ("mdcore",)))]


with atheris.instrument_imports(include=["mdcore"], exclude=others("".join(sys.argv[1:2]))):
    from tests.fuzz.targets import CORPUS, TARGETS, check, seeds


WORD = re.compile(rb"[\w.:-]{2,24}", re.ASCII)
MOST_SECONDS, MOST_MEMORY = 1.0, 200 * 2**20
HANGS = 600  # seconds of wall-clock time after which an input counts as hanging; the process may be paused for minutes
LONGEST = {"store": 2**15}  # bytes: a store has at least a page for each of its tables


def main(name: str, options: list[str]) -> None:
    if name not in TARGETS:
        raise SystemExit(f"TARGET must be one of {', '.join(TARGETS)}; got {name!r}.")
    kept = f".fuzz/{name}"
    os.makedirs(kept, exist_ok=True)
    limits = [f"-timeout={HANGS}", "-rss_limit_mb=2048", f"-max_len={LONGEST.get(name, 4096)}"]
    # As in the tests, a warning raised in our code is a defect.
    warnings.filterwarnings("error", module="mdcore")
    words = Path(f"{kept}.words")
    words.write_text(dictionary(name), encoding="ascii")
    known = [f"-dict={words}", *options, kept, str(CORPUS / name)]
    atheris.Setup([sys.argv[0], *limits, *known], lambda content: check_within(name, content))
    atheris.Fuzz()


def check_within(name: str, content: bytes) -> None:
    """Check an input, and its memory and processor time, which other programs affect less than wall-clock time."""
    begun, held = time.process_time(), most_memory()
    check(name, content)
    spent, taken = time.process_time() - begun, most_memory() - held
    assert spent <= MOST_SECONDS, f"{spent:.1f} s of processor"
    assert taken <= MOST_MEMORY, f"{taken / 2**20:,.0f} MB of memory"


def most_memory() -> int:
    """Return the peak memory of this process in bytes; Linux reports kB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def dictionary(name: str) -> str:
    """Return the words of the seeds as a libFuzzer dictionary, because random bytes rarely form meaningful names."""
    found = {word.decode() for seed in seeds(name) for word in WORD.findall(seed)}
    return "".join(f'"{word}"\n' for word in sorted(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
