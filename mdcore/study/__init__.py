"""Honest comparison of methods: repeated splits, model selection, paired tests, margins over splits."""

from mdcore.study.comparison import VOTES, Comparison, margin_summary, summary
from mdcore.study.curves import band, examples, margin_axis
from mdcore.study.data import Data, data_of
from mdcore.study.differences import WHY_TWO_TESTS, Difference, difference, differences
from mdcore.study.plan import Candidate, Plan
from mdcore.study.report import numbers
from mdcore.study.run import begin, compare, results
from mdcore.study.saving import from_json, to_json
from mdcore.study.scores import SCORES
from mdcore.study.trial import Failure, Result

__all__ = [
    "SCORES",
    "VOTES",
    "WHY_TWO_TESTS",
    "Candidate",
    "Comparison",
    "Data",
    "Difference",
    "Failure",
    "Plan",
    "Result",
    "band",
    "begin",
    "compare",
    "data_of",
    "difference",
    "differences",
    "examples",
    "from_json",
    "margin_axis",
    "margin_summary",
    "numbers",
    "results",
    "summary",
    "to_json",
]
