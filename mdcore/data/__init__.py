"""Data: built-in sources, users' tables, manual edits, and the preparation for fitting."""

from mdcore.data.dataset import Dataset
from mdcore.data.edits import Add, Drop, Edit, Flip, Move
from mdcore.data.preparation import (
    SCALING,
    Prepared,
    Scaling,
    ScalingName,
    fit_scaling,
    prepare,
)
from mdcore.data.source import Source
from mdcore.data.sources.catalogue import SOURCES, all_sources, find_source, load_dataset, recipe
from mdcore.data.sources.openml import read_openml
from mdcore.data.splitting import SEED, TEST, split
from mdcore.data.tables.columns import Choices, class_counts, propose
from mdcore.data.tables.own_source import OWN, OwnSource, own_source
from mdcore.data.tables.pipeline import Selection, feature_names, inputs, preparation, select, to_dataset
from mdcore.data.tables.problems import DataProblem, NeedsChoice
from mdcore.data.tables.reading import Table, as_file, read_table, table_of
from mdcore.data.tables.writing import write_csv

__all__ = [
    "OWN",
    "SCALING",
    "SEED",
    "SOURCES",
    "TEST",
    "Add",
    "Choices",
    "DataProblem",
    "Dataset",
    "Drop",
    "Edit",
    "Flip",
    "Move",
    "NeedsChoice",
    "OwnSource",
    "Prepared",
    "Scaling",
    "ScalingName",
    "Selection",
    "Source",
    "Table",
    "all_sources",
    "as_file",
    "class_counts",
    "feature_names",
    "find_source",
    "fit_scaling",
    "inputs",
    "load_dataset",
    "own_source",
    "preparation",
    "prepare",
    "propose",
    "read_openml",
    "read_table",
    "recipe",
    "select",
    "split",
    "table_of",
    "to_dataset",
    "write_csv",
]
