"""What the stage can be asked for: every control, read from the records of methods and sources. Sent once."""

from __future__ import annotations

import hashlib
import json
import math
from functools import cache
from typing import Any

from mdcore.data import SCALING, TEST, all_sources
from mdcore.experiment import BIAS, SCALE, STEP
from mdcore.kernels import COEF0, DEGREE, GAMMA, GAMMA_DEFAULT, GAMMA_WORDS, KERNEL
from mdcore.methods import METHODS
from mdcore.spec import Param, Setting


@cache
def catalog() -> tuple[str, dict[str, Any]]:
    """Its hash, by which a browser says that it has it, and itself."""
    content = {
        "sources": [
            {
                "key": source.key,
                "title": source.title,
                "summary": source.summary,
                "planar": source.planar,
                "options": [control(option) for option in source.options],
                "defaults": {SCALING.name: source.scaling},
            }
            for source in all_sources().values()
        ],
        "methods": [
            {
                "key": method.key,
                "name": method.name,
                "color": method.color,
                "summary": method.summary,
                "latex": method.latex,
                "limits": method.limits,
                "params": [control(param, f"{method.key}.") for param in method.params],
            }
            for method in METHODS.values()
        ],
        "common": [
            *(control(setting, group="split") for setting in (TEST, SCALING)),
            control(KERNEL, group="kernel"),
            control(GAMMA, group="kernel") | {"default": GAMMA_DEFAULT, "words": list(GAMMA_WORDS)},
            *(control(setting, group="kernel") for setting in (DEGREE, COEF0, BIAS)),
            *(control(setting, group="view") for setting in (SCALE, STEP)),
        ],
    }
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16], content


def control(setting: Setting, prefix: str = "", group: str = "") -> dict[str, Any]:
    """A setting as the browser draws it."""
    common = {
        "name": prefix + setting.name,
        "symbol": setting.symbol,
        "default": setting.default if isinstance(setting.default, str) else _finite(setting.default),
        "help": setting.help,
        "group": group,
    }
    if not isinstance(setting, Param):
        return common | {"kind": "choice", "options": list(setting.options)}
    slider, legal = setting.slider, setting.legal
    return common | {
        "kind": "number",
        "legal": str(legal),
        "legalLow": _finite(legal.low),
        "legalHigh": _finite(legal.high),
        "openLow": legal.open_low,
        "openHigh": legal.open_high,
        "low": slider.low,
        "high": slider.high,
        "log": slider.log,
        "zero": slider.zero,
        "step": slider.step,
        "integer": setting.integer,
        "grid": list(setting.grid),
        "words": [],
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
