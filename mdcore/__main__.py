"""`python -m mdcore COMMAND ...`: runs the command's module in mdcore.commands with the remaining arguments."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules

from mdcore import commands
from mdcore.commands import INTERRUPTED

WRONG_USE = 2  # as argparse exits


def main(argv: Sequence[str]) -> int:
    """Run a command and return the exit status.

    The message of a ValueError, which bad input raises, or of an OSError is printed to stderr, and so is Ctrl-C.
    """
    names = sorted(module.name for module in iter_modules(commands.__path__))
    if not argv or argv[0] in ("-h", "--help"):
        print(usage(names))
        return 0 if argv else WRONG_USE
    name, *rest = argv
    if name not in names:
        near = get_close_matches(name, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        print(f"mdcore: unknown command {name!r}.{hint}\n\n{usage(names)}", file=sys.stderr)
        return WRONG_USE
    try:
        status: int = import_module(f"{commands.__name__}.{name}").main(rest)
        return status
    except KeyboardInterrupt:
        print(f"mdcore {name}: interrupted.", file=sys.stderr)
        return INTERRUPTED
    except (ValueError, OSError) as error:
        print(f"mdcore {name}: {error}", file=sys.stderr)
        return WRONG_USE


def usage(names: Sequence[str]) -> str:
    lines = [f"  {name:10} {_summary(name)}" for name in names]
    return "\n".join(
        ["usage: python -m mdcore COMMAND ...", "", *lines, "", "COMMAND --help lists the arguments of a command."]
    )


def _summary(name: str) -> str:
    return (import_module(f"{commands.__name__}.{name}").__doc__ or "").partition("\n")[0]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
