"""Comparisons of Compare: their data, their address, and the jobs that run them."""
