"""Shared building blocks of the pages: charts, tables, controls, downloads, and the jobs that a page follows."""
