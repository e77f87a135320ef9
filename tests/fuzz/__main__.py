"""Coverage-guided fuzzing of one target: `make fuzz TARGET=reader ARGS="-runs=1000000"`.

Needs atheris, which has wheels for Linux. ARGS are libFuzzer's; what it finds worth keeping goes to .fuzz/TARGET.
"""

from __future__ import annotations

import os
import sys

# Before numpy: one thread is enough for small tables.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import atheris

with atheris.instrument_imports(include=["mdcore"]):
    from tests.fuzz.targets import CORPUS, TARGETS, check


def main(name: str, options: list[str]) -> None:
    if name not in TARGETS:
        raise SystemExit(f"TARGET must be one of {', '.join(TARGETS)}; got {name!r}.")
    kept = f".fuzz/{name}"
    os.makedirs(kept, exist_ok=True)
    limits = ["-timeout=5", "-rss_limit_mb=2048", "-max_len=4096"]
    atheris.Setup([sys.argv[0], *limits, *options, kept, str(CORPUS / name)], lambda content: check(name, content))
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
