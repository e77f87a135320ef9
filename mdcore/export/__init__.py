"""Results to take away: a script, tables for a spreadsheet, a report."""

from mdcore.export.report import report
from mdcore.export.script import DataCode, experiment_code, script
from mdcore.export.tables import csv_file, tables, tables_archive

__all__ = ["DataCode", "csv_file", "experiment_code", "report", "script", "tables", "tables_archive"]
