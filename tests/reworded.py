"""What the library decides, as facts without a sentence: run with `--reworded`, it loads every module with other words.

All letters of a text that people read change their case. Names stay: what a `Literal`, a comparison, a subscript or the
key of a mapping spells out, and words that stand alone.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PLACEHOLDER = re.compile(r"(\{[^{}]*\}|%[sdr])")
WORDS = re.compile(r"[^\W\d_]+[^\w]* +[^\w]*[^\W\d_]+|[^\W\d_][.:,]( |$)|^[.:,;]? [^\W\d_]{2,}|[^\W\d_]{2,} $")
MARKUP = re.compile(r"</|/>|<\w+ |\{[^}]*:[^}]*;|=\"")


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def names() -> frozenset[str]:
    """Return the texts that are names somewhere in the library."""
    found: set[str] = set()
    for path in sorted((ROOT / "mdcore").rglob("*.py")):
        for node in ast.walk(parsed(path)):
            found.update(spelled(node))
    return frozenset(found)


def spelled(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Subscript):
        inside: list[ast.AST] = list(ast.walk(node.slice))
    elif isinstance(node, ast.Compare):
        inside = [node.left, *node.comparators]
    elif isinstance(node, ast.Dict):
        inside = [key for key in node.keys if key is not None]
    else:
        return
    yield from (one.value for one in inside if isinstance(one, ast.Constant) and isinstance(one.value, str))


class Reworded(ast.NodeTransformer):
    """Other words for everything that is read: texts of several words, and the parts of a text with values in it.

    Outside of functions, only whole sentences are: patterns and lists of words stand there too.
    """

    def __init__(self) -> None:
        self.depth, self.changed = 0, 0

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        return node if isinstance(node.value, ast.Constant) else self.generic_visit(node)  # a docstring

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.depth += 1
        node.body = [self.visit(child) for child in node.body]
        self.depth -= 1
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Leave alone what is divided into words, and patterns."""
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in ("split", "compile", "get_params", "set_params"):
            return node
        return self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        text = node.value
        if not isinstance(text, str) or text in names() or MARKUP.search(text) or not WORDS.search(text):
            return node
        if not self.depth and not text.rstrip().endswith((".", ":", "?")):
            return node
        self.changed += 1
        parts = PLACEHOLDER.split(text)
        return ast.copy_location(ast.Constant("".join(swapped(part) for part in parts)), node)


def swapped(part: str) -> str:
    return part if PLACEHOLDER.fullmatch(part) else part.swapcase()


class Loader(importlib.machinery.SourceFileLoader):
    changed = 0

    def get_code(self, fullname: str) -> CodeType:
        path = Path(self.get_filename(fullname))
        rewriter = Reworded()
        tree = ast.fix_missing_locations(rewriter.visit(parsed(path)))
        Loader.changed += rewriter.changed
        code: CodeType = compile(tree, str(path), "exec", dont_inherit=True)
        return code


class Finder(importlib.abc.MetaPathFinder):
    """Loads the modules of the library with other words, but for those that hold code of scripts or of a compiler."""

    KEPT = ("mdcore.solvers", "mdcore.export", "mdcore.basics.source_code")

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith("mdcore") or name.startswith(self.KEPT):
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path)
        if found is not None and isinstance(found.loader, importlib.machinery.SourceFileLoader):
            found.loader = Loader(name, found.loader.path)
        return found


def facts() -> dict[str, Any]:
    """Return what tables, comparisons and refusals are, and the sentences beside them."""
    from dataclasses import replace

    from mdcore.data import DataProblem, propose, read_table, select
    from mdcore.data.tables import wording as of_tables
    from mdcore.data.tables.detection import Finding
    from mdcore.data.tables.proposals import propose_groups, propose_positive, time_columns
    from mdcore.experiment import Experiment
    from mdcore.experiment.query import BadKey
    from mdcore.study import compare, data_of_table, decide, first_plan, fitting_score, headline, notes, sentence
    from mdcore.study.board import board
    from mdcore.study.tables import tables
    from tests import odd_files, planted

    texts: list[str] = []

    def of_table(content: bytes, **options: Any) -> Any:
        try:
            table = read_table(content, "file.csv", **options)
            choices = propose(table)
            chosen = select(table, choices)
        except DataProblem as problem:
            texts.append(str(problem))
            return [type(problem).__name__, problem.key, sorted(problem.figures)]
        found = [one for one in (table.target, *vars(table.format).values()) if isinstance(one, Finding)]
        texts.extend([*map(of_tables.sentence, table.notes), *map(of_tables.reason, found)])
        texts.extend(map(of_tables.why, table.columns))
        groups, times = propose_groups(table, choices.target), time_columns(table, choices.target)
        columns = [list(vars(column).values()) for column in table.columns]
        told = [(note.kind, note.figures) for note in table.notes]
        form = [table.format.options(), *((one.value, one.kind) for one in found)]
        positive = propose_positive({str(name): 1 for name in chosen.classes}).value
        return [columns, told, form, groups and groups.value, times, positive, vars(choices)]

    def of_comparison(content: bytes) -> Any:
        table = read_table(content, "file.csv")
        choices = propose(table)
        data = data_of_table(table, choices, select(table, choices))
        plan = first_plan(data.y, methods=("svm",), tuning="none", repeats=4, scheme=choices.scheme)
        plan = replace(plan, candidates=tuple(c for c in plan.candidates if c.key in ("svm", "forest")))
        made = compare(data.X, data.y, data.preparation, plan, along=data.along)
        score = fitting_score(data.y)
        found, answer = notes(data, made, score), board(made, score)
        texts.extend([*map(sentence, found), headline(answer)])
        contrasts = [[(c.key, c.as_planned, c.otherwise, c.gap) for c in note.contrasts] for note in found]
        told = [(note.kind, note.prominent, sorted(note.figures)) for note in found]
        numbers = {
            name: [[value for value in record.values() if isinstance(value, float | int)] for record in records]
            for name, records in tables(made, "geometric").items()
        }
        timed = {name: records for name, records in numbers.items() if name in ("differences", "classes", "margins")}
        return [told, contrasts, [line.key for line in answer.lines], timed, len(decide(data, plan))]

    def of_query(query: str) -> Any:
        try:
            return Experiment.from_query(query).to_query()
        except BadKey as refused:
            texts.append(str(refused))
            return refused.key

    half = b"a,b,k\nmm,kg,\n" + b"1.5,2.5,x\n3.5,4.5,y\n" * 20
    faulty = {
        "empty": b"",
        "one column": b"a\n1\n2\n",
        "no rows": b"a,b\n",
        "a picture": b"\x89PNG",
        "binary": bytes(range(32)) * 20,
        "one class": b"a,b,k\n" + b"1.5,2.5,x\n3.5,4.5,x\n" * 5,
        "numbers as labels": b"a,b\n" + b"".join(b"%d.5,%d.25\n" % (i, i * i) for i in range(40)),
        "ragged": b"a,b,k\n1,2,x\n1,2\n" + b"3,4,y\n" * 9,
        "titles and footnotes": b"Sales,,\n\na,b,k\n" + b"1.5,2.5,x\n3.5,4.5,y\n" * 20 + b"Source: me\n",
        "units": half,
        "row names": b"a,k\n" + b"".join(b"r%d,%d.5,%s\n" % (i, i, b"xy"[i % 2 : i % 2 + 1]) for i in range(40)),
        "codes": b"a,b,k\n" + b"1.5,-999,x\n3.5,4.5,y\n2.5,7.5,y\n" * 20,
        "sum": b"a,b,k\n" + b"x,1,u\ny,2,v\n" * 20 + b"Total,60,\n",
        "odd cells": b"a,b,k\n" + b"".join(b"%d.5,%d.25,%d\n" % (i, i, i % 2) for i in range(60)) + b"see note,1,1\n",
        "case": b"a,b,k\n" + b"1.5,Old,x\n3.5,old,y\n2.5,new,y\n" * 20,
        "no names": b"a,,b,b,k\n" + b"1.5,2,3,4,x\n3.5,4,5,6,y\n" * 20,
        "years": b"year,b,k\n" + b"".join(b"%d,%d.25,%d\n" % (1990 + i // 3, i, i % 2) for i in range(60)),
        "groups": b"patient,b,k\n" + b"".join(b"%d,%d.25,%d\n" % (i // 5, i, i // 5 % 2) for i in range(60)),
    }
    made = {name: of_table(content) for name, content in faulty.items()}
    made |= {f"left out of {name}": of_table(faulty[name], ragged="leave out") for name in ("ragged",)}
    made |= {name: of_table(getattr(odd_files, name)()) for name in ("semicolons", "utf_16", "gaps", "letters")}
    queries = ("data=moons&n=0", "data=no", "methods=no", "ldm.lambda1=-1", "kernel=x", "gamma=a", "data=moons&n=50")
    compared = ("grouped", "copied", "doubled", "many_levels", "written_afterwards", "drifting")
    comparisons = {name: of_comparison(getattr(planted, name)(0)) for name in compared}
    return {"facts": [made, comparisons, [of_query(query) for query in queries]], "texts": texts}


if __name__ == "__main__":
    if "--reworded" in sys.argv:
        sys.meta_path.insert(0, Finder())
    json.dump({**facts(), "changed": Loader.changed}, sys.stdout, default=str)
