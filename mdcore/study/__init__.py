"""Comparison of methods: repeated splits, model selection inside the training parts, paired tests, margins over
splits."""

from mdcore.spaces.within import EXACT, Within
from mdcore.study.approximation import Decision, by_rows, decide, with_decisions
from mdcore.study.board import board
from mdcore.study.comparison import Comparison
from mdcore.study.contrast import Contrast
from mdcore.study.data import Data, data_of, data_of_table
from mdcore.study.default_plan import candidates, first_methods, first_plan, first_repeats
from mdcore.study.differences import difference, differences, holm
from mdcore.study.evaluation import Failure
from mdcore.study.headline import answer, basis, headline, split_words
from mdcore.study.margin_curves import band, examples, held_out_curves, margin_axis
from mdcore.study.notes import Note, notes
from mdcore.study.plan import Candidate, Plan
from mdcore.study.references import LEARNERS, MAJORITY, REFERENCES, is_reference
from mdcore.study.run import begin, compare, results
from mdcore.study.scores import SCORES, are_unequal, fitting_score, fitting_scores
from mdcore.study.tables import margin_summary, numbers, summary, tables
from mdcore.study.wording import WHAT_TESTS_SAY, WHY_TWO_TESTS, off_axis_notes, sentence, unit_notes

__all__ = [
    "EXACT",
    "LEARNERS",
    "MAJORITY",
    "REFERENCES",
    "SCORES",
    "WHAT_TESTS_SAY",
    "WHY_TWO_TESTS",
    "Candidate",
    "Comparison",
    "Contrast",
    "Data",
    "Decision",
    "Failure",
    "Note",
    "Plan",
    "Within",
    "answer",
    "are_unequal",
    "band",
    "basis",
    "begin",
    "board",
    "by_rows",
    "candidates",
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
    "margin_axis",
    "margin_summary",
    "notes",
    "numbers",
    "off_axis_notes",
    "results",
    "sentence",
    "split_words",
    "summary",
    "tables",
    "unit_notes",
    "with_decisions",
]
