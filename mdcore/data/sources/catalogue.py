"""The catalogue of data sources: one record each, from which controls, URLs and the reference page are generated."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from mdcore.basics.text import quoted
from mdcore.data.dataset import Dataset, Examples
from mdcore.data.source import Source
from mdcore.data.sources.bundled import BUNDLED
from mdcore.data.sources.folder import PREFIX, folder_files, folder_source, folder_sources
from mdcore.data.sources.generated import GENERATED
from mdcore.data.tables.own_source import OWN, table_not_loaded

SOURCES: Mapping[str, Source] = {source.key: source for source in (*GENERATED, *BUNDLED)}


def load_dataset(name: str, **options: Any) -> Dataset:
    """Return the dataset of a source.

    Omitted options take their defaults; options given as text are parsed as in a URL. The result is cached and shared;
    its arrays are read-only.
    """
    dataset = _load(find_source(name), tuple(recipe(name, options).items()))
    assert isinstance(dataset, Dataset), "the catalogue has numbers"
    return dataset


def recipe(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of a source in order: the given ones after checking them, the others at their defaults."""
    return find_source(name).recipe(options)


def find_source(name: str) -> Source:
    if name.startswith(PREFIX):
        return folder_source(name)
    if name.startswith(OWN):
        raise table_not_loaded()
    if name not in SOURCES:
        names = [*SOURCES, *folder_files()]
        near = [PREFIX + name] if PREFIX + name in names else get_close_matches(name, names, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"unknown dataset {quoted(name)}.{hint} The datasets are {', '.join(names)}.")
    return SOURCES[name]


def all_sources() -> Mapping[str, Source]:
    """Return the built-in sources and those of the data folder, if there is one."""
    return {**SOURCES, **folder_sources()}


# A small cache, as the largest generated set takes 32 MB.
@lru_cache(maxsize=16)
def _load(source: Source, options: tuple[tuple[str, Any], ...]) -> Examples:
    return source.make(**dict(options))
