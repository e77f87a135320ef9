"""Margin Lab's library: classifiers that shape the margin distribution, and tools to examine it.

Names are imported on first use, so that `import mdcore` is cheap. The public estimators are the classes in `METHODS`: a
new method's class is public as soon as it is in that list.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "METHODS": "mdcore.methods",
    "Experiment": "mdcore.experiment",
    "MAMCSearch": "mdcore.methods.mamc_search",
    "MarginDistribution": "mdcore.margins.distribution",
    "OneVersusRest": "mdcore.methods.one_versus_rest",
    "load_dataset": "mdcore.data",
}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if not name.startswith("_"):
        for method in import_module("mdcore.methods").METHODS.values():
            if method.estimator.__name__ == name:
                return method.estimator
    raise AttributeError(f"module 'mdcore' has no attribute {name!r}")


def __dir__() -> list[str]:
    methods = import_module("mdcore.methods").METHODS
    return sorted([*_HOMES, *(method.estimator.__name__ for method in methods.values())])
