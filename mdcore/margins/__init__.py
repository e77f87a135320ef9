"""Margin distributions, and the papers' bounds that are computed from them."""
