"""Coverage-guided fuzzing of one target: `make fuzz TARGET=reader ARGS="-runs=1000000"`.

Needs atheris, which has wheels for Linux. ARGS are libFuzzer's; what it finds worth keeping goes to .fuzz/TARGET.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

# Before numpy: one thread is enough for small tables.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import atheris

with atheris.instrument_imports(include=["mdcore"]):
    from tests.fuzz.targets import CORPUS, TARGETS, check, seeds


WORD = re.compile(rb"[\w.:-]{2,24}", re.ASCII)
LONGEST = {"store": 2**15}  # bytes: a store has a page for each of its tables


def main(name: str, options: list[str]) -> None:
    if name not in TARGETS:
        raise SystemExit(f"TARGET must be one of {', '.join(TARGETS)}; got {name!r}.")
    kept = f".fuzz/{name}"
    os.makedirs(kept, exist_ok=True)
    limits = ["-timeout=5", "-rss_limit_mb=2048", f"-max_len={LONGEST.get(name, 4096)}"]
    words = Path(f"{kept}.words")
    words.write_text(dictionary(name), encoding="ascii")
    known = [f"-dict={words}", *options, kept, str(CORPUS / name)]
    atheris.Setup([sys.argv[0], *limits, *known], lambda content: check(name, content))
    atheris.Fuzz()


def dictionary(name: str) -> str:
    """Return the words of the seeds as libFuzzer reads them: bytes alone would seldom come upon a name that counts."""
    found = {word.decode() for seed in seeds(name) for word in WORD.findall(seed)}
    return "".join(f'"{word}"\n' for word in sorted(found))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
