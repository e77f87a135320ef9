"""Which parts of the papers' tables RESULTS.md holds, and in which order they are computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mdcore.papers.protocol import Protocol, protocol

ROUNDS = (1, 3, 10, 30, 100)  # splits: every table grows a little before any of them is whole


@dataclass(frozen=True)
class Part:
    """Sets of a table with some of its methods, all where none are named."""

    paper: str
    table: int
    datasets: tuple[str, ...]
    methods: tuple[str, ...] = ()

    @property
    def protocol(self) -> Protocol:
        return protocol(self.paper, self.table)


SMALL = ("planning", "parkinsons", "sonar", "heart", "haberman")
MIDDLE = ("vehicle", "clean1", "wdbc", "credit-a", "austra", "australian", "fourclass", "german")
GENERATED = ("Banana", "Ringnorm", "Twonorm", "Waveform")
AVERAGES = ("australian", "biodeg", "german", "wdbc", "tokyo1", "vehicle", "kc1", "hill-valley")
PARTS = (
    Part("ldm-2014", 3, SMALL),
    Part("ldm-2014", 2, SMALL),
    Part("mamc-2016", 2, ("Heart", "Thyroid", "Titanic")),
    Part("mcodm-2017", 2, ("iris", "wine")),
    Part("pumma-2009", 1, ("adult-1k",)),
    Part("msvmav-2022", 1, ("parkinsons", "titanic"), ("msvmav", "svm", "lssvm", "mamc")),
    Part("msvmav-2022", 1, ("parkinsons",), ("svr", "odm", "fmm")),
    Part("ldm-2014", 2, MIDDLE),
    Part("ldm-2014", 3, MIDDLE, ("svm", "mamc", "komd")),
    Part("mcodm-2017", 2, ("svmguide2", "vehicle"), ("mcsvm", "ova", "ovo", "ecoc")),
    Part("mamc-2016", 2, (*GENERATED, "German"), ("mamc_bs", "mamc_b", "mamc")),
    Part("msvmav-2022", 2, ("parkinsons",), ("svm", "lssvm", "mamc")),
    Part("msvmav-2022", 1, AVERAGES, ("msvmav", "svm", "lssvm", "mamc")),
    Part("ldm-2014", 3, MIDDLE, ("ldm",)),
    Part("pumma-2009", 1, ("adult-2k",)),
    Part("mcodm-2017", 2, ("svmguide2", "vehicle"), ("mcodm",)),
    Part("mamc-2016", 2, (*GENERATED, "German"), ("mamc_bsg", "emamc", "svm")),
    Part("msvmav-2022", 2, ("parkinsons",), ("msvmav", "svr", "odm", "fmm")),
    Part("msvmav-2022", 1, ("titanic", *AVERAGES), ("svr", "odm", "fmm")),
    Part("mcodm-2017", 2, ("segment", "dna"), ("mcsvm", "ova", "ovo", "ecoc")),
    Part("msvmav-2022", 2, ("titanic", *AVERAGES), ("svm", "lssvm", "mamc")),
    Part("ldm-2014", 4, ("adult-a",)),
    Part("msvmav-2022", 1, ("magic", "a9a")),
    Part("mcodm-2017", 2, ("segment", "dna"), ("mcodm",)),
    Part("mcodm-2017", 2, ("satimage", "pendigits"), ("mcsvm", "ova", "ovo", "ecoc")),
    Part("mcodm-2017", 2, ("letter",), ("mcsvm", "ova", "ovo")),
    Part("mcodm-2017", 2, ("satimage", "pendigits"), ("mcodm",)),
    Part("pumma-2009", 1, ("adult-4k", "adult-8k")),
    Part("msvmav-2022", 2, ("titanic", *AVERAGES), ("svr", "odm", "fmm")),
    Part("msvmav-2022", 2, ("titanic", "australian", "german", "wdbc", "tokyo1", "vehicle", "biodeg"), ("msvmav",)),
)


def steps() -> Iterator[tuple[Part, int]]:
    """Yield the parts again and again, with more splits each time, as far as their tables have them."""
    reached: dict[Part, int] = {}
    for splits in ROUNDS:
        for part in PARTS:
            most = max(part.protocol.set(name).splits for name in part.datasets)
            if reached.get(part, 0) < min(splits, most):
                reached[part] = min(splits, most)
                yield part, reached[part]
