"""Exports of results: scripts, spreadsheet tables, reports."""

from mdcore.export.data_code import table_code, table_facts
from mdcore.export.report import report
from mdcore.export.results import comparison_record, csv_file, tables, tables_archive
from mdcore.export.script import DataCode, experiment_code, script

__all__ = [
    "DataCode",
    "comparison_record",
    "csv_file",
    "experiment_code",
    "report",
    "script",
    "table_code",
    "table_facts",
    "tables",
    "tables_archive",
]
