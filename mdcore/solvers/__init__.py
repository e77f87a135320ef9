"""Canonical problems and their solvers. They know numbers, no method; numpy, scipy and numba only."""
