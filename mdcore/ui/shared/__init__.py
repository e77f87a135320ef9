"""Shared building blocks of the pages: charts, downloads, jobs, addresses, wording."""
