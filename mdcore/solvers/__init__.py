"""Canonical problems and their solvers, independent of any method; they import only numpy, scipy and numba."""
