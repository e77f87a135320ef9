"""The text below a paper's tables in RESULTS.md: where the results differ from the printed values, and what was not
run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdcore.basics.text import count, fixed, signed
from mdcore.papers.table_report import TableEntry, TableReport

NOT_RUN_YET = "not run yet"
DATA_MISSING = "not run, neither bundled nor in the data folder"

EntryInReport = tuple[TableReport, TableEntry]


def differences(reports: Sequence[TableReport]) -> Iterator[str]:
    """Yield how many means lie within two printed deviations, and list the others.

    If the paper prints no deviations, yield the relative differences instead.
    """
    comparable = [(made, f) for made in reports for _, f in sorted(made.entries.items()) if f.within is not None]
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
    done = {key for key, entry in report.entries.items() if entry.n}
    reasons: dict[str, list[str]] = {}
    for name, table_set in table.sets.items():
        wanted = [method for dataset, method in table.printed if dataset == name]
        missing = [method for method in wanted if (name, method) not in done]
        if missing:
            which = "" if missing == wanted else f" ({', '.join(table.methods[key].label for key in missing)})"
            known = table_set.unavailable or table_set.beyond
            reason = f"not run, {known}" if known else NOT_RUN_YET if table_set.printed.catalogue_key else DATA_MISSING
            reasons.setdefault(reason, []).append(f"{name}{which}")
    yield from (f"{', '.join(names)}: {reason}." for reason, names in reasons.items())


def _count_within(part: Sequence[EntryInReport]) -> int:
    return sum(bool(entry.within) for _, entry in part)


def _deviation_text(made: TableReport, entry: TableEntry) -> str:
    table, digits = made.protocol, made.protocol.digits
    assert entry.mean is not None
    assert entry.printed is not None
    means = f"{fixed(entry.mean, digits)} instead of {fixed(entry.printed.mean, digits)}"
    where = f"{entry.dataset}, {table.methods[entry.method].label} in Table {table.table}"
    return f"{where} ({means}, {entry.n} of {entry.wanted} splits)"


def _relative_differences(made: TableReport) -> Iterator[str]:
    """Yield for each method the range of its relative differences from the printed values, in per cent."""
    for key in made.methods:
        shares = [100.0 * f.difference / f.printed.mean for (_, method), f in made.entries.items()
                  if method == key and f.difference is not None and f.printed is not None]  # fmt: skip
        if shares:
            low, high = (f"{signed(share, 1)} %" for share in (min(shares), max(shares)))
            span = low if low == high else f"{low} to {high}"
            label = made.protocol.methods[key].label
            yield f"{label} differs by {span} from the printed values on {count(len(shares), 'set')}."
