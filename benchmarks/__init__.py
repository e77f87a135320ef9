"""Ratios against peers, measured in one run: a shared machine's seconds mean little, its ratios mean more."""
