"""The commands of `python -m mdcore`, one module for each.

A module has the name of its command and a function `main(argv)` that returns the exit status. The first line of its
docstring is its description in the list of commands.
"""

INTERRUPTED = 130  # exit status of a command ended by Ctrl-C, as in a shell
