"""Data: sources, hand edits, and the preparation of what a method is fitted on."""

from mdcore.data.catalogue import SOURCES, Source, find_source, load_dataset, recipe
from mdcore.data.dataset import Dataset
from mdcore.data.edits import Add, Drop, Edit, Flip, Move
from mdcore.data.preparation import (
    SCALING,
    SEED,
    TEST,
    Prepared,
    Scaling,
    ScalingName,
    fit_scaling,
    prepare,
    split,
)

__all__ = [
    "SCALING",
    "SEED",
    "SOURCES",
    "TEST",
    "Add",
    "Dataset",
    "Drop",
    "Edit",
    "Flip",
    "Move",
    "Prepared",
    "Scaling",
    "ScalingName",
    "Source",
    "find_source",
    "fit_scaling",
    "load_dataset",
    "prepare",
    "recipe",
    "split",
]
