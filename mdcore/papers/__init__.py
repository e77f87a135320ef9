"""Reproduction of the papers: protocols, tables and figures."""
