"""The data sets in the papers' tables: their names and shapes as printed, and where to find them.

`openml` is the id of the set, not yet checked against OpenML, or else the name to search for; it is empty if the set is
not known to be there. `catalogue_key` is the key of the same set in the catalogue: one of scikit-learn's sets, a
generator, or a file in the data folder. Shapes differ if a paper encoded or selected columns, which `note` mentions if
it is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

LDM_2014 = "ldm-2014"
MCODM_2017 = "mcodm-2017"
MSVMAV_2022 = "msvmav-2022"
MAMC_2016 = "mamc-2016"
PUMMA_2009 = "pumma-2009"


@dataclass(frozen=True)
class PaperSet:
    """A row in a paper's table of data sets. For the MAMC paper, `rows` counts training and test rows together."""

    paper: str
    table: int
    name: str
    rows: int
    features: int
    classes: int
    openml: int | str = ""
    catalogue_key: str = ""
    note: str = ""


def _sets(paper: str, table: int, *entries: tuple[str, int, int, int, int | str, str, str]) -> Iterator[PaperSet]:
    for name, rows, features, classes, openml, catalogue_key, note in entries:
        yield PaperSet(paper, table, name, rows, features, classes, openml, catalogue_key, note)


PAPER_SETS: tuple[PaperSet, ...] = (
    *_sets(
        LDM_2014,
        1,
        ("promoters", 106, 57, 2, "molecular-biology_promoters", "", ""),
        ("planning", 182, 12, 2, 1490, "folder:planning-relax", ""),
        ("colic", 188, 13, 2, "colic", "", "a selection of its rows and columns"),
        ("parkinsons", 195, 22, 2, 1488, "folder:parkinsons", ""),
        ("colic.ORIG", 205, 17, 2, "colic", "folder:horse-colic-orig", "a selection of 300 rows and 25 columns"),
        ("sonar", 208, 60, 2, 40, "folder:sonar", ""),
        ("vote", 232, 16, 2, 56, "", "those of 435 rows without missing values"),
        ("house", 232, 16, 2, 56, "", "those of 435 rows without missing values"),
        ("heart", 270, 9, 2, 53, "folder:heart", "9 of 13 columns"),
        ("breast", 277, 9, 2, 13, "", "those of 286 rows without missing values"),
        ("haberman", 306, 14, 2, 43, "folder:haberman", "3 columns, the year probably one-hot encoded"),
        ("vehicle", 435, 16, 2, 54, "folder:vehicle2", "bus and saab; 16 of 18 columns"),
        ("clean1", 476, 166, 2, "clean1", "folder:clean1", ""),
        ("wdbc", 569, 14, 2, 1510, "breast-cancer", "14 of 30 columns"),
        ("isolet", 600, 51, 2, 300, "", "two of 26 classes; a selection of 617 columns"),
        ("credit-a", 653, 15, 2, 29, "folder:credit-a", "those of 690 rows without missing values"),
        ("austra", 690, 15, 2, 40981, "folder:australian", "14 columns, one encoded"),
        ("australian", 690, 42, 2, 40981, "folder:australian", "14 columns, categories one-hot encoded"),
        ("fourclass", 862, 2, 2, "fourclass", "folder:fourclass", ""),
        ("german", 1000, 59, 2, 31, "folder:german", "20 columns, categories encoded"),
        ("farm-ads", 4143, 54877, 2, "", "", ""),
        ("news20", 19996, 1355191, 2, "news20", "", ""),
        ("adult-a", 32561, 123, 2, "a9a", "folder:adult-8k", "the folder has its first 8,000 rows"),
        ("w8a", 49749, 300, 2, "w8a", "", ""),
        ("cod-rna", 59535, 8, 2, "cod-rna", "", ""),
        ("real-sim", 72309, 20958, 2, "real-sim", "", ""),
        ("ijcnn1", 141691, 22, 2, "ijcnn", "", ""),
        ("skin", 245057, 3, 2, 1502, "", ""),
        ("covtype", 581012, 54, 2, "covertype", "", "seven classes grouped into two"),
        ("rcv1", 697641, 47236, 2, "rcv1.binary", "", ""),
        ("url", 2396130, 3231961, 2, "", "", ""),
        ("kdd2010", 8407752, 20216830, 2, "", "", ""),
    ),
    *_sets(
        MCODM_2017,
        1,
        ("iris", 150, 4, 3, 61, "iris", ""),
        ("wine", 178, 13, 3, 187, "wine", ""),
        ("glass", 214, 9, 6, 41, "", ""),
        ("svmguide2", 391, 20, 3, "svmguide2", "folder:svmguide2", ""),
        ("svmguide4", 612, 10, 6, "svmguide4", "", ""),
        ("vehicle", 846, 18, 4, 54, "folder:vehicle", ""),
        ("vowel", 990, 10, 11, 307, "", "without speaker, sex and the given split"),
        ("segment", 2310, 19, 7, 36, "folder:segment", ""),
        ("dna", 3186, 180, 3, 40670, "folder:dna", ""),
        ("satimage", 6435, 36, 6, 182, "folder:satimage", ""),
        ("usps", 9298, 256, 10, "USPS", "", ""),
        ("sector", 9619, 55197, 105, "sector", "", ""),
        ("pendigits", 10992, 16, 10, 32, "folder:pendigits", ""),
        ("news20", 19928, 62061, 20, "news20", "", ""),
        ("letter", 20000, 16, 26, 6, "folder:letter", ""),
        ("protein", 24387, 357, 3, "protein", "", ""),
        ("shuttle", 58000, 9, 7, 40685, "", ""),
        ("connect-4", 67557, 126, 3, 40668, "", "42 columns, categories one-hot encoded"),
        ("mnist", 70000, 780, 10, 554, "", "784 pixels, without those that are always 0"),
        ("aloi", 108000, 128, 1000, "aloi", "", ""),
        ("rcv1", 534135, 47236, 53, "", "", ""),
        ("covtype", 581012, 54, 7, "covertype", "", ""),
    ),
    *_sets(
        MSVMAV_2022,
        3,
        ("advertise", 3279, 1558, 2, 40978, "", ""),
        ("australian", 690, 14, 2, 40981, "folder:australian", ""),
        ("bibtex", 7395, 1836, 2, "bibtex", "", ""),
        ("biodeg", 1055, 41, 2, 1494, "folder:biodeg", ""),
        ("breastw", 683, 9, 2, 15, "", "those of 699 rows without missing values"),
        ("diabetes", 768, 8, 2, 37, "", ""),
        ("emotions", 593, 72, 2, "emotions", "", ""),
        ("german", 1000, 24, 2, "german.numer", "folder:german24", ""),
        ("halloffame", 1320, 22, 2, "analcatdata_halloffame", "", ""),
        ("hill-valley", 1212, 100, 2, 1479, "folder:hill-valley", ""),
        ("kc1", 2109, 21, 2, 1067, "folder:kc1", ""),
        (
            "parkinsons",
            208,
            60,
            2,
            1488,
            "folder:parkinsons",
            "printed with sonar's shape, run on 39 test rows",
        ),
        ("pbseq", 1113, 21, 2, "pbcseq", "", ""),
        ("sleepdata", 1024, 2, 2, "sleuth_case2002", "", "name uncertain"),
        ("students", 1000, 18, 2, "", "", ""),
        ("titanic", 2201, 3, 2, 40704, "folder:titanic", ""),
        ("tokyo1", 959, 44, 2, 40705, "folder:tokyo1", ""),
        ("vehicle", 846, 18, 2, 54, "folder:vehicle", "four classes grouped into two"),
        ("vertebra", 310, 6, 2, "vertebra-column", "", ""),
        ("wdbc", 569, 30, 2, 1510, "breast-cancer", ""),
        ("a9a", 32561, 123, 2, "a9a", "folder:adult-8k", "the folder has its first 8,000 rows"),
        ("acoustic", 78823, 50, 2, "acoustic", "", ""),
        ("bank", 45211, 51, 2, 1461, "", "16 columns, categories one-hot encoded"),
        ("eurgbp", 43825, 10, 2, "", "", ""),
        ("jm1", 10880, 21, 2, 1053, "", "those of 10,885 rows without missing values"),
        ("magic", 19020, 10, 2, 1120, "folder:magic", ""),
        ("nomao", 34465, 118, 2, 1486, "", ""),
        ("phishing", 11055, 68, 2, 4534, "", "30 columns, categories one-hot encoded"),
        ("pol", 15000, 44, 2, "pol", "", ""),
        ("run-walk", 88588, 6, 2, 40922, "", ""),
    ),
    *_sets(
        MAMC_2016,
        1,
        ("Banana", 5300, 2, 2, 1460, "folder:banana", ""),
        ("Breast cancer", 277, 9, 2, 13, "", "those of 286 rows without missing values"),
        ("Diabetes", 768, 8, 2, 37, "", ""),
        ("Flare-solar", 1066, 9, 2, "solar-flare", "", "several classes grouped into two"),
        ("German", 1000, 20, 2, 31, "folder:german", ""),
        ("Heart", 270, 13, 2, 53, "folder:heart", ""),
        ("Image", 2310, 18, 2, 36, "folder:segment", "seven classes grouped into two; a constant column left out"),
        ("Ringnorm", 7400, 20, 2, 1496, "folder:ringnorm", "the published generator, with 7,400 rows"),
        ("Splice", 3175, 60, 2, 46, "", "three classes grouped into two"),
        ("Thyroid", 215, 5, 2, "new-thyroid", "folder:new-thyroid", "1 vs rest"),
        ("Titanic", 2201, 3, 2, 40704, "folder:titanic", ""),
        ("Twonorm", 7400, 20, 2, 1507, "folder:twonorm", ""),
        ("Waveform", 5000, 21, 2, "waveform-5000", "folder:waveform", "0 vs rest"),
    ),
    *_sets(
        PUMMA_2009,
        1,
        ("ionosphere", 351, 34, 2, 59, "", ""),
        ("house-votes", 435, 16, 2, 56, "", "y, n and missing as 1, -1 and 0"),
        ("adult-1k", 1000, 123, 2, "a9a", "folder:adult-8k", "the first 1,000 rows; the paper does not say which"),
        ("adult-2k", 2000, 123, 2, "a9a", "folder:adult-8k", "the first 2,000 rows; the paper does not say which"),
        ("adult-4k", 4000, 123, 2, "a9a", "folder:adult-8k", "the first 4,000 rows; the paper does not say which"),
        ("adult-8k", 8000, 123, 2, "a9a", "folder:adult-8k", "the first 8,000 rows; the paper does not say which"),
        ("adult-16k", 16000, 123, 2, "a9a", "", "the paper does not say which rows"),
        ("adult-full", 32561, 123, 2, "a9a", "folder:adult", "14 columns, encoded to 123 in the paper"),
    ),
)
