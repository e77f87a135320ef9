"""Needed everywhere and dependent on nothing: numbers as text, caches, free memory, threads, versions."""
