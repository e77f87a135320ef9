"""The catalogue of the stage's controls, built from the records of methods and data sources, and sent once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from mdcore.basics.class_marks import CLASS_MARKS
from mdcore.data import SCALING, OwnSource, Source, all_sources
from mdcore.experiment.keys import SETTINGS
from mdcore.methods import METHODS
from mdcore.serving.stage import header
from mdcore.serving.stage.examples import EXAMPLES, opening_query
from mdcore.serving.stage.header import AnyControl, RawCatalog
from mdcore.serving.stage.message import finite
from mdcore.serving.stage.view_keys import VIEW_KEYS
from mdcore.spaces.kernels import GAMMA, KERNEL
from mdcore.spec import Param, Setting


def catalog(own: Iterable[OwnSource] = ()) -> tuple[str, RawCatalog]:
    """Return (hash, catalogue); the browser reports the hash of the catalogue it has. The session's own tables come
    first."""
    shared_hash, shared = _shared()
    tables: list[header.Source] = [{**_source(source), "own": True} for source in own]
    if not tables:
        return shared_hash, shared
    return _hash([shared_hash, tables]), {**shared, "sources": [*tables, *shared["sources"]]}


@cache
def _shared() -> tuple[str, RawCatalog]:
    """Return the hash and the part of the catalogue that all sessions share."""
    content: RawCatalog = {
        "examples": [{"title": each.title, "query": each.query, "words": each.words} for each in EXAMPLES],
        "classMarks": [{"shape": mark.shape, "light": mark.light, "dark": mark.dark} for mark in CLASS_MARKS],
        "sources": [_source(source) for source in all_sources().values()],
        "methods": [
            {
                "key": method.key,
                "name": method.name,
                "color": method.color,
                "summary": method.summary,
                "limits": method.limits,
                "params": [control(param, f"{method.key}.") for param in method.params],
            }
            for method in METHODS.values()
        ],
        "local": [key.name for key in VIEW_KEYS if key.local],
        "common": [
            control(key.setting, group=key.group, words=key.words)
            for key in SETTINGS
            if key.setting and key.group != "data"
        ],
    }
    return _hash(content), content


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def _source(source: Source) -> header.Source:
    kernel = {KERNEL.name: source.kernel} if source.kernel else {}
    return {
        "key": source.key,
        "title": source.title,
        "summary": source.summary,
        "planar": source.planar,
        "opens": opening_query(source),
        "options": [control(option) for option in source.options],
        "defaults": {SCALING.name: source.scaling, GAMMA.name: source.gamma} | kernel,
    }


def control(setting: Setting, prefix: str = "", group: str = "", words: Sequence[str] = ()) -> AnyControl:
    """Return the description from which the browser draws the control of a setting."""
    common: header.Control = {
        "name": prefix + setting.name,
        "symbol": setting.symbol,
        "default": setting.default if isinstance(setting.default, str) else finite(setting.default),
        "help": setting.help,
        "group": group,
    }
    if not isinstance(setting, Param):
        return {**common, "kind": "choice", "options": list(setting.options)}
    slider, legal = setting.slider, setting.legal
    return {
        **common,
        "kind": "number",
        "legal": str(legal),
        "legalLow": finite(legal.low),
        "legalHigh": finite(legal.high),
        "openLow": legal.open_low,
        "openHigh": legal.open_high,
        "low": slider.low,
        "high": slider.high,
        "log": slider.log,
        "zero": slider.zero,
        "step": slider.step,
        "integer": setting.integer,
        "grid": list(setting.grid),
        "words": list(words),
    }
