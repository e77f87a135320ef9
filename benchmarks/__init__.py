"""Benchmarks against peers.

Both sides are timed in the same run, because ratios vary less than times on a shared machine.
"""
