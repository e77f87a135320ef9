"""The text below a paper's tables in RESULTS.md: where the results differ from the printed values, and what was not
run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdcore.papers.report import Figure, TableReport

NOT_RUN_YET = "not run yet"
DATA_MISSING = "not run, neither bundled nor in the data folder"

FigureInReport = tuple[TableReport, Figure]


def differences(reports: Sequence[TableReport]) -> Iterator[str]:
    """Yield how many means lie within two printed deviations, and list the others.

    If the paper prints no deviations, yield the relative differences instead.
    """
    comparable = [(made, f) for made in reports for f in made.figures.values() if f.within is not None]
    if not comparable:
        yield "The paper prints no deviations to compare with."
        yield from (f"- {text}" for made in reports for text in _relative_differences(made))
        return
    yield f"{_count_within(comparable)} of {len(comparable)} means lie within two printed standard deviations."
    for shape, differs in (("the printed shape", False), ("another shape", True)):
        part = [(made, f) for made, f in comparable if (f.dataset in made.differs) is differs]
        if part:
            outside = "; ".join(_deviation_text(made, f) for made, f in part if not f.within)
            others = f" The others: {outside}." if outside else ""
            yield f"- On sets of {shape} {_count_within(part)} of {len(part)} do.{others}"


def not_run(report: TableReport) -> Iterator[str]:
    """Yield the printed values that a table lacks, with the reasons."""
    table = report.protocol
    done = {key for key, figure in report.figures.items() if figure.n}
    reasons: dict[str, list[str]] = {}
    for name, entry in table.sets.items():
        wanted = [method for dataset, method in table.printed if dataset == name]
        missing = [method for method in wanted if (name, method) not in done]
        if missing:
            which = "" if missing == wanted else f" ({', '.join(table.methods[key].label for key in missing)})"
            known = entry.unavailable or entry.beyond
            reason = f"not run, {known}" if known else NOT_RUN_YET if entry.printed.catalogue_key else DATA_MISSING
            reasons.setdefault(reason, []).append(f"{name}{which}")
    yield from (f"{', '.join(names)}: {reason}." for reason, names in reasons.items())


def _count_within(part: Sequence[FigureInReport]) -> int:
    return sum(bool(figure.within) for _, figure in part)


def _deviation_text(made: TableReport, figure: Figure) -> str:
    table, digits = made.protocol, made.protocol.digits
    assert figure.mean is not None
    assert figure.printed is not None
    means = f"{figure.mean:.{digits}f} instead of {figure.printed.mean:.{digits}f}"
    where = f"{figure.dataset}, {table.methods[figure.method].label} in Table {table.table}"
    return f"{where} ({means}, {figure.n} of {figure.wanted} splits)"


def _relative_differences(made: TableReport) -> Iterator[str]:
    """Yield for each method the range of its relative differences from the printed values, in per cent."""
    for key in made.methods:
        shares = [100.0 * f.difference / f.printed.mean for (_, method), f in made.figures.items()
                  if method == key and f.difference is not None and f.printed is not None]  # fmt: skip
        if shares:
            low, high = (f"{share:+.1f} %".replace("-", "−") for share in (min(shares), max(shares)))
            span = low if low == high else f"{low} to {high}"
            label, sets = made.protocol.methods[key].label, len(shares)
            yield f"{label} differs by {span} from the printed values on {sets} set{'s' if sets > 1 else ''}."
