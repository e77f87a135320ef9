"""Honest comparison of methods: repeated splits, model selection, paired tests, margins over splits."""

from mdcore.study.comparison import VOTES, Comparison, majority_row, margin_summary, summary
from mdcore.study.curves import band, examples, margin_axis
from mdcore.study.data import Data, data_of
from mdcore.study.differences import (
    WHAT_TESTS_SAY,
    WHY_TWO_TESTS,
    Difference,
    against_majority,
    difference,
    differences,
    holm,
)
from mdcore.study.headline import fitting_score, headline
from mdcore.study.plan import Candidate, Plan
from mdcore.study.references import LEARNERS, MAJORITY, REFERENCES, is_reference
from mdcore.study.report import numbers
from mdcore.study.run import begin, compare, results
from mdcore.study.saving import from_json, to_json
from mdcore.study.scores import SCORES
from mdcore.study.trial import Failure, Result

__all__ = [
    "LEARNERS",
    "MAJORITY",
    "REFERENCES",
    "SCORES",
    "VOTES",
    "WHAT_TESTS_SAY",
    "WHY_TWO_TESTS",
    "Candidate",
    "Comparison",
    "Data",
    "Difference",
    "Failure",
    "Plan",
    "Result",
    "against_majority",
    "band",
    "begin",
    "compare",
    "data_of",
    "difference",
    "differences",
    "examples",
    "fitting_score",
    "from_json",
    "headline",
    "holm",
    "is_reference",
    "majority_row",
    "margin_axis",
    "margin_summary",
    "numbers",
    "results",
    "summary",
    "to_json",
]
