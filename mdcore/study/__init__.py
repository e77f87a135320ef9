"""Comparison of methods: repeated splits, model selection inside the training parts, paired tests, margins over
splits."""

from mdcore.spaces.within import EXACT, Within
from mdcore.study.approximation import Decision, by_rows, decide, with_decisions
from mdcore.study.as_text import numbers
from mdcore.study.board import Board, Gap, Line, board
from mdcore.study.comparison import Comparison, margin_summary, off_axis_notes, summary, unit_notes
from mdcore.study.contrast import Contrast
from mdcore.study.data import Data, SplitOption, data_of, data_of_table
from mdcore.study.default_plan import candidates, first_methods, first_plan, first_repeats
from mdcore.study.differences import (
    WHAT_TESTS_SAY,
    WHY_TWO_TESTS,
    Difference,
    against_majority,
    difference,
    differences,
    holm,
)
from mdcore.study.evaluation import Failure, Result
from mdcore.study.headline import answer, are_unequal, basis, fitting_score, fitting_scores, headline, split_words
from mdcore.study.margin_curves import band, examples, held_out_curves, margin_axis
from mdcore.study.notes import Note, notes
from mdcore.study.plan import Candidate, Plan
from mdcore.study.references import LEARNERS, MAJORITY, REFERENCES, is_reference
from mdcore.study.run import begin, compare, results
from mdcore.study.scores import SCORES
from mdcore.study.tables import class_records, leaderboard, majority_row, split_records, tables
from mdcore.study.wording import sentence

__all__ = [
    "EXACT",
    "LEARNERS",
    "MAJORITY",
    "REFERENCES",
    "SCORES",
    "WHAT_TESTS_SAY",
    "WHY_TWO_TESTS",
    "Board",
    "Candidate",
    "Comparison",
    "Contrast",
    "Data",
    "Decision",
    "Difference",
    "Failure",
    "Gap",
    "Line",
    "Note",
    "Plan",
    "Result",
    "SplitOption",
    "Within",
    "against_majority",
    "answer",
    "are_unequal",
    "band",
    "basis",
    "begin",
    "board",
    "by_rows",
    "candidates",
    "class_records",
    "compare",
    "data_of",
    "data_of_table",
    "decide",
    "difference",
    "differences",
    "examples",
    "first_methods",
    "first_plan",
    "first_repeats",
    "fitting_score",
    "fitting_scores",
    "headline",
    "held_out_curves",
    "holm",
    "is_reference",
    "leaderboard",
    "majority_row",
    "margin_axis",
    "margin_summary",
    "notes",
    "numbers",
    "off_axis_notes",
    "results",
    "sentence",
    "split_records",
    "split_words",
    "summary",
    "tables",
    "unit_notes",
    "with_decisions",
]
