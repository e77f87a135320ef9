"""The parts of the papers' tables in RESULTS.md, in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mdcore.papers.protocol import TableProtocol, protocol

ROUNDS = (1, 3, 10, 30, 100)  # splits: every table gets some splits before any table gets all


@dataclass(frozen=True)
class TablePart:
    """Some sets of a table with some of its methods, or with all methods if none are named."""

    paper: str
    table: int
    datasets: tuple[str, ...]
    methods: tuple[str, ...] = ()

    @property
    def protocol(self) -> TableProtocol:
        return protocol(self.paper, self.table)


SMALL = ("planning", "parkinsons", "sonar", "heart", "haberman")
MIDDLE = ("vehicle", "clean1", "wdbc", "credit-a", "austra", "australian", "fourclass", "german")
GENERATED = ("Banana", "Ringnorm", "Twonorm", "Waveform")
AVERAGES = ("australian", "biodeg", "german", "wdbc", "tokyo1", "vehicle", "kc1", "hill-valley")
PARTS = (
    TablePart("ldm-2014", 3, SMALL),
    TablePart("ldm-2014", 2, SMALL),
    TablePart("mamc-2016", 2, ("Heart", "Thyroid", "Titanic")),
    TablePart("mcodm-2017", 2, ("iris", "wine")),
    TablePart("pumma-2009", 1, ("adult-1k",)),
    TablePart("msvmav-2022", 1, ("parkinsons", "titanic"), ("msvmav", "svm", "lssvm", "mamc")),
    TablePart("msvmav-2022", 1, ("parkinsons",), ("svr", "odm", "fmm")),
    TablePart("ldm-2014", 2, MIDDLE),
    TablePart("ldm-2014", 3, MIDDLE, ("svm", "mamc", "komd")),
    TablePart("mcodm-2017", 2, ("svmguide2", "vehicle"), ("mcsvm", "ova", "ovo", "ecoc")),
    TablePart("mamc-2016", 2, (*GENERATED, "German"), ("mamc_bs", "mamc_b", "mamc")),
    TablePart("msvmav-2022", 2, ("parkinsons",), ("svm", "lssvm", "mamc")),
    TablePart("msvmav-2022", 1, AVERAGES, ("msvmav", "svm", "lssvm", "mamc")),
    TablePart("ldm-2014", 3, MIDDLE, ("ldm",)),
    TablePart("pumma-2009", 1, ("adult-2k",)),
    TablePart("mcodm-2017", 2, ("svmguide2", "vehicle"), ("mcodm",)),
    TablePart("mamc-2016", 2, (*GENERATED, "German"), ("mamc_bsg", "emamc", "svm")),
    TablePart("msvmav-2022", 2, ("parkinsons",), ("msvmav", "svr", "odm", "fmm")),
    TablePart("msvmav-2022", 1, ("titanic", *AVERAGES), ("svr", "odm", "fmm")),
    TablePart("mcodm-2017", 2, ("segment", "dna"), ("mcsvm", "ova", "ovo", "ecoc")),
    TablePart("msvmav-2022", 2, ("titanic", *AVERAGES), ("svm", "lssvm", "mamc")),
    TablePart("ldm-2014", 4, ("adult-a",)),
    TablePart("msvmav-2022", 1, ("magic", "a9a")),
    TablePart("mcodm-2017", 2, ("segment", "dna"), ("mcodm",)),
    TablePart("mcodm-2017", 2, ("satimage", "pendigits"), ("mcsvm", "ova", "ovo", "ecoc")),
    TablePart("mcodm-2017", 2, ("letter",), ("mcsvm", "ova", "ovo")),
    TablePart("mcodm-2017", 2, ("satimage", "pendigits"), ("mcodm",)),
    TablePart("pumma-2009", 1, ("adult-4k", "adult-8k")),
    TablePart("msvmav-2022", 2, ("titanic", *AVERAGES), ("svr", "odm", "fmm")),
    TablePart(
        "msvmav-2022", 2, ("titanic", "australian", "german", "wdbc", "tokyo1", "vehicle", "biodeg"), ("msvmav",)
    ),
)


def steps() -> Iterator[tuple[TablePart, int]]:
    """Yield each part repeatedly, with more splits each time, up to the number of splits of its table."""
    reached: dict[TablePart, int] = {}
    for splits in ROUNDS:
        for part in PARTS:
            most = max(part.protocol.set(name).splits for name in part.datasets)
            if reached.get(part, 0) < min(splits, most):
                reached[part] = min(splits, most)
                yield part, reached[part]
