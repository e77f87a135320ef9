"""Export of a model: a file for scikit-learn users, its audit, a model card, scores of new rows, and a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mdcore.basics.text import as_markdown, percent
from mdcore.data.tables.writing import write_csv
from mdcore.export.script import DataCode, plan_code, recipe_of
from mdcore.study import MAJORITY, SCORES, Comparison, answer, split_words
from mdcore.study.final import Final, scored


def model_file(final: Final) -> bytes:
    """Return the pipeline in the format of skops, which runs no code from the file on loading."""
    import skops.io

    return bytes(skops.io.dumps(final.pipeline))


def audit(content: bytes) -> list[str]:
    """Return the types in a model file that skops does not trust by default; users have to list them on loading."""
    import skops.io

    return sorted(map(str, skops.io.get_untrusted_types(data=content)))


def scored_csv(final: Final, X: Any) -> str:
    """Return a line for every row, numbered from 0."""
    found = scored(final, X)
    return write_csv(["row", *found], zip(range(len(X)), *(values.tolist() for values in found.values()), strict=True))


def card(
    final: Final, comparison: Comparison, score: str, facts: Sequence[tuple[str, str]], notes: Sequence[str]
) -> str:
    """Return a model card in Markdown: data, splits, scores, parameters, notes, how to load the model, versions."""
    name, plan = comparison.names[final.key], comparison.plan
    scores = [
        f"| {title} | {_score_text(comparison, final.key, key)} | {_score_text(comparison, MAJORITY, key)} |"
        for key, title in SCORES.items()
    ]
    lines = [
        f"# {name}",
        "",
        as_markdown(answer(comparison, score)),
        "",
        "## Data",
        "",
        *(f"- {as_markdown(what)}: {as_markdown(value)}" for what, value in facts),
        f"- rows fitted on: {final.rows:,} of {len(comparison.y):,}",
        "",
        "## Scores",
        "",
        f"Mean ± standard deviation of models fitted on the training rows of {split_words(plan)} ("
        f"{percent(plan.test, 2)} of the rows for testing, seed {plan.seed}). The model itself is fitted on all rows.",
        "",
        f"| score | {name} | {as_markdown(comparison.baseline_name)} |",
        "|---|---|---|",
        *scores,
        "",
        "## Parameters",
        "",
        *(f"- {parameter} = {value!r}" for parameter, value in final.params.items()),
        "",
        "## Notes",
        "",
        *(f"- {as_markdown(note)}" for note in notes),
        "",
        "## Loading",
        "",
        "```python",
        "import skops.io",
        'unknown = skops.io.get_untrusted_types(file="model.skops")  # review them before you trust them',
        'model = skops.io.load("model.skops", trusted=unknown)',
        "```",
        "",
        f"Types that skops does not trust by default: {', '.join(audit(model_file(final)))}.",
        "",
        "## Versions",
        "",
        *(f"- {package} {version}" for package, version in comparison.versions),
        "",
    ]
    return "\n".join(lines)


def model_script(comparison: Comparison, key: str, data: DataCode) -> str:
    """Return a script that recreates the model and writes `model.skops`.

    For the user's own table, the script also takes a file as its argument and writes the scores of its rows to
    `scored.csv`.
    """
    imports = [
        *data.imports,
        "from pathlib import Path",
        "from mdcore.export.model import model_file, scored_csv",
        "from mdcore.study import Candidate, Plan, Within",
        "from mdcore.study.final import final_model",
        "from mdcore.experiment import KernelKey",
    ]
    lines = [*data.lines, "", *plan_code(comparison.plan), ""]
    if data.table:
        imports += ["import sys", "from mdcore.data.tables.scoring import new_inputs, read_alike"]
        imports += ["from mdcore.study import data_of_table"]
        lines += ["data = data_of_table(table, choices, chosen)"]
    lines += [f"final = final_model(data, plan, {key!r})", 'Path("model.skops").write_bytes(model_file(final))']
    if data.table:
        lines += [
            "if len(sys.argv) > 1:",
            "    new = read_alike(Path(sys.argv[1]).read_bytes(), sys.argv[1], table)",
            "    rows, notes = new_inputs(table, choices, new)",
            '    Path("scored.csv").write_text(scored_csv(final, rows), encoding="utf-8", newline="")',
            '    print("\\n".join(notes))',
        ]
    return recipe_of("Recreate a model of Margin Lab.", comparison, imports, lines).script()


def _score_text(comparison: Comparison, key: str, score: str) -> str:
    reached = comparison.spread(key, score)
    return f"{reached.mean!r} ± {reached.deviation!r}"
