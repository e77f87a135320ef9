"""The parts of the papers' tables in RESULTS.md, in the order in which they are computed."""

from __future__ import annotations

from collections.abc import Iterator

from mdcore.papers.protocol import protocol
from mdcore.papers.run_plan import TableRequest

ROUNDS = (1, 3, 10, 30, 100)  # splits: every table gets some splits before any table gets all

Part = tuple[str, int, tuple[str, ...], tuple[str, ...]]  # paper, table, sets, and methods: all if none are named

SMALL = ("planning", "parkinsons", "sonar", "heart", "haberman")
MIDDLE = ("vehicle", "clean1", "wdbc", "credit-a", "austra", "australian", "fourclass", "german")
GENERATED = ("Banana", "Ringnorm", "Twonorm", "Waveform")
AVERAGES = ("australian", "biodeg", "german", "wdbc", "tokyo1", "vehicle", "kc1", "hill-valley")
PARTS: tuple[Part, ...] = (
    ("ldm-2014", 3, SMALL, ()),
    ("ldm-2014", 2, SMALL, ()),
    ("mamc-2016", 2, ("Heart", "Thyroid", "Titanic"), ()),
    ("mcodm-2017", 2, ("iris", "wine"), ()),
    ("pumma-2009", 1, ("adult-1k",), ()),
    ("msvmav-2022", 1, ("parkinsons", "titanic"), ("msvmav", "svm", "lssvm", "mamc")),
    ("msvmav-2022", 1, ("parkinsons",), ("svr", "odm", "fmm")),
    ("ldm-2014", 2, MIDDLE, ()),
    ("ldm-2014", 3, MIDDLE, ("svm", "mamc", "komd")),
    ("mcodm-2017", 2, ("svmguide2", "vehicle"), ("mcsvm", "ova", "ovo", "ecoc")),
    ("mamc-2016", 2, (*GENERATED, "German"), ("mamc_bs", "mamc_b", "mamc")),
    ("msvmav-2022", 2, ("parkinsons",), ("svm", "lssvm", "mamc")),
    ("msvmav-2022", 1, AVERAGES, ("msvmav", "svm", "lssvm", "mamc")),
    ("ldm-2014", 3, MIDDLE, ("ldm",)),
    ("pumma-2009", 1, ("adult-2k",), ()),
    ("mcodm-2017", 2, ("svmguide2", "vehicle"), ("mcodm",)),
    ("mamc-2016", 2, (*GENERATED, "German"), ("mamc_bsg", "emamc", "svm")),
    ("msvmav-2022", 2, ("parkinsons",), ("msvmav", "svr", "odm", "fmm")),
    ("msvmav-2022", 1, ("titanic", *AVERAGES), ("svr", "odm", "fmm")),
    ("mcodm-2017", 2, ("segment", "dna"), ("mcsvm", "ova", "ovo", "ecoc")),
    ("msvmav-2022", 2, ("titanic", *AVERAGES), ("svm", "lssvm", "mamc")),
    ("ldm-2014", 4, ("adult-a",), ()),
    ("msvmav-2022", 1, ("magic", "a9a"), ()),
    ("mcodm-2017", 2, ("segment", "dna"), ("mcodm",)),
    ("mcodm-2017", 2, ("satimage", "pendigits"), ("mcsvm", "ova", "ovo", "ecoc")),
    ("mcodm-2017", 2, ("letter",), ("mcsvm", "ova", "ovo")),
    ("mcodm-2017", 2, ("satimage", "pendigits"), ("mcodm",)),
    ("pumma-2009", 1, ("adult-4k", "adult-8k"), ()),
    ("msvmav-2022", 2, ("titanic", *AVERAGES), ("svr", "odm", "fmm")),
    ("msvmav-2022", 2, ("titanic", "australian", "german", "wdbc", "tokyo1", "vehicle", "biodeg"), ("msvmav",)),
)


def steps() -> Iterator[TableRequest]:
    """Yield each part repeatedly, with more splits each time, up to the number of splits of its table."""
    reached: dict[Part, int] = {}
    for splits in ROUNDS:
        for part in PARTS:
            paper, number, datasets, methods = part
            table = protocol(paper, number)
            most = max(table.set(name).splits for name in datasets)
            if reached.get(part, 0) < min(splits, most):
                reached[part] = min(splits, most)
                yield TableRequest(paper, number, datasets, methods or tuple(table.methods), reached[part])
