"""The browser's modules as one script and its style sheets as one text: for the pages, and for files that are saved.

Each module becomes a function that returns its exports. The modules are written in one way, which `make lint` enforces:
imports and exports have their names in braces or stand before a declaration.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from graphlib import TopologicalSorter
from pathlib import Path

BROWSER = Path(__file__).parents[1] / "browser"
IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"(\.\.?/[\w./]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:default )?(?:async )?(?:function|class|const) (\w+))(default )?", re.MULTILINE)
NOTHING = "export {};\n"  # of a module with types alone
DOCUMENTATION = re.compile(r"^\s*/\*\*.*?\*/\n?", re.MULTILINE | re.DOTALL)
CSS_IMPORT = re.compile(r'@import url\("\./([\w.]+\.css)"\)(?: layer\((\w+)\))?;\n?')


def script(wanted: Mapping[str, tuple[str, str]]) -> str:
    """Return a script that defines names, each as the export of a module: {"stage": ("stage.js", "default")}."""
    sources: dict[str, str] = {}
    graph: dict[str, list[str]] = {}
    waiting = [module for module, _ in wanted.values()]
    while waiting:
        module = waiting.pop()
        if module not in graph:
            sources[module] = (BROWSER / module).read_text(encoding="utf-8")
            graph[module] = [_resolved(module, path) for _, path in IMPORT.findall(sources[module])]
            waiting += graph[module]
    order = [*TopologicalSorter(graph).static_order()]
    names = {module: f"m{number}" for number, module in enumerate(order)}
    parts = [_as_function(module, sources[module], names) for module in order]
    ends = [f"const {name} = {names[module]}.{export};\n" for name, (module, export) in wanted.items()]
    return "".join([*parts, *ends]).replace("</script", "<\\/script")


def _as_function(module: str, source: str, names: Mapping[str, str]) -> str:
    def taken(found: re.Match[str]) -> str:
        if found[1] is None:  # imported for what it does
            return ""
        return f"const {{{found[1].replace(' as ', ': ')}}} = {names[_resolved(module, found[2])]};\n"

    exports = [f"default: {name}" if default else name for name, default in EXPORT.findall(source)]
    body = EXPORT.sub("", IMPORT.sub(taken, DOCUMENTATION.sub("", source).replace(NOTHING, "")))
    return f"const {names[module]} = (() => {{\n{body}return {{ {', '.join(exports)} }};\n}})();\n"


def _resolved(module: str, imported: str) -> str:
    """Return the path, relative to the folder, of a module imported by another."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), imported))


def stylesheet(name: str) -> str:
    """Return a style sheet with its imports inlined, each in its layer."""

    def imported(found: re.Match[str]) -> str:
        content = stylesheet(found[1])
        return f"@layer {found[2]} {{\n{content}}}\n" if found[2] else content

    return CSS_IMPORT.sub(imported, (BROWSER / "css" / name).read_text(encoding="utf-8"))
