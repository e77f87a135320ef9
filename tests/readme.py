"""The README's table of methods, rendered from METHODS.

python -m tests.readme            print it
python -m tests.readme --write    put it into README.md, between its markers
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mdcore import METHODS
from mdcore.spec import Method, Paper, Setting

README = Path(__file__).resolve().parent.parent / "README.md"
HEAD = ("Class", "Name", "What it optimises", "Parameters", "Kernels", "Paper")


def table() -> str:
    rows = [HEAD, tuple("---" for _ in HEAD), *(row(method) for method in METHODS.values())]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def row(method: Method) -> tuple[str, ...]:
    cells = (
        f"`{method.estimator.__name__}`",
        method.name,
        method.summary,
        ", ".join(setting(s) for s in method.params) or "none",
        kernels(method),
        paper(method.paper),
    )
    return tuple(" ".join(cell.split()).replace("|", r"\|") for cell in cells)


def setting(s: Setting) -> str:
    symbol = f"${s.symbol}$" if "\\" in s.symbol else s.symbol
    return f"`{s.name}`" if symbol == s.name else f"`{s.name}` {symbol}"


def kernels(method: Method) -> str:
    kinds = "any" if method.kernels else "linear"
    return f"{kinds}; sparse input" if method.sparse else kinds


def paper(source: Paper) -> str:
    return f"{source.authors}, *{source.title}*, {source.venue}; {source.equations}"


def between(text: str, name: str) -> str:
    """Return the text between the markers of `name`."""
    return _split(text, name)[1].strip()


def replaced(text: str, name: str, content: str) -> str:
    before, _, after = _split(text, name)
    return f"{before}\n{content}\n{after}"


def _split(text: str, name: str) -> tuple[str, str, str]:
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise ValueError(f"README.md needs {begin} and then {end}, once each.")
    before, rest = text.split(begin)
    content, after = rest.split(end)
    return before + begin, content, end + after


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.readme", description="The README's table of methods.")
    parser.add_argument("--write", action="store_true", help="put it into README.md")
    if parser.parse_args().write:
        README.write_text(replaced(README.read_text(encoding="utf-8"), "methods", table()), encoding="utf-8")
    else:
        print(table())


if __name__ == "__main__":
    main()
