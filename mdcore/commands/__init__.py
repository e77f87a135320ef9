"""The commands of `python -m mdcore`: a module for each, called as its command. It has `main(argv)`, which returns the
exit status; the first line of its docstring is what the list of commands says of it."""
